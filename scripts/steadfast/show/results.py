"""What a benchmark's tables and figures show: frames of metrics, words, and the models."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pandas as pd

from steadfast.contract.components import Frames
from steadfast.show.cells import CellsByModel, Values, count_cell, value_cells
from steadfast.show.roster import NOTES, STRINGS, Display, Group, Roster
from steadfast.show.table import Cell, Column, Mark, Section, Table, rounded
from steadfast.stats.intervals import SIGNIFICANT
from steadfast.stats.pairs import smallest_of
from steadfast.stats.scores import models_by_prompts
from steadfast.stats.step_down import FEWEST
from steadfast.stats.ties import FEWEST_FOR_BOLD, smallest_p

Note = tuple[Mark | None, str]
ENOUGH_MODELS = 10
"""Models from which on a correlation over them is more than a hint."""
ANSWERS = STRINGS["answers"]
"""Answers of which a reader should know though they have a score, by column of coverage."""
ANSWER_COLUMNS = tuple(Column(heading, "Answers", "r") for heading in ANSWERS.values())
ANSWER_NOTE: Note = (None, NOTES["answers"])
P_DIGITS = 4
NAMES_LISTED = 3
"""Names that are listed of those that have one value, at most."""


class Results:
    """Metrics of the models, and how they are shown.

    Attributes:
        prefix: before the names of the benchmark's tables.

    Args:
        frames: of metrics by name; ``coverage`` names the models.
        display: how models are shown.
        words: the benchmark's wording, with captions and notes.
        slots: words that captions have slots for.
        otherwise: how the paper's printed numbers were judged otherwise than the run's, if so.
    """

    prefix: str

    def __init__(
        self,
        frames: Frames,
        display: Display,
        words: Mapping[str, Any],
        slots: Mapping[str, str] | None = None,
        otherwise: str = "",
    ):
        self.frames, self.display, self.words = frames, display, words
        self.slots, self._otherwise = slots or {}, otherwise
        prompts = models_by_prompts(frames["coverage"])
        self.roster = Roster(prompts, display, prompts)

    @property
    def digits(self) -> int:
        """Returns the decimals of printed scores."""
        return self.display.digits

    def caption(self, name: str, **slots: str) -> str:
        """Returns a table's caption, with its slots filled."""
        form: str = self.words["captions"][name]
        return form.format(**{**self.slots, **slots})

    def table(
        self,
        name: str,
        columns: Iterable[Column],
        sections: Iterable[Section],
        notes: Iterable[Note] = (),
        **slots: str,
    ) -> Table:
        """Returns a table under its caption, with the caption's slots filled."""
        shown = tuple(sections)
        told = without_bold(notes, shown, self.roster, self.words["sampling_unit"]["unit"])
        caption = self.caption(name, **slots)
        return Table(self.prefix + name, caption, tuple(columns), shown, told)

    def cells(self, columns: Iterable[Values]) -> CellsByModel:
        """Returns the cells of each model, a column a cell."""
        return value_cells(self.roster, columns, self.digits)

    def label(self, model: str, repeated: bool = False) -> Cell:
        """Returns a model's name."""
        return Cell(self.roster.label(model), repeated=repeated)

    def answer_cells(self, model: str, counts: Mapping[str, int]) -> list[Cell]:
        """Returns the cells of ``ANSWER_COLUMNS``; dashes where the answers are not known."""
        known = not self.roster.is_released(model)
        return [count_cell(counts[name]) if known else Cell(None) for name in ANSWERS]

    def sections(
        self, groups: Iterable[Group], row: Callable[[str], Sequence[Cell]]
    ) -> tuple[Section, ...]:
        """Returns a section a group, a row a model: its name, and what ``row`` gives."""
        return tuple(
            group.section((self.label(model), *row(model)) for model in group.models)
            for group in groups
        )

    def published_notes(self, note: str) -> list[Note]:
        """Returns the note on a paper's printed numbers, and how they were judged otherwise."""
        return [(None, text) for text in (note, self._otherwise) if text]

    def incomplete_notes(self, counts: Iterable[tuple[Mapping[str, str], int, int]]) -> list[Note]:
        """Returns the note that explains the mark of incomplete values, where there are some."""
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

    def incomplete_model_notes(self, coverage: pd.DataFrame) -> list[Note]:
        """Returns that note for rows a model, whose index they are, with expected and scored."""
        counts = coverage[["scored", "expected"]].itertuples()
        return self.incomplete_notes(
            ({"model": self.roster.label(model)}, scored, expected)
            for model, scored, expected in counts
        )

    def tie_notes(self) -> list[Note]:
        """Returns what bold says in a column, and what was drawn."""
        return [tie_note(self.roster, self.words["sampling_unit"]["unit"]), *self.sampling_notes()]

    def untested_notes(self) -> list[Note]:
        """Returns that a table has no bold, and what was drawn."""
        untested: list[Note] = [] if self.roster.as_printed else [(None, NOTES["untested"])]
        return [*untested, *self.sampling_notes()]

    def sampling_notes(self) -> list[Note]:
        """Returns what was drawn and how many, and what intervals and p-values cover."""
        words, parts = (
            self.words["sampling_unit"],
            self.frames["sampling_units"].groupby("part", sort=False),
        )
        counts = (self._drawn(str(part), rows["clusters"]) for part, rows in parts)
        least = int(parts["clusters"].sum().min())
        note = NOTES["sampled"].format(
            counts="; ".join(counts),
            unit=words["unit"],
            fixed=words["fixed"],
            unseen=rounded(100 * unseen(least), 0),
            n=f"{least:,}",
        )
        notes: list[Note] = [(None, note)]
        if "alone" in words and (self.frames["sampling_units"]["clusters"] == 1).any():
            notes.append((None, words["alone"]))
        return notes

    def _drawn(self, part: str, clusters: pd.Series) -> str:
        words = self.words["sampling_unit"]
        slots = {"unit": words["unit"], "stratum": words["stratum"], "each": spanned(clusters)}
        form = "count_each" if words["stratum"] and len(clusters) > 1 else "count"
        count: str = STRINGS[form].format(n=f"{clusters.sum():,}", **slots)
        name = self.words.get("languages", {}).get(part, part)
        by_part: str = STRINGS["by_part"]
        return by_part.format(part=name, count=count) if part else count

    def rank_notes(self, measure: str, rows: pd.DataFrame, digits: int | None = None) -> list[Note]:
        """Returns what ranges of ranks say, and the smallest difference told apart."""
        if rows["p_adjusted"].isna().all():
            return []
        notes: list[Note] = [(None, NOTES["ranks"].format(measure=measure))]
        smallest = smallest_of(rows)
        if not math.isnan(smallest):
            shown = rounded(smallest, self.digits if digits is None else digits)
            slots = {
                "measure": measure,
                "pairs": f"{len(rows):,}",
                "minimum_detectable_difference": shown,
            }
            notes.append((None, NOTES["minimum_detectable_difference"].format(**slots)))
        return notes

    def shared_notes(self, judged: bool) -> list[Note]:
        """Returns what ``shared_notes`` says of these models."""
        return shared_notes(self.roster, judged)


