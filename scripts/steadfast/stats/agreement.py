"""Agreement of raters' verdicts: judges with each other, and with human labels."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain, combinations, permutations
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from steadfast.base.files import Record
from steadfast.contract import votes
from steadfast.contract.components import Scored
from steadfast.stats.intervals import NOTHING, Estimates
from steadfast.stats.raters import FURTHER, ByRater, answer_name, first_repeats

JUDGES = "judges"
ITSELF = "judge and itself"
MIXED = "judge and human"
HUMANS = "humans"
RULES = "judge and rule"
KINDS = (JUDGES, ITSELF, RULES, MIXED, HUMANS)
MAJORITY = "human majority"
COLUMNS = (
    "kind", "first", "second", "model", "n", "raw", "raw_low", "raw_high", "kappa", "kappa_low",
    "kappa_high", "only_first", "only_second",
)  # fmt: skip
# Shares of the true (or false) items on which a judge's verdict is right.
RATES = {"sensitivity": 1, "specificity": 0}
# Further columns of rows that compare a judge with the truth: people's verdicts, or a rule's.
AGAINST_TRUTH = (
    "sensitivity", "sensitivity_low", "sensitivity_high",
    "specificity", "specificity_low", "specificity_high",
)  # fmt: skip

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)
# An item whose first two fields are model and response (``raters.answer_name``).
Answered = TypeVar("Answered", bound=tuple[Hashable, ...])
# One rater's verdict on each item; None is no verdict.
Verdicts = Mapping[K, Hashable]


def verdict_agreement(first: Sequence[Hashable], second: Sequence[Hashable]) -> dict[str, float]:
    """n, the raw agreement of two raters (the share of equal verdicts) and Cohen's kappa.

    raw is nan without items, kappa also where both use one category only (Cohen 1960, equation 1).
    """
    table = _tables(first, second, np.zeros(len(first), int))[0]
    return {"n": len(first), "raw": _raw(table), "kappa": _kappa(table)}


def agreement_rows(
    judges: Mapping[str, Verdicts[K]],
    people: Mapping[str, Verdicts[K]],
    by: Callable[[K], str],
    cluster: Callable[[K], Hashable],
) -> pd.DataFrame:
    """The agreement of every two raters on the items that both have judged.

    The majority of several people is compared with the judges too, and the majority of several
    judges with people, but no majority with its members. A pair without common items has n = 0 and
    no values. A judge with several repeats is compared with itself: raw is the share of items with
    the same verdict in all repeats, kappa is Fleiss', ``second`` has the number of repeats, and
    only_first counts items without a verdict in some repeat. Rows of a judge and people whose
    verdicts are 1 or 0 have ``RATES``.

    Args:
        judges: verdicts by judge, in the order of tables; further repeats under their own names
            (``request.repeat_key``).
        people: verdicts by person; one with a judge's name is shown as "<name> (human)".
        by: the model of an item's response; each model has a row, in addition to that of all
            models, whose model is empty.
        cluster: an item's sampling unit, such as its instruction.
    """
    humans: dict[str, Verdicts[K]] = {}
    for name, verdicts in people.items():
        while name in judges or name in humans or name == MAJORITY:
            name += " (human)"
        humans[name] = verdicts
    if len(humans) > 1:
        humans[MAJORITY] = majority(humans)
    clear: dict[str, Verdicts[K]] = {}
    for name, verdicts in {**judges, **humans}.items():
        clear[name] = {item: verdict for item, verdict in verdicts.items() if verdict is not None}
    rows = list[Record]()
    # Further repeats of a judge are compared with the judge alone.
    for first, second in combinations([*first_repeats(judges), *humans], 2):
        if _is_part(first, second, humans):
            continue
        kind = (JUDGES, MIXED, HUMANS)[(first in humans) + (second in humans)]
        sides = [clear[first], clear[second]]
        categories = {*sides[0].values(), *sides[1].values()}
        is_truth = kind == MIXED and categories <= set(RATES.values())
        for model, part in by_model(sides, by).items():
            row: Record = {"kind": kind, "first": first, "second": second, "model": model}
            row |= pair_row(part, cluster)
            rows.append(row | against_truth(part, cluster) if is_truth else row)
    repeats: dict[str, list[Verdicts[K]]] = defaultdict(list)
    for name in judges:
        repeats[FURTHER.sub("", name)].append(clear[name])
    for judge, sides in repeats.items():
        if len(sides) < 2:
            continue
        for model, part in by_model(sides, by).items():
            count = f"{len(sides)} repeats"
            row = {"kind": ITSELF, "first": judge, "second": count, "model": model}
            rows.append(row | _itself(part, cluster))
    further = AGAINST_TRUTH if any("sensitivity" in row for row in rows) else ()
    return pd.DataFrame(rows, columns=[*COLUMNS, *further])


def _is_part(first: str, second: str, humans: Collection[str]) -> bool:
    """Whether the second rater is a majority to which the first belongs."""
    if second in humans:
        return second == MAJORITY and first in humans
    return second.partition(" (")[0] == votes.MAJORITY  # votes.rater_name


def answer_agreement(
    judges: Mapping[str, Verdicts[Answered]],
    people: Mapping[str, Verdicts[Answered]],
    scores: Iterable[Scored],
) -> pd.DataFrame:
    """``agreement_rows`` on responses, by model, with contexts as clusters of the intervals."""
    contexts: dict[tuple[Hashable, ...], Hashable] = {}
    for model, _, record in scores:
        contexts[model, answer_name(record)] = record["context_id"]
    return agreement_rows(
        judges, people, lambda item: str(item[0]), lambda item: contexts[item[:2]]
    )


def by_model(
    sides: Sequence[Verdicts[K]], by: Callable[[K], str]
) -> dict[str, Sequence[Verdicts[K]]]:
    """The verdicts of raters on the items of each model; those on all items under an empty name."""
    parts: dict[str, list[dict[K, Hashable]]] = {}
    for side, verdicts in enumerate(sides):
        for item, verdict in verdicts.items():
            parts.setdefault(by(item), [{} for _ in sides])[side][item] = verdict
    return {**{model: parts[model] for model in sorted(parts)}, "": sides}


def pair_row(raters: Sequence[Verdicts[K]], cluster: Callable[[K], Hashable]) -> dict[str, float]:
    """The values of a row of two raters, without its keys."""
    first, second = raters
    common = [item for item in first if item in second]
    verdicts = _listed(first, common)
    others = _listed(second, common)
    estimates = verdict_agreement(verdicts, others)
    if common:
        clusters = _cluster_numbers(common, cluster)
        estimates |= _intervals(_tables(verdicts, others, clusters))
    only = {"only_first": len(first) - len(common), "only_second": len(second) - len(common)}
    return estimates | only


def against_truth(sides: Sequence[Verdicts[K]], cluster: Callable[[K], Hashable]) -> Record:
    """``AGAINST_TRUTH`` of a judge's verdicts and the true ones, each 1 or 0."""
    judged, true = sides
    rates: Record = {}
    # A rate is the raw agreement on the items whose true verdict is 1, or 0.
    for rate, value in RATES.items():
        true_items = {item: truth for item, truth in true.items() if truth == value}
        row = pair_row([judged, true_items], cluster)
        for end in ("", "_low", "_high"):
            rates[f"{rate}{end}"] = row.get(f"raw{end}")
    return rates


