"""What a benchmark's tables and figures show: frames of metrics, words, and the models."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pandas as pd

from steadfast.contract.components import Frames
from steadfast.show.cells import CellsByModel, Values, count_cell, value_cells
from steadfast.show.roster import NOTES, STRINGS, Display, Group, Roster
from steadfast.show.table import Cell, Column, Mark, Section, Subject, Table, rounded, styles
from steadfast.stats.intervals import SIGNIFICANT
from steadfast.stats.pairs import median_detectable_difference
from steadfast.stats.scores import models_by_prompts
from steadfast.stats.ties import FEWEST_FOR_BOLD, smallest_p

Note = tuple[Mark | Subject | None, str]
ENOUGH_MODELS = 10  # models from which on a correlation over them is more than a hint
# Responses that are scored and yet worth a look, by column of coverage.
ANSWERS = STRINGS["answers"]
ANSWER_COLUMNS = tuple(Column(text, STRINGS["responses"], "r") for text in ANSWERS.values())
ANSWER_NOTE: Note = (None, NOTES["answers"])
TIE_NOTE: Note = (None, NOTES["ties"])  # what bold means in a column
P_DIGITS = 4
NAMES_LISTED = 3  # names that are listed of those that have one value, at most


class Results:
    """Metrics of the models, and how they are shown.

    Attributes:
        prefix: before the names of the benchmark's tables.

    Args:
        frames: of metrics by name; ``coverage`` names the models.
        display: how models are shown.
        words: the benchmark's strings, with captions and notes.
        slots: words that captions have slots for.
        otherwise: a note on how the paper's numbers were judged, where the run's judge differs.
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
        self.frames = frames
        self.display = display
        self.words = words
        self.slots = slots or {}
        self._otherwise = otherwise
        prompts = models_by_prompts(frames["coverage"])
        self.roster = Roster(prompts, display, prompts)

    @property
    def digits(self) -> int:
        """The decimals of printed scores."""
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
        rows = tuple(sections)
        unit = self.words["sampling_unit"]["unit"]
        caption = self.caption(name, **slots)
        all_notes = without_bold(notes, rows, unit)
        return Table(self.prefix + name, caption, tuple(columns), rows, all_notes)

    def cells(self, columns: Iterable[Values]) -> CellsByModel:
        """Returns the cells of each model, a column a cell."""
        return value_cells(self.roster, columns, self.digits)

    def label(self, model: str, repeated: bool = False) -> Cell:
        """Returns a model's name."""
        return Cell(self.roster.label(model), repeated=repeated)

    def answer_cells(self, model: str, counts: Mapping[str, int]) -> list[Cell]:
        """Returns the cells of ``ANSWER_COLUMNS``; dashes where there are scores alone."""
        if self.roster.is_released(model):
            return [Cell(None)] * len(ANSWERS)
        return [count_cell(counts[name]) for name in ANSWERS]

    def sections(
        self, groups: Iterable[Group], row: Callable[[str], Sequence[Cell]]
    ) -> tuple[Section, ...]:
        """Returns a section a group, a row a model: its name, and what ``row`` gives."""
        sections = []
        for group in groups:
            rows = [(self.label(model), *row(model)) for model in group.models]
            sections.append(group.section(rows))
        return tuple(sections)

    def published_notes(self, note: str) -> list[Note]:
        """Returns the notes on a paper's printed numbers, and on their judge."""
        return [("data", text) for text in (note, self._otherwise) if text]

    def incomplete_notes(self, counts: Iterable[tuple[Mapping[str, str], int, int]]) -> list[Note]:
        """Returns the note that explains the mark of incomplete values, where there are some."""
        texts = self.words["notes"]
        models = []
        for slots, scored, expected in counts:
            if scored < expected:
                numbers = {"scored": f"{scored:,}", "expected": f"{expected:,}"}
                models.append(texts["incomplete_model"].format(**numbers, **slots))
        if not models:
            return []
        return [("incomplete", texts["incomplete"].format(models="; ".join(models)))]

    def incomplete_model_notes(self, coverage: pd.DataFrame) -> list[Note]:
        """Returns that note, of expected and scored responses by model (the index)."""
        counts = []
        for model, scored, expected in coverage[["scored", "expected"]].itertuples():
            counts.append(({"model": self.roster.label(model)}, scored, expected))
        return self.incomplete_notes(counts)

    def tie_notes(self) -> list[Note]:
        """Returns what bold means in a column, and the sampling units."""
        return [TIE_NOTE, *self.sampling_notes()]

    def untested_notes(self) -> list[Note]:
        """Returns that no value is tested, and the sampling units."""
        return [(None, NOTES["untested"]), *self.sampling_notes()]

    def sampling_notes(self) -> list[Note]:
        """Returns the sampling units and their numbers."""
        words = self.words["sampling_unit"]
        units = self.frames["sampling_units"]
        counts = []
        for part, rows in units.groupby("part", sort=False):
            counts.append(self._sampled(str(part), rows["clusters"]))
        notes: list[Note] = [("sampling", NOTES["sampled"].format(counts="; ".join(counts)))]
        if "alone" in words and (units["clusters"] == 1).any():
            notes.append(("sampling", words["alone"]))
        return notes

    def _sampled(self, part: str, clusters: pd.Series) -> str:
        words = self.words["sampling_unit"]
        slots = {"unit": words["unit"], "stratum": words["stratum"], "each": range_text(clusters)}
        form = "count_each" if words["stratum"] and len(clusters) > 1 else "count"
        count: str = STRINGS[form].format(n=f"{clusters.sum():,}", **slots)
        return self._of_part(part, count) if part else count

    def _of_part(self, part: str, value: str) -> str:
        name = self.words.get("languages", {}).get(part, part)
        form: str = STRINGS["by_part"]
        return form.format(part=name, count=value)

    def rank_notes(
        self,
        measure: str,
        comparisons: Mapping[str, pd.DataFrame] | pd.DataFrame,
    ) -> list[Note]:
        """Returns what ranges of ranks mean, and the minimum detectable difference.

        ``comparisons`` are of the measure, or by name of each part in which models are ranked.
        """
        by_part = {"": comparisons} if isinstance(comparisons, pd.DataFrame) else comparisons
        tested = {name: rows for name, rows in by_part.items() if rows["p_adjusted"].notna().any()}
        if not tested:
            return []
        notes: list[Note] = [(None, NOTES["ranks"].format(measure=measure))]
        differences = []
        for part, rows in tested.items():
            smallest = median_detectable_difference(rows)
            if not math.isnan(smallest):
                difference = str(rounded(smallest, self.digits))
                several = len(by_part) > 1
                differences.append(self._of_part(part, difference) if several else difference)
        if differences:
            form = NOTES["minimum_detectable_difference"]
            text = form.format(measure=measure, differences=", ".join(differences))
            notes.append(("sampling", text))
        return notes

    def shared_notes(self, judged: bool) -> list[Note]:
        """Returns the notes that ``shared_notes`` has on these models."""
        return shared_notes(self.roster, judged)