def spanned(counts: pd.Series) -> str:
    """Returns the least and the greatest of some counts, or the one that all are; 0 for none."""
    least, most = (f"{counts.agg(end) if len(counts) else 0:.0f}" for end in ("min", "max"))
    return most if least == most else str(STRINGS["range"].format(least=least, most=most))


def tie_note(roster: Roster, unit: str) -> Note:
    """Returns what bold says in a column, of models compared by so named clusters."""
    if roster.as_printed:
        return (None, NOTES["print_ties"])
    return (None, NOTES["ties"].format(bold=FEWEST_FOR_BOLD, fewest=FEWEST, unit=unit))


def without_bold(
    notes: Iterable[Note], sections: Iterable[Section], roster: Roster, unit: str
) -> tuple[Note, ...]:
    """Returns notes in which that on bold says that nothing is bold, where that is so."""
    rows = (row for section in sections for row in section.rows)
    if any(cell.style == "best" for row in rows for cell in row):
        return tuple(notes)
    about_bold = tie_note(roster, unit)
    nothing = NOTES["no_bold"].format(bold=FEWEST_FOR_BOLD, fewest=FEWEST, unit=unit)
    shorter = (None, nothing) if not roster.as_printed else about_bold
    return tuple(shorter if note == about_bold else note for note in notes)


