"""Direct scoring beside the checklist: each model's scores, and how well the two ways agree."""

from collections.abc import Sequence

import pandas as pd

from steadfast.benchmarks.cfbench.facts import FULL, SETS
from steadfast.benchmarks.cfbench.frames import with_full
from steadfast.benchmarks.cfbench.records import ScoreRecord
from steadfast.benchmarks.cfbench.satisfaction import is_satisfied
from steadfast.contract.components import Scored
from steadfast.stats.agreement import agreement_rows
from steadfast.stats.asked import answers_expected
from steadfast.stats.intervals import Clusters
from steadfast.stats.raters import answer_name
from steadfast.stats.tidy import in_order

SCORE, SATISFIED, KAPPA = "score", "satisfied", "kappa"
MEASURES = (SCORE, SATISFIED, KAPPA)
KEYS = ["model", "split", "measure"]


def direct_scores(
    scores: Sequence[Scored[ScoreRecord]], samples: pd.DataFrame, splits: dict[str, str]
) -> pd.DataFrame:
    """Direct scores by the judge that counts, and their agreement with its checklists.

    Returns:
        Columns model, split (easy, hard, full), measure (score: the mean, 0 to 1; satisfied: the
        share of answers whose score exceeds 0.8; kappa: Cohen's, between that and the PSR of the
        same judge's checklist), value, low, high, n (answers that have one; both, for kappa) and
        expected. A model without a score has no rows.
    """
    given = [(record["direct"], record["psr"]) for _, _, record in scores]
    columns = ["model", "split", "cluster"]
    rows = samples[columns].assign(stratum=samples["split"], score=[one for one, _ in given])
    known = rows.dropna(subset="score").astype({"score": float})
    known = known.assign(satisfied=[float(is_satisfied(score)) for score in known["score"]])
    tall = with_full(known).melt([*columns, "stratum"], [SCORE, SATISFIED], "measure", "value")
    found = [_agreement(scores, splits)]
    if not tall.empty:
        found.insert(0, Clusters(tall, ["stratum"]).means(tall, KEYS, "value").rows())
    expected = answers_expected(with_full(samples), ["split"], ["cluster"])
    table = pd.concat(found).merge(expected, on=["model", "split"])
    order = {"model": sorted(set(samples["model"])), "split": SETS, "measure": MEASURES}
    return in_order(table, order)[[*KEYS, "value", "low", "high", "n", "expected"]]


def _agreement(scores: Sequence[Scored[ScoreRecord]], splits: dict[str, str]) -> pd.DataFrame:
    """Kappa of each model's satisfied direct scores with the same answers' PSR."""
    direct_by: dict[str, dict[tuple[str, str], int]] = {}
    psr_by: dict[str, dict[tuple[str, str], int]] = {}
    for model, _, record in scores:
        value, psr = record["direct"], record["psr"]
        if value is not None and psr is not None:
            item = record["sample_id"], answer_name(record)
            direct_by.setdefault(model, {})[item] = is_satisfied(value)
            psr_by.setdefault(model, {})[item] = int(psr)
    columns = [*KEYS, "value", "low", "high", "n"]
    parts = [
        agreement_rows(
            {"direct": direct_by[model]},
            {"checklist": psr_by[model]},
            by=lambda item: splits[item[0]],
            cluster=lambda item: item[0],
        ).assign(split=lambda rows: rows["model"].replace({"": FULL}), model=model)
        for model in direct_by
    ]
    if not parts:
        return pd.DataFrame(columns=columns)
    names = {"kappa": "value", "kappa_low": "low", "kappa_high": "high"}
    return pd.concat(parts).rename(columns=names).assign(measure=KAPPA)[columns]
