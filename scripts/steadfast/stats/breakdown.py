"""Means of several measures of the same responses, overall and by categories."""

from collections.abc import Mapping, Sequence

import pandas as pd

from steadfast.stats.intervals import Clusters
from steadfast.stats.tidy import in_order

KEYS = ("model", "kind", "category", "measure")
VALUES = ("value", "low", "high", "n")


def by_measure(answers: pd.DataFrame, measures: Mapping[str, str]) -> pd.DataFrame:
    """The responses' rows once for each measure with a value.

    Args:
        answers: a row for each response, with a column for each measure.
        measures: names of the measures by column.

    Returns:
        Columns measure and value in place of the measures' own.

    >>> answers = pd.DataFrame({"model": "m", "csr": [1.0, 0.5], "psr": [1.0, None]})
    >>> by_measure(answers, {"csr": "CSR", "psr": "PSR"})[["measure", "value"]].values.tolist()
    [['CSR', 1.0], ['CSR', 0.5], ['PSR', 1.0]]
    """
    keys = [column for column in answers if column not in measures]
    rows = answers.melt(keys, list(measures), "measure", "value").dropna(subset="value")
    return rows.assign(measure=rows["measure"].map(measures))


def means(rows: pd.DataFrame, by: Sequence[str], strata: Sequence[str]) -> pd.DataFrame:
    """The means of the column value in each cell of ``by``, with their intervals.

    Clusters (column cluster) are the sampling units, sampled within ``strata``.
    """
    if rows.empty:
        return pd.DataFrame(columns=[*by, *VALUES]).astype({"value": float, "n": int})
    return Clusters(rows, list(strata)).means(rows, list(by), "value").rows()


def breakdown(
    rows: pd.DataFrame,
    divisions: Mapping[str, pd.Series],
    order: Mapping[str, Sequence[str]],
    strata: Sequence[str],
) -> pd.DataFrame:
    """Each measure's mean in every category of several kinds.

    Args:
        rows: of ``by_measure``.
        divisions: by kind, the category of each row, if any.
        order: of the values of category and measure in tables.
        strata: of ``means``.

    >>> rows = pd.DataFrame({"model": "m", "cluster": ["a", "b"], "measure": "CSR"})
    >>> rows = rows.assign(value=[1.0, 0.5])
    >>> topics = {"topic": pd.Series(["sea", "train"])}
    >>> found = breakdown(rows, topics, {"category": ["train", "sea"], "measure": ["CSR"]}, [])
    >>> found[["kind", "category", "value"]].values.tolist()
    [['topic', 'train', 0.5], ['topic', 'sea', 1.0]]
    """
    # A response may be in one category of each kind: the same rows count for each.
    parts = []
    for kind, categories in divisions.items():
        divided = rows.assign(kind=kind, category=categories).dropna(subset="category")
        parts.append(means(divided, KEYS, strata))
    models = sorted(set(rows["model"]))
    table = in_order(
        pd.concat(parts, ignore_index=True), {"model": models, "kind": list(divisions), **order}
    )
    return table[[*KEYS, *VALUES]]
