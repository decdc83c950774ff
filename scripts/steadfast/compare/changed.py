"""Which cells of the metrics differ between two runs, and whether their intervals are apart."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from steadfast.stats.intervals import NOTHING

# Whether two cells' intervals are apart; unknown where one has none.
YES = "yes"
NO = "no"
UNKNOWN = ""
COLUMNS = (
    "benchmark", "metric", "model", "cell", "a", "b", "difference", "apart",
    "n_a", "n_b", "a_low", "a_high", "b_low", "b_high",
)  # fmt: skip


def joined_cells(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """The cells that two files of the same metric share, side by side.

    A cell's keys are the columns before ``value``. A file without models or values has none. The
    columns are model, cell (its other keys as a text), a, b, difference (b minus a), and low, high
    and n of each.
    """
    if not {"model", "value"} <= set(a) & set(b):
        return pd.DataFrame()
    keys = [key for key in _keys(a) if key in _keys(b)]
    joined = _side(a, keys, "a").merge(_side(b, keys, "b"), on=keys, validate="one_to_one")
    further_keys = [key for key in keys if key != "model"]
    cells = []
    for values in joined[further_keys].values.tolist():
        cells.append(shown_keys(dict(zip(further_keys, values, strict=True))))
    differences = joined["b"] - joined["a"]
    return joined.drop(columns=further_keys).assign(cell=cells, difference=differences)


def _keys(rows: pd.DataFrame) -> list[str]:
    return list(rows.columns[: list(rows.columns).index("value")])


def _side(rows: pd.DataFrame, keys: Sequence[str], name: str) -> pd.DataFrame:
    values = rows.reindex(columns=["value", "low", "high", "n"])
    side = values.set_axis([name, f"{name}_low", f"{name}_high", f"n_{name}"], axis=1)
    # Keys are texts: a whole number may stand in one of the files as a float.
    for key in keys:
        side[key] = rows[key].map(_text)
    return side


def _text(value: object) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:g}"
    return str(value)


def differing_cells(cells: pd.DataFrame, benchmark: str, metric: str) -> pd.DataFrame:
    """The cells of ``joined_cells`` whose value differs (``COLUMNS``)."""
    if not len(cells):
        return pd.DataFrame(columns=list(COLUMNS))
    rows = cells[cells["difference"].abs() > NOTHING]
    have_intervals = rows[["a_low", "a_high", "b_low", "b_high"]].notna().all(axis=1)
    # Disjoint intervals are a sign, not a test: the samples of both runs are compared in pairs.
    disjoint = (rows["a_high"] < rows["b_low"]) | (rows["b_high"] < rows["a_low"])
    apart = np.where(have_intervals, np.where(disjoint, YES, NO), UNKNOWN)
    return rows.assign(benchmark=benchmark, metric=metric, apart=apart)[list(COLUMNS)]


def shown_keys(keys: Mapping[str, str]) -> str:
    """The keys of a cell that are not empty, such as ``task=LSI length=4k``."""
    return " ".join(f"{key}={value}" for key, value in keys.items() if value)
