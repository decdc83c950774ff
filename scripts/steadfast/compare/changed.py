"""Which cells of the metrics differ between two runs, and whether by more than was drawn."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from steadfast.base.files import Record
from steadfast.contract.records import OVERALL
from steadfast.stats.intervals import NOTHING, SIGNIFICANT

PAIRED, INTERVALS, UNTOLD = "paired", "intervals", ""
"""What tells whether a cell moved: the interval of the difference on the samples that both runs
have, the two values' own intervals, or nothing, where there are none."""
YES, NO = "yes", "no"
COLUMNS = (
    "benchmark", "metric", "model", "cell", "a", "b", "difference", "low", "high", "p", "by",
    "beyond",     "n_a", "n_b", "a_low", "a_high", "b_low", "b_high",
)  # fmt: skip
_VALUES = ("value", "low", "high", "n")


def joined_cells(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """The cells that two files of the same metric share, side by side.

    A cell's keys are the columns before ``value``. A file without models or values has none. The
    columns are model, keys (a mapping), a, b, difference (b minus a), and low, high and n of each.
    """
    if not all({"model", "value"} <= set(rows) for rows in (a, b)):
        return pd.DataFrame()
    keys = [key for key in _keys(a) if key in _keys(b)]
    sides = [_side(rows, keys, name) for rows, name in ((a, "a"), (b, "b"))]
    both = sides[0].merge(sides[1], on=keys, validate="one_to_one")
    others = [key for key in keys if key != "model"]
    found = both.drop(columns=others).assign(difference=both["b"] - both["a"])
    # Texts alone: a whole number may stand in one of the files as a float.
    rows: list[list[str]] = both[others].values.tolist()
    return found.assign(keys=[dict(zip(others, row, strict=True)) for row in rows])


def _keys(rows: pd.DataFrame) -> list[str]:
    return list(rows.columns[: list(rows.columns).index("value")])


def _side(rows: pd.DataFrame, keys: Sequence[str], name: str) -> pd.DataFrame:
    texts = {key: rows[key].map(_text) for key in keys}
    held = rows.reindex(columns=list(_VALUES))
    names = {"value": name, "low": f"{name}_low", "high": f"{name}_high", "n": f"n_{name}"}
    return held.rename(columns=names).assign(**texts)


def _text(value: object) -> str:
    if isinstance(value, float):
        return "" if np.isnan(value) else f"{value:g}"
    return str(value)


def moved(cells: pd.DataFrame, metric: str, paired: pd.DataFrame) -> pd.DataFrame:
    """The cells whose value differs, and whether by more than their intervals allow.

    A cell of ``joined_cells`` takes the interval of a paired difference (b minus a, on the samples
    of both) where that is the difference of its own two values; else its two intervals, which are
    apart or not. The columns are ``COLUMNS`` without benchmark; beyond is empty where nothing can
    tell.
    """
    rows = []
    changed = cells[cells["difference"].abs() > NOTHING] if len(cells) else cells
    by_model: dict[str, list[Record]] = defaultdict(list)
    for test in paired.to_dict("records"):
        by_model[test["model"]].append(test)
    for cell in changed.to_dict("records"):
        test = next((one for one in by_model[cell["model"]] if _is_of(one, cell, metric)), None)
        if test is not None:
            low, high, p, by = test["low"], test["high"], test["p"], PAIRED
            beyond = YES if p < SIGNIFICANT else NO
        else:
            low = high = p = np.nan
            sides = [cell[name] for name in ("a_low", "a_high", "b_low", "b_high")]
            by = UNTOLD if any(map(pd.isna, sides)) else INTERVALS
            apart = sides[1] < sides[2] or sides[3] < sides[0]
            beyond = (YES if apart else NO) if by else ""
        rows.append(
            {**cell, "metric": metric, "cell": shown_keys(cell["keys"])}
            | {"low": low, "high": high, "p": p, "by": by, "beyond": beyond}
        )
    return pd.DataFrame(rows, columns=COLUMNS[1:])


def shown_keys(keys: Mapping[str, str]) -> str:
    """The keys of a cell that say something, such as ``task=LSI length=4k``."""
    return " ".join(f"{key}={value}" for key, value in keys.items() if value)


def _is_of(test: Record, cell: Record, metric: str) -> bool:
    """Whether a paired difference is of the same mean of the same samples as a cell.

    Keys that a cell has no column for, as a headline, are free.
    """
    if abs(test["difference"] - cell["difference"]) > NOTHING or np.isnan(test["low"]):
        return False
    keys, tested = dict(cell["keys"]), test["keys"]
    measure = keys.pop("measure", metric)
    if tested.get("measure", measure).casefold() not in (measure.casefold(), OVERALL):
        return False
    return all((value or OVERALL) == (tested.get(key) or OVERALL) for key, value in keys.items())