def _itself(repeats: Sequence[Verdicts[K]], cluster: Callable[[K], Hashable]) -> dict[str, float]:
    """Compares the repeats of one judge; kappa over all ordered pairs of repeats (Fleiss 1971)."""
    complete = set(repeats[0]).intersection(*repeats[1:])
    common = [item for item in repeats[0] if item in complete]
    sides = [_listed(repeat, common) for repeat in repeats]
    clusters = _cluster_numbers(common, cluster)
    # Raw agreement is that of "all repeats agree" with a rater whose verdict is always yes.
    same = [len(set(verdicts)) == 1 for verdicts in zip(*sides, strict=True)]
    constant = [True] * len(same)
    estimates = verdict_agreement(constant, same)
    # All pairs' tables have equal axes, so that they can be added.
    categories = list(dict.fromkeys(chain(*sides)))
    pairs = list(permutations(sides, 2))
    tables_of_pairs = [_tables(a, b, clusters, categories) for a, b in pairs]
    counts = np.sum(tables_of_pairs, axis=0)
    estimates["kappa"] = _kappa(counts.sum(axis=0))
    if common:
        # An item's pairs count as one.
        parts = {"raw": _tables(constant, same, clusters), "kappa": counts / len(pairs)}
        for name, tables in parts.items():
            if math.isnan(estimates[name]):
                continue
            for key, bound in _intervals(tables).items():
                if key.startswith(name):
                    estimates[key] = bound
    lacking = len(set().union(*repeats)) - len(common)
    return estimates | {"only_first": lacking, "only_second": 0}