def range_text(values: pd.Series, digits: int = 0) -> str:
    """Returns the least and the greatest of some values, or the one that all are; 0 for none."""
    if not len(values):
        return "0"
    lowest = rounded(values.min(), digits)
    highest = rounded(values.max(), digits)
    form: str = "{most}" if lowest == highest else STRINGS["range"]
    return form.format(least=lowest, most=highest)


def without_bold(notes: Iterable[Note], sections: Iterable[Section], unit: str) -> tuple[Note, ...]:
    """Returns notes in which that on bold says that nothing is bold, where that is so."""
    if "best" in styles(sections):
        return tuple(notes)
    no_bold: Note = (None, NOTES["no_bold"].format(bold=FEWEST_FOR_BOLD, unit=unit))
    return tuple(no_bold if note == TIE_NOTE else note for note in notes)


def shared_notes(roster: Roster, judged: bool) -> list[Note]:
    """Returns notes on released scores, whose verdicts count, and that no real model competes."""
    notes: list[Note] = []
    if roster.apart or roster.released:
        notes.append(("data", NOTES["apart" if roster.apart else "released"]))
    if judged and roster.judge_note:
        notes.append(("data", roster.judge_note))
    if roster.has_no_real_model:
        notes.append(("data", NOTES["simulated"]))
    return notes


def range_notes(
    roster: Roster, measure: str, values: Mapping[str, float], digits: int
) -> list[Note]:
    """Returns the highest and the lowest value of the models that compete, where one has any."""
    named = [(roster.label(model), values[model]) for model in roster.contenders_among(values)]
    return range_note(measure, named, digits)


def range_note(measure: str, named: Iterable[tuple[str, float]], digits: int) -> list[Note]:
    """Returns the lowest and the highest of some named values, if any; one where all are equal."""
    ends = extremes(named, digits)
    if not ends:
        return []
    slots = {"measure": measure[0].upper() + measure[1:], "lowest": ends[0], "highest": ends[-1]}
    return [(None, NOTES["range" if len(ends) > 1 else "single"].format(**slots))]


def unseen_share(clusters: int) -> float:
    """Returns the share of clusters that may fail with none of the sampled ones failing.

    None of so many would fail in 5 of 100 samples: 1 − .05^(1 ÷ clusters) (Clopper and Pearson).

    >>> round(unseen_share(6), 2), round(unseen_share(28), 2)
    (0.39, 0.1)
    """
    return float(1 - SIGNIFICANT ** (1 / clusters))


def few_models_notes(counts: Iterable[int]) -> list[Note]:
    """Returns what correlations over few models are worth at best, of the counts of models."""
    smallest = []
    for n in sorted(set(counts)):
        if n < ENOUGH_MODELS:
            smallest.append(NOTES["smallest_p"].format(n=n, p=rounded(smallest_p(n), P_DIGITS)))
    if not smallest:
        return []
    slots = {"found": "; ".join(smallest), "enough": ENOUGH_MODELS}
    return [(None, NOTES["few_models"].format(**slots))]


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
    return [f"{end} ({listed_names(by_value[end])})" for end in dict.fromkeys(ends)]


def listed_names(names: Sequence[str]) -> str:
    """Returns names for a sentence, the first few of many.

    >>> listed_names(["a", "b", "c"]), listed_names(["a", "b", "c", "d"])
    ('a, b, c', 'a, b, c and 1 more')
    """
    further = len(names) - NAMES_LISTED
    first_names = ", ".join(names[:NAMES_LISTED])
    return f"{first_names} and {further} more" if further > 0 else first_names


def incomplete_models(rows: pd.DataFrame, column: str = "n") -> set[str]:
    """Returns the models with fewer than expected in a column, of rows with one a model."""
    return set(rows.loc[rows[column] < rows["expected"], "model"])


def values_by_model(rows: pd.DataFrame, column: str = "value") -> dict[str, float]:
    """Returns the value by model of rows with one a model, without those that have none."""
    values: dict[str, float] = rows.set_index("model")[column].dropna().to_dict()
    return values
