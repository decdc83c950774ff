"""Tidy CSV files: one value a row, the same columns for every metric."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from steadfast.errors import UserError
from steadfast.files import write_text

KEYS = ("model", "task", "length", "perspective", "capability")
VALUES = ("value", "low", "high", "n")
OVERALL = "overall"
TEXT = (
    *KEYS, "other", "rubric", "measure", "language", "category", "level", "split", "kind", "scorer",
    "source", "dimension", "composition", "domain", "judge", "first", "second",
)  # fmt: skip
"""Columns that are no numbers, in any metrics file."""


def tidy(parts: Iterable[pd.DataFrame], order: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Rows of several computations under the tidy columns, sorted.

    Args:
        parts: frames that have some of the key columns, value and n.
        order: how each key column that occurs is sorted; "" (not applicable) comes first.

    Returns:
        Columns model, task, length, perspective, capability (text, empty where not applicable),
        value, low, high (numbers) and n (whole number).
    """
    rows = pd.concat(
        [part.astype({key: object for key in KEYS if key in part}) for part in parts],
        ignore_index=True,
    ).reindex(columns=[*KEYS, *VALUES])
    rows[list(KEYS)] = rows[list(KEYS)].astype(object).where(rows[list(KEYS)].notna(), "")
    rows["n"] = rows["n"].astype(int)
    return in_order(rows, order)


def in_order(rows: pd.DataFrame, order: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Rows sorted by the columns of ``order``, each by its own sequence of values."""
    ranks = pd.DataFrame(
        {
            column: rows[column].map({value: i for i, value in enumerate(["", *values])})
            for column, values in order.items()
        }
    )
    return rows.loc[ranks.sort_values(list(order), kind="stable").index].reset_index(drop=True)


def write_csv(path: Path, rows: pd.DataFrame) -> None:
    """Replaces a CSV file; numbers have 12 significant digits: equal runs give equal bytes."""
    write_text(path, rows.to_csv(index=False, float_format="%.12g", lineterminator="\n"))


def read_csv(path: Path) -> pd.DataFrame:
    """A CSV file that ``write_csv`` wrote; names stay text (a model may be called NA).

    Raises:
        UserError: the file is missing or is no such CSV file.
    """
    try:
        rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; compute the metrics first") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise UserError(f"{path}: no readable CSV ({error}); compute the metrics again") from None
    for column in rows.columns.difference(TEXT):
        rows[column] = pd.to_numeric(rows[column])
    return rows
