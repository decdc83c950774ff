"""How well raters agree in their verdicts: judges with each other, and with people's labels."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from difflib import get_close_matches
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from steadfast.errors import UserError
from steadfast.files import Record, read_jsonl
from steadfast.metrics.bootstrap import LEVEL, Bootstrap

JUDGES, MIXED, HUMANS = "judges", "judge and human", "humans"
KINDS = (JUDGES, MIXED, HUMANS)
HUMAN = "human"
MAJORITY = "human majority"
COLUMNS = (
    "kind",
    "first",
    "second",
    "model",
    "n",
    "raw",
    "raw_low",
    "raw_high",
    "kappa",
    "kappa_low",
    "kappa_high",
    "only_first",
    "only_second",
)
ENDS = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]

Verdicts = Mapping[Hashable, Hashable]
"""One rater's verdict on each item that it has judged; None is no verdict."""


def verdict_agreement(first: Sequence[Hashable], second: Sequence[Hashable]) -> dict[str, float]:
    """Raw agreement of two raters and Cohen's kappa.

    Args:
        first: one rater's verdicts, of any two or more categories.
        second: the other's, of the same items in the same order.

    Returns:
        n (items), raw (share of equal verdicts) and kappa (agreement beyond chance over the most
        that is possible beyond chance). raw is nan without items, kappa also where both raters
        know one and the same category only.

    Source: Cohen 1960, equation 1.
    """
    table = _tables(first, second, np.zeros(len(first), int), 1)
    (raw,), (kappa,) = _raw(table), _kappa(table)
    return {"n": len(first), "raw": float(raw), "kappa": float(kappa)}