def _listed(verdicts: Verdicts[K], items: Sequence[K]) -> list[Hashable]:
    return [verdicts[item] for item in items]


def _cluster_numbers(items: Sequence[K], cluster: Callable[[K], Hashable]) -> np.ndarray:
    """The number of each item's cluster, from 0 on."""
    return np.unique([str(cluster(item)) for item in items], return_inverse=True)[1]


def _intervals(tables: np.ndarray) -> dict[str, float]:
    """Intervals of raw agreement and kappa, from the counts of each cluster.

    With the raw agreement p, the agreement by chance q, and κ = (p − q) ÷ (1 − q), a cluster adds

        dκ = (dp − (1 − κ) dq) ÷ (1 − q)

    to kappa, which is kappa's derivative at all clusters' counts. Where no cluster adds anything,
    as with raters that always agree or a rater with one category only, kappa's interval is that of
    raw agreement, for the same agreement by chance.
    """
    number = tables.sum(axis=(1, 2))
    shares = tables.sum(axis=0) / number.sum()
    rows = shares.sum(axis=1)
    columns = shares.sum(axis=0)
    chance = float(rows @ columns)
    raw = float(np.trace(shares))
    raw_parts = np.trace(tables, axis1=1, axis2=2) - raw * number
    chance_parts = tables.sum(axis=2) @ columns + tables.sum(axis=1) @ rows - 2 * chance * number
    kappa = _kappa(tables.sum(axis=0))
    values = {"raw": raw}
    parts = [raw_parts]
    if not math.isnan(kappa):
        values["kappa"] = kappa
        parts.append((raw_parts - (1 - kappa) * chance_parts) / (1 - chance))
    limits = [(0.0, 1.0), (-1.0, 1.0)][: len(values)]
    cells = pd.DataFrame(limits, pd.Index(values, name="measure"), ["lowest", "highest"])
    cells = cells.assign(value=values, n=number.sum())
    weight = np.tile(number / number.sum(), (len(values), 1))
    one_stratum = np.zeros(len(number), int)
    estimates = Estimates(cells, np.array(parts) / number.sum(), weight, one_stratum)
    bounds = estimates.rows().set_index("measure")[["low", "high"]]
    if "kappa" in bounds.index and estimates.errors[0][1] < NOTHING:
        bounds.loc["kappa"] = ((bounds.loc["raw"] - chance) / (1 - chance)).clip(lower=-1)
    by_name = {}
    for name, row in bounds.iterrows():
        by_name[f"{name}_low"] = float(row["low"])
        by_name[f"{name}_high"] = float(row["high"])
    return by_name


