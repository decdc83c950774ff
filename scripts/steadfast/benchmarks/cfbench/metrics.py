"""CFBench's metrics of all models.

A sample without a score (no answer, or no readable verdict) is in no mean; it lowers the coverage.
Each repeat counts as a response. Intervals: ``stats.intervals``; the sampling unit is the
record with all its responses, stratified by split. In mode released the values of sets are rounded
as the released code rounds them; their intervals are not.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import pandas as pd

from steadfast.base.resources import facts
from steadfast.benchmarks.cfbench.agreement import agreement, corrected, direct_scores
from steadfast.benchmarks.cfbench.data import PRIMARY_OF, TYPES
from steadfast.benchmarks.cfbench.facts import (
    FULL,
    LANGUAGE,
    MEASURE_OF,
    MEASURES,
    OTHER_TASKS,
    PRIMARY_KIND,
    REAL_LIFE,
    SECONDARY_KIND,
    SETS,
    Mode,
    ScoreRecord,
)
from steadfast.benchmarks.cfbench.frames import (
    Records,
    checkpoint_frame,
    record_frame,
    sample_frame,
    with_full,
)
from steadfast.benchmarks.cfbench.satisfaction import PARTLY, UNREADABLE, rounded_to_hundredths
from steadfast.contract.components import Data, Labels, Scored
from steadfast.stats.breakdown import breakdown, by_measure, means
from steadfast.stats.corrected import NOTHING_CORRECTED, raw_values
from steadfast.stats.pairs import joint_summary, pairs, sampling_units
from steadfast.stats.scores import coverage as answer_coverage
from steadfast.stats.scores import models_of, with_prompts
from steadfast.stats.tidy import PROMPTS, in_order, rows_of


def metrics(
    scores: Iterable[Scored[ScoreRecord]],
    data: Mapping[str, Data],
    labels: Labels | None,
    mode: Mode,
    judges: Sequence[str],
    references: Collection[str] = (),
    direct: bool = False,
) -> dict[str, pd.DataFrame]:
    """Returns the metrics by name."""
    records = {record["sample_id"]: record for record in data[LANGUAGE]["data"][LANGUAGE]}
    all_scores = list(scores)
    sample_ids = {scored.record["sample_id"] for scored in all_scores}
    record_rows = record_frame(records)
    samples = sample_frame(all_scores, record_rows)
    rates = results(samples, mode)
    counts = coverage(samples)
    compared = comparisons(samples, references)
    units = sampling_units(samples, None, ["split"])
    direct_frames = {}
    if direct:
        splits = {name: record["split"] for name, record in records.items()}
        direct_frames["direct"] = direct_scores(all_scores, samples, splits)
    summary_rows = summary(rates, counts, compared, units)
    raw = raw_values(summary_rows, rows_of(compared, split=FULL))
    return {
        "results": rates,
        "comparisons": compared,
        "sampling_units": units,
        "summary": summary_rows,
        "corrected": corrected(all_scores, records, labels, raw) if labels else NOTHING_CORRECTED,
        "types": by_type(all_scores, records),
        "domains": by_origin(samples),
        "distribution": distribution(record_rows[record_rows.index.isin(sample_ids)]),
        "factors": by_factor(samples),
        "statistics": statistics({name: records[name] for name in records if name in sample_ids}),
        "coverage": counts,
        **agreement(all_scores, records, judges, labels, direct),
        **direct_frames,
    }


def results(samples: pd.DataFrame, mode: Mode = "strict") -> pd.DataFrame:
    """Returns CSR, ISR and PSR on the easy, the hard and all records (Tables 2 and 7)."""
    keys = ["model", "split", "measure"]
    rows = with_full(by_measure(samples.assign(stratum=samples["split"]), MEASURE_OF))
    table = means(rows, keys, ["stratum"])
    if mode == "released":
        cells = rows.groupby(keys)["value"]
        rounded = cells.agg(lambda values: rounded_to_hundredths(values.to_numpy().mean()))
        table = table.set_index(keys).assign(value=rounded).reset_index()
    return in_order(table, {"model": _models(samples), "split": SETS, "measure": MEASURES})


def comparisons(samples: pd.DataFrame, references: Collection[str] = ()) -> pd.DataFrame:
    """Returns CSR, ISR and PSR of every two models on the records that both have scored."""
    rows = with_full(by_measure(samples.assign(stratum=samples["split"]), MEASURE_OF))
    compared = pairs(rows.assign(total=rows["value"]), ["measure"], "split", references)
    # The mean of the two splits is none of the paper's measures.
    compared = compared[compared["split"].isin(SETS)]
    order = {"split": SETS, "measure": MEASURES, "model": _models(samples)}
    names = ["model", "other", "split", "measure"]
    return in_order(compared, order)[[*names, *compared.columns.difference(names, sort=False)]]


def summary(
    rates: pd.DataFrame, counts: pd.DataFrame, compared: pd.DataFrame, records: pd.DataFrame
) -> pd.DataFrame:
    """Returns CSR, ISR and PSR of each model on all records; empty without a scored record."""
    on_all = rows_of(compared, split=FULL)
    pairs_of = {measure: rows_of(on_all, measure=measure) for measure in MEASURES}
    full_counts = rows_of(counts, split=FULL)
    return joint_summary(full_counts, rows_of(rates, split=FULL), pairs_of, records, "records")


def by_type(scores: Sequence[Scored[ScoreRecord]], data: Records) -> pd.DataFrame:
    """Satisfied share of the checkpoints of each primary and each secondary type (Figure 4)."""
    rows = means(checkpoint_frame(scores, data), ["model", "kind", "category"], ["split"])
    labels = [*dict.fromkeys([*TYPES, *PRIMARY_OF]), ""]
    order = {"model": models_of(scores), "kind": (PRIMARY_KIND, SECONDARY_KIND), "category": labels}
    return in_order(rows, order)


def by_origin(samples: pd.DataFrame) -> pd.DataFrame:
    """Returns CSR, ISR and PSR by source, by domain of real life, and by NLP task (Figure 5).

    The paper's four classes of tasks are not released: the largest tasks have rows of their own,
    the others one together.
    """
    parts, order = _origins(samples, samples.drop_duplicates("cluster"))
    return _by_category(samples, parts, order)


def distribution(records: pd.DataFrame) -> pd.DataFrame:
    """Returns how many records are of each source, domain and task (Figure 3)."""
    parts, order = _origins(records, records)
    counts = {kind: division.value_counts() for kind, division in parts.items()}
    table = pd.concat(counts, names=["kind", "category"]).rename("value").reset_index()
    return in_order(table, {"kind": list(parts), "category": list(dict.fromkeys(order))})


def _origins(frame: pd.DataFrame, once: pd.DataFrame) -> tuple[dict[str, pd.Series], list[str]]:
    """Returns each row's source, domain and task, and their order; ``once`` is a row a record."""
    names = facts("cfbench/domains.yaml")
    real_life = frame["source"] == REAL_LIFE
    tasks = once.loc[once["source"] != REAL_LIFE, "task"].value_counts(sort=False)
    largest = list(tasks.sort_values(ascending=False, kind="stable").index[: names["most_tasks"]])
    task = frame["task"].where(frame["task"].isin(largest), OTHER_TASKS)
    parts = {
        "source": frame["source"],
        "domain": frame["domain"].where(real_life),
        "task": task.where(~real_life),
    }
    domains = [*names["domains"], *frame["domain"].dropna()]
    return parts, [*names["sources"], *domains, *largest, OTHER_TASKS]


