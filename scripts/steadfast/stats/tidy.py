"""Metrics as tidy CSV files: read, written, sorted; and the rows of the summary."""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import Record, write_text
from steadfast.contract.records import OWN
from steadfast.stats.ties import COLUMNS as TIES

# Most frames here are small, and take a quarter less time than with text in Arrow's memory.
pd.options.mode.string_storage = "python"

KEYS = ("model", "task", "length", "perspective", "capability")
VALUES = ("value", "low", "high", "n")
# Columns that are no numbers, in any metrics file.
TEXT = (
    *KEYS, "other", "rubric", "measure", "language", "category", "level", "split", "kind", "scorer",
    "source", "dimension", "composition", "domain", "judge", "first", "second", "prompts",
    "part", "stratum", "better_than", "worse_than", "not_distinguished", "sampled", "sizes",
    "pick_distances", "line", "scenario", "group", "effective_context_length",
    "effective_context_length_range", "unit",
)  # fmt: skip


def tidy(parts: Iterable[pd.DataFrame], order: Mapping[str, Sequence[object]]) -> pd.DataFrame:
    """The rows of several computations with the tidy columns, sorted by ``in_order``.

    Keys are text, empty where not applicable.
    """
    # As plain objects, so that keys of several types (text, categories) join to one column.
    texts = []
    for part in parts:
        keys = part.columns.intersection(KEYS)
        texts.append(part.astype(dict.fromkeys(keys, object)))
    rows = pd.concat(texts, ignore_index=True).reindex(columns=[*KEYS, *VALUES])
    key_cells = rows[list(KEYS)]
    rows[list(KEYS)] = key_cells.astype(object).where(key_cells.notna(), "")
    rows["n"] = rows["n"].astype(int)
    return in_order(rows, order)


def rows_of(rows: pd.DataFrame, **values: str) -> pd.DataFrame:
    """The rows with these values in the columns of those names."""
    masks = [(rows[column] == value).to_numpy(bool) for column, value in values.items()]
    return rows[np.logical_and.reduce(masks)] if masks else rows


def in_order(rows: pd.DataFrame, order: Mapping[str, Sequence[object]]) -> pd.DataFrame:
    """The rows sorted by the columns of ``order``, each in its sequence of values, "" first.

    >>> rows = pd.DataFrame({"length": ["16k", "8k", ""]})
    >>> in_order(rows, {"length": ["8k", "16k"]})["length"].tolist()
    ['', '8k', '16k']
    """
    ranks = pd.DataFrame(index=rows.index)
    for column, values in order.items():
        rank_of = {value: rank for rank, value in enumerate(["", *values])}
        ranks[column] = rows[column].map(rank_of)
    return rows.loc[ranks.sort_values(list(order), kind="stable").index].reset_index(drop=True)


def records(frame: pd.DataFrame) -> list[Record]:
    """A frame's rows, with None where there is no value."""
    rows: list[Record] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return rows


def write_csv(path: Path, rows: pd.DataFrame) -> None:
    """Replaces a CSV file; numbers have 12 significant digits: equal runs give equal bytes."""
    write_text(path, rows.to_csv(index=False, float_format="%.12g", lineterminator="\n"))


def read_csv(path: Path) -> pd.DataFrame:
    """Reads a CSV file that ``write_csv`` wrote; names stay text (a model may be called NA)."""
    try:
        # The header first: columns that are not in ``TEXT`` are numbers, with empty cells.
        numbers = pd.read_csv(path, nrows=0).columns.difference(TEXT)
        texts = dict.fromkeys(TEXT, str)
        empty = dict.fromkeys(numbers, ("",))
        rows = pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=empty)
    except FileNotFoundError:
        raise UserError(
            f"{path}: no such file; run the workflow to compute the metrics first"
        ) from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise UserError(f"{path}: invalid CSV ({error}); compute the metrics again") from None
    for column in numbers:
        rows[column] = pd.to_numeric(rows[column])  # also where there is no row
    return rows


# Columns: value with its interval, the n scored and the expected number of samples (or groups).
SUMMARY = ("model", "measure", "value", "low", "high", "n", "expected")
# A further column where some models' scores are released ones: see ``scores.with_prompts``.
PROMPTS = "prompts"
# A further column where full marks are impossible: the highest possible value.
HIGHEST = "highest"
# A further column of measures with a baseline: the difference from it (docs/baseline.md).
ABOVE_BASELINE = "above_baseline"
# Further columns of measures with an effective context length: it and its 95 % range.
EFFECTIVE = ("effective_context_length", "effective_context_length_range")
# Further columns with their defaults: those above, and for compared models those of ``ties``, the
# number of clusters, the sampling units, and the minimum detectable difference.
FURTHER = {
    PROMPTS: OWN,
    **dict.fromkeys((*TIES, "sampled", *EFFECTIVE), ""),
    **dict.fromkeys(
        ("clusters", "minimum_detectable_difference", HIGHEST, ABOVE_BASELINE), math.nan
    ),
}


def read_summary(path: Path) -> pd.DataFrame:
    """A summary file's rows, with all further columns; raises ``UserError`` where it is damaged."""
    rows = read_csv(path)
    for column in SUMMARY:
        if column not in rows:
            raise UserError(f"{path}: column {column!r} is missing; compute the metrics again")
    twice = rows[rows.duplicated(["model", "measure"])]
    if len(twice):
        model, measure = twice.iloc[0][["model", "measure"]]
        raise UserError(
            f"{path}: duplicate rows of {measure} of model {model!r}; compute the metrics again"
        )
    summary = rows[list(SUMMARY)].copy()
    for column, default in FURTHER.items():
        summary[column] = rows.get(column, default)
    return summary