def _tables(
    first: Sequence[Hashable],
    second: Sequence[Hashable],
    clusters: np.ndarray,
    categories: Iterable[Hashable] = (),
) -> np.ndarray:
    """Counts of each pair of categories in each cluster: clusters × categories × categories."""
    if len(first) != len(second):
        raise ValueError("both raters' verdicts must be of the same items")
    labels = dict.fromkeys((*categories, *first, *second))
    codes = {verdict: code for code, verdict in enumerate(labels)}
    counts = np.zeros((1 + clusters.max(initial=0), len(codes), len(codes)))
    rows = np.array([codes[verdict] for verdict in first], int)
    columns = np.array([codes[verdict] for verdict in second], int)
    np.add.at(counts, (clusters, rows, columns), 1)
    return counts


def _raw(table: np.ndarray) -> float:
    number = table.sum()
    return float(np.trace(table) / number) if number else math.nan


def _kappa(table: np.ndarray) -> float:
    """Cohen's (1960) kappa from the raw agreement p and that by chance q; nan for q = 1.

    κ = (p − q) ÷ (1 − q),   q = Σ over categories of row total · column total ÷ n²
    """
    square = table.sum() ** 2
    products = (table.sum(axis=0) * table.sum(axis=1)).sum()
    # Compared as whole numbers, since a rounding error would give a kappa for 0 ÷ 0.
    if products == square:
        return math.nan
    expected = products / square
    return float((_raw(table) - expected) / (1 - expected))


def majority(raters: Mapping[str, Mapping[K, V | None]], min_verdicts: int = 2) -> dict[K, V]:
    """The commonest verdict on each item with at least ``min_verdicts``; none for a tie."""
    votes: dict[K, Counter[V]] = defaultdict(Counter)
    for verdicts in raters.values():
        for item, verdict in verdicts.items():
            if verdict is not None:
                votes[item][verdict] += 1
    majorities = {}
    for item, counts in votes.items():
        (verdict, count), *runners_up = counts.most_common()
        if counts.total() >= min_verdicts and (not runners_up or runners_up[0][1] < count):
            majorities[item] = verdict
    return majorities


def consensus(raters: ByRater[K, V]) -> dict[tuple[str, str], dict[K, V]]:
    """People's verdicts on each response by question: one person's, or the majority's."""
    answers: dict[tuple[str, str], dict[K, V]] = defaultdict(dict)
    for (model, answer, question), verdict in majority(raters, min_verdicts=1).items():
        answers[model, answer][question] = verdict
    return answers


def on_rule_items(
    judges: Sequence[str],
    scores: Sequence[Scored[Any]],
    read: Callable[[Any], Mapping[Any, Any]],
    decided: Callable[[Any], Collection[Any]] | None = None,
) -> pd.DataFrame:
    """The agreement of judges with rules, whose verdicts are true, on what rules decide.

    Rows as in ``agreement_rows``, by model and with ``RATES``; none if no judge was queried about
    what a rule decides.

    Args:
        judges: in the order of tables.
        scores: of responses about which rules decide something.
        read: returns the verdict (1 or 0) on each question from a rule's or judge's rating.
        decided: the questions on a response that rules decide; None: all.
    """
    by_rule: dict[tuple[Any, ...], Any] = {}
    by_judge: dict[str, dict[tuple[Any, ...], Any]] = {judge: {} for judge in first_repeats(judges)}
    for model, _, record in scores:
        for judge, verdicts in by_judge.items():
            rating = record["other_raters"].get(votes.rater_name(judge, votes.ON_RULES))
            if not rating:
                continue
            questions = decided(record) if decided else None
            for side, rated in ((verdicts, rating), (by_rule, record)):
                for question, verdict in read(rated).items():
                    if questions is None or question in questions:
                        side[model, answer_name(record), question] = verdict
    if not by_rule:
        return pd.DataFrame(columns=[*COLUMNS, *AGAINST_TRUTH])
    rows = answer_agreement(by_judge, {"rule": by_rule}, scores)
    return rows[rows["kind"] == MIXED].assign(kind=RULES, second="rule").reset_index(drop=True)