def by_factor(samples: pd.DataFrame) -> pd.DataFrame:
    """CSR, ISR and PSR by prompt length, checkpoints, types and primary checkpoints (Figure 6)."""
    parts = {}
    starts: dict[str, float] = {}  # of the bins of all factors
    for name, factor in facts("cfbench/factors.yaml").items():
        bins = factor["bins"]
        edges = [*bins.values(), math.inf]
        binned = pd.cut(samples[name], edges, right=False, labels=list(bins))
        parts[name] = binned.astype(object)
        starts |= bins
    return _by_category(samples, parts, sorted(starts, key=starts.__getitem__))


def _by_category(
    samples: pd.DataFrame, divisions: Mapping[str, pd.Series], categories: Sequence[str]
) -> pd.DataFrame:
    """The measures of the samples of each category, for several divisions into categories."""
    rows = by_measure(samples.assign(**divisions), MEASURE_OF)
    order = {"category": list(filter(None, dict.fromkeys(categories))), "measure": MEASURES}
    return breakdown(rows, {kind: rows[kind] for kind in divisions}, order, ["split"])


def statistics(data: Records) -> pd.DataFrame:
    """Returns statistics of the data (Table 1): records, means per record, checkpoints by type."""
    averaged = ["characters", "primary", "checkpoints", "types"]
    types = []
    for record in data.values():
        types.append(Counter(point["type"] for point in record["checkpoints"]))
    counts = pd.DataFrame(types, list(data), [*TYPES, ""]).assign(records=1)
    cells = with_full(record_frame(data)[["split", *averaged]].join(counts)).groupby("split")
    sums = cells[list(counts)].sum().reindex(SETS, fill_value=0)
    table = sums.join(cells[averaged].mean())[["records", *averaged, *TYPES, ""]]
    return table.rename_axis(columns="measure").stack(future_stack=True).reset_index(name="value")


def coverage(samples: pd.DataFrame) -> pd.DataFrame:
    """Returns expected and scored answers of each model on the easy, the hard and all records."""
    flagged = samples.assign(
        fallback=samples["parsing"] == PARTLY, nothing=samples["parsing"] == UNREADABLE
    )
    keys = ["model", "split"]
    flags = ["fallback", "nothing"]
    rows = answer_coverage(with_full(flagged), ["cluster"], flags, by=["split"])
    # A split of which nothing was evaluated has a row too.
    every = pd.MultiIndex.from_product([_models(samples), SETS], names=keys)
    counts = rows.drop(columns=PROMPTS).set_index(keys).reindex(every, fill_value=0)
    further = [column for column in counts if column not in flags]
    return with_prompts(counts[[*further, *flags]].reset_index(), samples)


def _models(samples: pd.DataFrame) -> list[str]:
    return sorted(set(samples["model"]))
