"""Every two models compared in each cell of a benchmark, and how many clusters were drawn."""

import math
from collections.abc import Mapping, Sequence

import pandas as pd

from steadfast.stats.comparison import COLUMNS, compare_models
from steadfast.stats.intervals import Clusters
from steadfast.stats.power import smallest_difference
from steadfast.stats.ties import COLUMNS as TIES
from steadfast.stats.ties import NO_TIES, Ties

DRAWN = ("part", "stratum", "clusters")


def pairs(frame: pd.DataFrame, keys: list[str], of: str) -> pd.DataFrame:
    """Returns the differences between every two models, by ``comparison.compare_models``.

    Args:
        frame: samples with columns model, cluster, stratum, sample_id, total, and the others named
            here; each draw of a sample is a row.
        keys: columns whose values together are a cell; models are compared in each by itself.
        of: column whose values are compared one by one within a cell, and as their plain mean
            (overall); it stands in the place of task.

    Example:
        >>> frame = pd.DataFrame({"model": ["m", "m", "n", "n"], "total": [1.0, 0.5, 0.0, 0.5]})
        >>> frame = frame.assign(sample_id=["a", "b"] * 2, cluster=["x", "y"] * 2)
        >>> frame = frame.assign(stratum="s", language="en", category="style")
        >>> rows = pairs(frame, ["language"], "category")
        >>> rows[["language", "category", "difference"]].values.tolist()
        [['en', 'style', 0.5], ['en', 'overall', 0.5]]
    """
    parts = [pd.DataFrame(columns=[*keys, *COLUMNS])]
    for values, part in frame.groupby(keys, sort=False):
        cell = part.assign(task=part[of], length="")
        weights = dict.fromkeys(cell["task"], 1.0)
        rows = compare_models(cell, weights, Clusters(cell, ["stratum"]))
        parts.append(rows.assign(**dict(zip(keys, values, strict=True))))
    known = [part for part in parts if len(part)] or parts
    return pd.concat(known, ignore_index=True).rename(columns={"task": of})


def drawn(frame: pd.DataFrame, part: str | None, strata: Sequence[str]) -> pd.DataFrame:
    """Returns the number of clusters, which intervals take for drawn, by part and stratum.

    Args:
        frame: samples with the column cluster.
        part: column whose values are shown apart, such as the language.
        strata: columns whose values together are what clusters are drawn within.

    Example:
        >>> frame = pd.DataFrame({"cluster": ["a", "a", "b"], "language": "en", "kind": "x"})
        >>> drawn(frame, "language", ["kind"]).values.tolist()
        [['en', 'x', 2]]
    """
    columns = ["cluster", *strata, *([part] if part else [])]
    known = frame[[*dict.fromkeys(columns)]].drop_duplicates()  # of many samples few clusters
    parts = known[part].astype(str) if part else ""
    stratum = known[list(strata)].astype(str).agg("/".join, axis=1) if len(strata) else ""
    found = known[["cluster"]].assign(part=parts, stratum=stratum).drop_duplicates()
    counts = found.groupby(["part", "stratum"], sort=False).size()
    return counts.rename("clusters").reset_index()[list(DRAWN)]


def smallest_of(rows: pd.DataFrame) -> float:
    """Returns the smallest difference that the test of the middle pair could have told apart.

    It is in the unit of the difference, with 80 % power after correction for all pairs; nan where
    no pair has a standard error.
    """
    known = rows[rows["error"].notna()]
    if known.empty:
        return math.nan
    error, freedom = known[["error", "freedom"]].astype(float).median()
    return smallest_difference(error, freedom, len(known))


def with_comparisons(
    headline: pd.DataFrame,
    comparisons: Mapping[str, pd.DataFrame],
    clusters: pd.DataFrame,
    unit: str,
) -> pd.DataFrame:
    """Returns a headline with the columns of ``headline.FURTHER``.

    Args:
        headline: rows with columns model and measure.
        comparisons: of each measure that models are compared in, its rows.
        clusters: rows of ``drawn`` that the headline's values rest on.
        unit: what clusters are called, in the plural.
    """
    ties = {measure: Ties.of(rows) for measure, rows in comparisons.items()}
    smallest = {measure: smallest_of(rows) for measure, rows in comparisons.items()}
    cells = [
        ties.get(measure, NO_TIES).columns(model)
        for model, measure in zip(headline["model"], headline["measure"], strict=True)
    ]
    return headline.assign(
        **pd.DataFrame(cells, headline.index, TIES).astype(object),
        drawn=f"{clusters['clusters'].sum():,} {unit}",
        smallest=headline["measure"].map(smallest).astype(float),
    )