def agreement_rows(
    verdicts: Mapping[str, Verdicts],
    by: Callable[[Any], str] | None = None,
    cluster: Callable[[Any], Hashable] | None = None,
    humans: Collection[str] = (),
) -> pd.DataFrame:
    """Agreement of every two raters on the items that both have judged.

    Args:
        verdicts: each rater's, in the order to show.
        by: the model whose answer an item is; then each model has a row beside the one for all.
        cluster: what is drawn together for the intervals, such as an item's instruction; without
            it there are no intervals.
        humans: raters that are people.

    Returns:
        Columns kind (one of ``KINDS``), first, second, model (or empty for all), n (items that
        both judged), raw, kappa, the ends of their bootstrap intervals, and the items that only
        the first and only the second judged. A pair without common items has n = 0 and no values.
    """
    clear = {
        name: {item: verdict for item, verdict in given.items() if verdict is not None}
        for name, given in verdicts.items()
    }
    rows = [
        {"kind": _kind(first, second, humans), "first": first, "second": second, "model": model}
        | _pair(*part, cluster)
        for first, second in combinations(clear, 2)
        for model, part in _by_model(clear[first], clear[second], by).items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _kind(first: str, second: str, humans: Collection[str]) -> str:
    return (JUDGES, MIXED, HUMANS)[(first in humans) + (second in humans)]


def _by_model(
    first: Verdicts, second: Verdicts, by: Callable[[Any], str] | None
) -> dict[str, tuple[dict, dict]]:
    parts: dict[str, tuple[dict, dict]] = {}
    if by is not None:
        for side, given in enumerate((first, second)):
            for item, verdict in given.items():
                parts.setdefault(by(item), ({}, {}))[side][item] = verdict
    return {model: parts[model] for model in sorted(parts)} | {"": (dict(first), dict(second))}


def _pair(first: Verdicts, second: Verdicts, cluster: Callable | None) -> dict[str, float]:
    common = [item for item in first if item in second]
    sides = [[given[item] for item in common] for given in (first, second)]
    found = verdict_agreement(*sides)
    if cluster is not None and common:
        clusters = [str(cluster(item)) for item in common]
        names, number = np.unique(clusters, return_inverse=True)
        if len(names) > 1:
            draws = Bootstrap(pd.DataFrame({"cluster": names, "stratum": ""}), ["stratum"]).weights
            cells = _tables(*sides, number, len(names))
            sums = (draws[1:] @ cells.reshape(len(names), -1)).reshape(-1, *cells.shape[1:])
            for name, replicates in (("raw", _raw(sums)), ("kappa", _kappa(sums))):
                known = replicates[~np.isnan(replicates)]
                if len(known):
                    low, high = np.quantile(known, ENDS)
                    found |= {f"{name}_low": float(low), f"{name}_high": float(high)}
    return found | {
        "only_first": len(first) - len(common),
        "only_second": len(second) - len(common),
    }


def _tables(
    first: Sequence[Hashable], second: Sequence[Hashable], cluster: np.ndarray, clusters: int
) -> np.ndarray:
    """Counts of each pair of categories in each cluster: clusters × categories × categories."""
    codes: dict[Hashable, int] = {}
    for verdict in (*first, *second):
        codes.setdefault(verdict, len(codes))
    counts = np.zeros((clusters, len(codes), len(codes)))
    places = [np.array([codes[verdict] for verdict in side], int) for side in (first, second)]
    if len(places[0]) != len(places[1]):
        raise ValueError("both raters' verdicts must be of the same items")
    np.add.at(counts, (cluster, *places), 1)
    return counts


def _raw(tables: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.trace(tables, axis1=1, axis2=2) / tables.sum(axis=(1, 2))


def _kappa(tables: np.ndarray) -> np.ndarray:
    total = tables.sum(axis=(1, 2))
    chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1)
    with np.errstate(invalid="ignore"):
        expected = chance / total**2
        # Compared as whole numbers: a rounding error would make a number of nothing.
        expected = np.where(chance == total**2, math.nan, expected)
        return (_raw(tables) - expected) / (1 - expected)


def majority(raters: Mapping[str, Verdicts]) -> dict[Hashable, Hashable]:
    """The verdict that more raters gave than any other, of each item where there is one.

    Items that fewer than two raters judged are left out.
    """
    given: dict[Hashable, Counter] = defaultdict(Counter)
    for verdicts in raters.values():
        for item, verdict in verdicts.items():
            if verdict is not None:
                given[item][verdict] += 1
    found = {}
    for item, counts in given.items():
        (verdict, most), *others = counts.most_common(2)
        if counts.total() > 1 and (not others or others[0][1] < most):
            found[item] = verdict
    return found


def read_labels(
    path: Path | str,
    parse: Callable[[Any, str], Mapping[Hashable, Hashable]],
    known: Mapping[str, Collection[str]] | None = None,
) -> dict[str, dict[tuple[str, str, Hashable], Hashable]]:
    """People's verdicts from a file of JSON lines.

    A record has ``model``, ``sample_id``, ``verdicts`` as the benchmark writes them, and
    ``rater`` where several people have judged.

    Args:
        path: the file.
        parse: makes of a record's verdicts and its sample_id a verdict for each question (or
            whatever is judged alone); raises ValueError with half a sentence where it cannot.
        known: the sample ids of each model that runs; records of other models are passed over.

    Returns:
        Of each rater the verdicts by (model, sample_id, question).

    Raises:
        UserError: the file is missing or damaged, a record lacks a field, is there twice, has
            verdicts that are none or names a sample that does not exist, or no record is of a
            model that runs.
    """
    labels: dict[str, dict] = defaultdict(dict)
    seen, passed_over = set(), set()
    for number, record in enumerate(read_jsonl(path), start=1):
        where = f"{path}: record {number}"
        model, sample, rater = _label_names(record, where)
        if (rater, model, sample) in seen:
            raise UserError(
                f"{where} is the second of rater {rater!r} on sample {sample!r} of model "
                f"{model!r}; leave one of the two"
            )
        seen.add((rater, model, sample))
        if known is not None and model not in known:
            passed_over.add(model)
            continue
        if known is not None and sample not in known[model]:
            near = get_close_matches(sample, known[model], 1, cutoff=0)
            hint = f"; the nearest is {near[0]!r}" if near else ""
            raise UserError(f"{where}: unknown sample_id {sample!r} of model {model!r}{hint}")
        try:
            verdicts = parse(record["verdicts"], sample)
        except ValueError as error:
            raise UserError(f"{where}, sample {sample!r}: {error}; mend its verdicts") from None
        labels[rater] |= {(model, sample, name): verdict for name, verdict in verdicts.items()}
    if not labels and passed_over:
        raise UserError(
            f"{path}: no label is of a model that runs, the first is of {min(passed_over)!r}; "
            f"models that run: {', '.join(sorted(known))}"
        )
    return dict(labels)


def _label_names(record: Record, where: str) -> tuple[str, str, str]:
    """model, sample_id and rater."""
    if "verdicts" not in record:
        raise UserError(f"{where}: field 'verdicts' is missing; add what the rater decided")
    names = {"model": record.get("model"), "sample_id": record.get("sample_id")}
    names["rater"] = record.get("rater", HUMAN)
    for name, value in names.items():
        if not isinstance(value, str) or not value:
            raise UserError(f"{where}: field {name!r} must be a text; add or mend it")
    return tuple(names.values())
