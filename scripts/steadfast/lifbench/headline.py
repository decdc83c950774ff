"""LIFBench's main measures for the report over all benchmarks."""

import pandas as pd

from steadfast.metrics.headline import HEADLINE
from steadfast.metrics.tidy import OVERALL

AVERAGE = "average"


def headline(ars: pd.DataFrame, ifs: pd.DataFrame, coverage: pd.DataFrame) -> pd.DataFrame:
    """Overall ARS and the average IFS of each model, over all lengths.

    Args:
        ars: rows of ``metrics.ars``.
        ifs: rows of ``metrics.ifs``; the average is the plain mean of the three perspectives, and
            exists where all three do: with one length alone there is none.
        coverage: rows of ``metrics.full_coverage``.

    Returns:
        Columns of ``metrics.headline``; n counts scored samples. A model without a value has an
        empty one.

    Source: Tables 3 and 4, the columns Overall and Average.
    """
    measures = {
        "ARS": _whole(ars),
        "IFS": _whole(ifs[ifs["perspective"] == AVERAGE]),
    }
    counts = _whole(coverage)[["model", "scored", "expected"]].rename(columns={"scored": "n"})
    parts = [
        counts.merge(rows[["model", "value", "low", "high"]], on="model", how="left").assign(
            measure=measure
        )
        for measure, rows in measures.items()
    ]
    return pd.concat(parts, ignore_index=True)[list(HEADLINE)]


def _whole(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[(rows["task"] == OVERALL) & (rows["length"] == "")].astype({"model": str})
