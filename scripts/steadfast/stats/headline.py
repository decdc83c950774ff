"""What each benchmark hands over to the report: its main measures, a row a model and measure."""

import math
from pathlib import Path

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.contract.records import OWN
from steadfast.stats.tidy import read_csv
from steadfast.stats.ties import COLUMNS as TIES

HEADLINE = ("model", "measure", "value", "low", "high", "n", "expected")
"""Columns: value with its interval, and of the expected samples (or groups) the n behind it."""
PROMPTS = "prompts"
"""A further column where some models' scores are released ones: see ``asked``."""
HIGHEST = "highest"
"""A further column where no answers can have full marks: the highest value that they can have."""
ABOVE_FLOOR = "above_floor"
"""A further column of the measure that has a floor: what a value adds to it (docs/floor.md)."""
FURTHER = {
    PROMPTS: OWN,
    **dict.fromkeys((*TIES, "drawn"), ""),
    **dict.fromkeys(("smallest", HIGHEST, ABOVE_FLOOR), math.nan),
}
"""Further columns and what they hold where they are missing: those above, and where models are
compared what ``ties`` says, what was drawn and how many, and the smallest difference that could be
told."""


def read_headline(path: Path) -> pd.DataFrame:
    """Returns a headline file's columns; a ``UserError`` says what is wrong with it."""
    rows = read_csv(path)
    lacking = [column for column in HEADLINE if column not in rows]
    if lacking:
        raise UserError(f"{path}: column {lacking[0]!r} is missing; compute the metrics again")
    twice = rows[rows.duplicated(["model", "measure"])]
    if len(twice):
        model, measure = twice.iloc[0][["model", "measure"]]
        raise UserError(
            f"{path}: {measure} of model {model!r} is there twice; compute the metrics again"
        )
    return rows[list(HEADLINE)].assign(**{name: rows.get(name, of) for name, of in FURTHER.items()})
