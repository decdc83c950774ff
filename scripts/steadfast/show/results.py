"""What a benchmark's tables and figures show: frames of metrics, words, and the models."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import pandas as pd

from steadfast.components import Frames
from steadfast.metrics.asked import models_by_prompts
from steadfast.show.cells import CellsByModel, Values, value_cells
from steadfast.show.display import Display
from steadfast.show.roster import WORDS, Group, Roster
from steadfast.tables.table import Cell, Column, Mark, Section, Table

Note = tuple[Mark | None, str]


class Results:
    """Metrics of the models, and how they are shown.

    Attributes:
        prefix: before the names of the benchmark's tables.

    Args:
        frames: of metrics by name; ``coverage`` names the models.
        display: how models are shown.
        words: the benchmark's wording, with captions and notes.
        slots: words that captions have slots for.
    """

    prefix: ClassVar[str]

    def __init__(
        self,
        frames: Frames,
        display: Display,
        words: Mapping[str, Any],
        slots: Mapping[str, str] | None = None,
    ):
        self.frames, self.display, self.words = frames, display, words
        self._slots = slots or {}
        self.roster = roster_of(frames, display)

    @property
    def digits(self) -> int:
        """Decimals of printed scores."""
        return self.display.digits

    def caption(self, name: str, **slots: str) -> str:
        """A table's caption, with its slots filled."""
        return self.words["captions"][name].format(**{**self._slots, **slots})

    def table(
        self,
        name: str,
        columns: Iterable[Column],
        sections: Iterable[Section],
        notes: Iterable[Note] = (),
        **slots: str,
    ) -> Table:
        """A table under its caption, with the caption's slots filled."""
        parts = (tuple(columns), tuple(sections), tuple(notes))
        return Table(self.prefix + name, self.caption(name, **slots), *parts)

    def cells(self, columns: Iterable[Values]) -> CellsByModel:
        """The cells of each model, a column a cell."""
        return value_cells(self.roster, columns, self.digits)

    def label(self, model: str, repeated: bool = False) -> Cell:
        """A model's name."""
        return Cell(self.roster.label(model), repeated=repeated)

    def sections(
        self, groups: Iterable[Group], row: Callable[[str], Sequence[Cell]]
    ) -> tuple[Section, ...]:
        """A section a group, a row a model: its name, and what ``row`` gives."""
        return tuple(
            Section(
                tuple((self.label(model), *row(model)) for model in group.models),
                group.full_heading,
                group.unranked,
            )
            for group in groups
        )

    def incomplete_notes(self, counts: Iterable[tuple[Mapping[str, str], int, int]]) -> list[Note]:
        """The note that explains the mark of incomplete values, where there are some.

        Args:
            counts: what ``incomplete_model`` has slots for, scored and expected of each model.
        """
        words = self.words["notes"]
        found = [
            words["incomplete_model"].format(
                scored=f"{scored:,}", expected=f"{expected:,}", **slots
            )
            for slots, scored, expected in counts
            if scored < expected
        ]
        return (
            [("incomplete", words["incomplete"].format(models="; ".join(found)))] if found else []
        )

    def shared_notes(self, judged: bool) -> list[Note]:
        """What ``shared_notes`` says of these models."""
        return shared_notes(self.roster, judged)


def roster_of(frames: Frames, display: Display) -> Roster:
    """All models that the metrics ``coverage`` names."""
    prompts = models_by_prompts(frames["coverage"])
    return Roster(prompts, display, prompts)


def shared_notes(roster: Roster, judged: bool) -> list[Note]:
    """Who answered other prompts, whose verdicts count, that no real model competes, where so."""
    notes: list[Note] = []
    if roster.apart:
        notes.append((None, WORDS["notes"]["apart"]))
    if judged and (judge := roster.judge_note):
        notes.append((None, judge))
    if roster.no_real_model:
        notes.append((None, WORDS["notes"]["simulated"]))
    return notes


def incomplete_models(rows: pd.DataFrame) -> set[str]:
    """The models whose n is smaller than expected, of rows with one a model."""
    return set(rows.loc[rows["n"] < rows["expected"], "model"])


def values_by_model(rows: pd.DataFrame, column: str = "value") -> dict[str, float]:
    """Value by model of rows with one a model, without those that have none."""
    known = rows[rows[column].notna()]
    return dict(zip(known["model"], known[column], strict=True))
