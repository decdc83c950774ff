"""What the tables show, looked up from the metrics files."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.complexbench.scored import WHOLE
from steadfast.complexbench.taxonomy import read_yaml
from steadfast.metrics.tidy import read_csv
from steadfast.tables.roster import Group, Roster
from steadfast.tables.table import Cell, Column, Mark, Section, Table, highlights, rounded

LAYOUT: dict[str, Any] = read_yaml("tables.yaml")
PREFIX = "complexbench_"
MODEL = Column("Model", align="l")
LANGUAGE = Column("Language", align="l")


@dataclass(frozen=True)
class Measure:
    """One column of values.

    Attributes:
        column: its heading.
        rows: of a metrics file, one a model at most; with value, n and expected.
        smaller: whether a smaller value is better.
        ranked: whether best and second best are picked out.
        ends: whether the interval is shown instead of the value.
    """

    column: Column
    rows: pd.DataFrame
    smaller: bool = False
    ranked: bool = True
    ends: bool = False


class Results:
    """Metrics of the models, and how they are shown.

    Args:
        metrics: the files of ``complexbench.metrics`` by name.
        display: digits, labels and groups by model, group_order, engines by model.
        settings: ``mode``, and ``languages``, the first of which orders models.

    Raises:
        UserError: a file is missing or damaged.
    """

    def __init__(
        self, metrics: Mapping[str, Path], display: Mapping[str, Any], settings: Mapping[str, Any]
    ):
        self._metrics = metrics
        self.languages: list[str] = list(settings["languages"])
        self.mode: str = settings["mode"]
        self.digits: int = display.get("digits", 3)
        self.coverage = read_csv(metrics["coverage"])
        self.roster = Roster(set(self.coverage["model"]), display)

    def read(self, name: str) -> pd.DataFrame:
        """A metrics file."""
        return read_csv(self._metrics[name])

    @cached_property
    def drfr(self) -> pd.DataFrame:
        """DRFR, overall and by what instructions are."""
        return self.read("drfr")

    @cached_property
    def constraints(self) -> pd.DataFrame:
        """Accuracy by what questions are about."""
        return self.read("constraints")

    def caption(self, name: str) -> str:
        """A table's caption, with what the mode has to say."""
        return LAYOUT["captions"][name].format(mode=LAYOUT["modes"][self.mode])

    def groups(self) -> list[Group]:
        """The roster's groups, by falling overall DRFR in the first language."""
        rows = self.drfr[self.drfr["measure"] == "overall"]
        rows = rows[rows["language"] == self.languages[0]]
        return self.roster.groups(dict(zip(rows["model"], rows["value"], strict=True)))

    @cached_property
    def notes(self) -> tuple[tuple[Mark | None, str], ...]:
        """Explanations of the marks that occur."""
        texts, notes = LAYOUT["notes"], []
        whole = self.coverage[self.coverage["split"] == WHOLE]
        counts = whole.groupby("model")[["expected", "scored"]].sum()
        incomplete = [
            texts["incomplete_model"].format(
                model=self.roster.label(model), scored=f"{scored:,}", expected=f"{expected:,}"
            )
            for model, expected, scored in counts.astype(int).itertuples()
            if scored < expected
        ]
        if incomplete:
            notes.append(("incomplete", texts["incomplete"].format(models="; ".join(incomplete))))
        if judge := self.roster.judge_note:
            notes.append((None, judge))
        if {self.roster.kind(model) for model in self.roster.contenders} == {"simulated"}:
            notes.append((None, texts["simulated"]))
        return tuple(notes)


def heading(key: str) -> str:
    """How a key of the metrics is shown."""
    return LAYOUT["headings"].get(key, key)


def by_model(
    results: Results,
    name: str,
    measures: Callable[[str], Sequence[Measure]],
    notes: Iterable[str] = (),
    languages: Sequence[str] = (),
) -> Table:
    """A table with a row a model, and each language in turn where there are several.

    Args:
        measures: those of the columns in a language, of the same columns in each.
        notes: sentences besides those on marks.
        languages: that have rows; by default all.
    """
    languages = languages or results.languages
    several = len(results.languages) > 1
    by_language = {language: list(measures(language)) for language in languages}
    cells = {language: _cells(results, found) for language, found in by_language.items()}
    sections = tuple(
        Section(
            tuple(
                (
                    Cell(results.roster.label(model), repeated=number > 0),
                    *([Cell(language)] if several else []),
                    *cells[language][model],
                )
                for model in group.models
                for number, language in enumerate(languages)
            ),
            group_heading(group),
            group.apart,
        )
        for group in results.groups()
    )
    columns = (
        MODEL,
        *([LANGUAGE] if several else []),
        *(measure.column for measure in by_language[languages[0]]),
    )
    return Table(
        PREFIX + name,
        results.caption(name),
        columns,
        sections,
        (*results.notes, *((None, note) for note in notes)),
    )


def _cells(results: Results, measures: Sequence[Measure]) -> dict[str, tuple[Cell, ...]]:
    """The cells of each model, best and second best of a column picked out."""
    cells: dict[str, tuple[Cell, ...]] = dict.fromkeys(results.roster.models, ())
    for measure in measures:
        rows = measure.rows.set_index("model")
        if measure.ends:
            for model in cells:
                cells[model] += (_interval(rows, model, results.digits),)
            continue
        shown = {m: rounded(value, results.digits) for m, value in rows["value"].items()}
        competing = results.roster.contenders if measure.ranked else []
        styles = highlights(shown, competing, measure.smaller)
        for model in cells:
            text = str(shown[model]) if model in shown else None
            short = model in shown and rows.at[model, "n"] < rows.at[model, "expected"]
            marks: tuple[Mark, ...] = ("incomplete",) if short else ()
            cells[model] += (Cell(text, styles.get(model, ""), marks=marks),)
    return cells


def _interval(rows: pd.DataFrame, model: str, digits: int) -> Cell:
    if model not in rows.index or math.isnan(rows.at[model, "low"]):
        return Cell(None)
    low, high = (rounded(rows.at[model, end], digits) for end in ("low", "high"))
    return Cell(f"{low} to {high}")


def group_heading(group: Group) -> str:
    """A group's heading, which says so where its members are no real models."""
    return LAYOUT["apart"][group.kind].format(group=group.heading) if group.apart else group.heading