def shared_notes(roster: Roster, judged: bool) -> list[Note]:
    """Returns notes on released scores, whose verdicts count, and that no real model competes."""
    notes: list[Note] = []
    if mark := "apart" if roster.apart else "released" if roster.released else None:
        notes.append((None, NOTES[mark]))
    if judged and (judge := roster.judge_note):
        notes.append((None, judge))
    if roster.no_real_model:
        notes.append((None, NOTES["simulated"]))
    return notes


def range_notes(
    roster: Roster, measure: str, values: Mapping[str, float], digits: int
) -> list[Note]:
    """Returns the highest and the lowest value of the models that compete, where one has any."""
    named = [(roster.label(m), values[m]) for m in roster.contenders if m in values]
    return range_note(measure, named, digits)


def range_note(measure: str, named: Iterable[tuple[str, float]], digits: int) -> list[Note]:
    """Returns the lowest and the highest of some named values, if any; one where all are equal."""
    ends = extremes(named, digits)
    if not ends:
        return []
    slots = {"measure": measure[0].upper() + measure[1:], "lowest": ends[0], "highest": ends[-1]}
    return [(None, NOTES["range" if len(ends) > 1 else "single"].format(**slots))]


def unseen(clusters: int) -> float:
    """Returns the share of clusters that may fail with none of the drawn ones failing.

    None of so many would fail in 5 of 100 draws: 1 − .05^(1 ÷ clusters) (Clopper and Pearson).

    >>> round(unseen(6), 2), round(unseen(28), 2)
    (0.39, 0.1)
    """
    return float(1 - SIGNIFICANT ** (1 / clusters))


def few_models_notes(counts: Iterable[int]) -> list[Note]:
    """Returns what correlations over few models are worth at best, of the counts of models."""
    few = sorted({n for n in counts if n < ENOUGH_MODELS})
    found = "; ".join(
        NOTES["smallest_p"].format(n=n, p=rounded(smallest_p(n), P_DIGITS)) for n in few
    )
    slots = {"found": found, "enough": ENOUGH_MODELS}
    return [(None, NOTES["few_models"].format(**slots))] if few else []


def extremes(named: Iterable[tuple[str, float]], digits: int) -> list[str]:
    """Returns the lowest and the highest value as they are printed, each with all that have it.

    >>> extremes([("a", 0.25), ("b", 0.5), ("c", 0.499)], 2)
    ['0.25 (a)', '0.50 (b, c)']
    >>> extremes([("a", 0.5), ("b", 0.5)], 1), extremes([], 1)
    (['0.5 (a, b)'], [])
    """
    by_value: dict[Decimal, list[str]] = {}
    for name, value in named:
        by_value.setdefault(rounded(value, digits), []).append(name)
    ends = [min(by_value), max(by_value)] if by_value else []
    return [f"{end} ({listed(by_value[end])})" for end in dict.fromkeys(ends)]


def listed(names: Sequence[str]) -> str:
    """Returns names for a sentence, the first few of many."""
    more = len(names) - NAMES_LISTED
    shown = ", ".join(names[:NAMES_LISTED])
    return f"{shown} and {more} more" if more > 0 else shown


def incomplete_models(rows: pd.DataFrame) -> set[str]:
    """Returns the models whose n is smaller than expected, of rows with one a model."""
    return set(rows.loc[rows["n"] < rows["expected"], "model"])


def values_by_model(rows: pd.DataFrame, column: str = "value") -> dict[str, float]:
    """Returns the value by model of rows with one a model, without those that have none."""
    known = rows[rows[column].notna()]
    return dict(zip(known["model"], known[column], strict=True))
