"""What ComplexBench's tables and figures show: results with their order, notes and headings."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import pandas as pd

from steadfast.base.resources import facts
from steadfast.benchmarks.complexbench.facts import WHOLE
from steadfast.contract.components import Frames
from steadfast.show import cells as show
from steadfast.show.results import Note, Results, incomplete_models, values_by_model
from steadfast.show.roster import STRINGS as SHARED
from steadfast.show.roster import Display, Group
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stats.tidy import rows_of
from steadfast.stats.ties import NO_TIES, Ties

LAYOUT = facts("complexbench/tables.yaml")
LANGUAGE = Column("Language", align="l")


class ShownMeasure(NamedTuple):
    """One column of values."""

    column: Column  # its heading
    # of the rows of a metrics file that it shows, of which each model has one at most
    keys: Mapping[str, str]
    tested: bool = False  # whether models are compared in it: keys measure and category say in what


class ComplexbenchResults(Results):
    """ComplexBench's metrics of the models, and how they are shown."""

    prefix = "complexbench_"

    def __init__(self, frames: Frames, display: Display, mode: str, languages: Sequence[str]):
        super().__init__(frames, display, LAYOUT, {"mode": LAYOUT["modes"][mode]})
        self.mode = mode
        self.languages = list(languages)

    def groups(self) -> list[Group]:
        """Returns the roster's groups, by falling overall DRFR in the first language."""
        rows = rows_of(self.frames["drfr"], measure="overall", language=self.languages[0])
        return self.roster.groups(values_by_model(rows))

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """Explanations of the marks that occur, and whose verdicts count."""
        whole_split = rows_of(self.frames["coverage"], split=WHOLE)
        counts = whole_split.groupby("model")[["scored", "expected"]].sum().astype(int)
        return (*self.incomplete_model_notes(counts), *self.shared_notes(judged=True))

    def by_model(
        self,
        name: str,
        measures: Sequence[ShownMeasure],
        frame: str,
        notes: Iterable[str] = (),
        languages: Sequence[str] = (),
        ranked: ShownMeasure | None = None,
    ) -> Table:
        """Returns a table with a row a model, and each language in turn where there are several."""
        languages = languages or self.languages
        several = len(self.languages) > 1
        cells = {lang: self._cells(measures, frame, lang, ranked) for lang in languages}

        def rows(model: str) -> Iterator[tuple[Cell, ...]]:
            for language in languages:
                yield (*([Cell(language)] if several else []), *cells[language][model])

        columns = (
            *((show.MODEL, LANGUAGE) if several else (show.MODEL,)),
            *(measure.column for measure in measures),
            *([Column(SHARED["interval"]), Column(SHARED["ranks"])] if ranked else []),
        )
        tested = any(measure.tested for measure in measures)
        all_notes = [*self.notes, *((None, note) for note in notes)]
        all_notes += self.tie_notes() if tested else self.untested_notes()
        if ranked:
            comparisons = {language: self._pairs(ranked, language) for language in languages}
            all_notes += self.rank_notes(LAYOUT["ranked"], comparisons)
        return self.table(name, columns, self.rows_by_group(rows), all_notes)

    def _cells(
        self,
        measures: Sequence[ShownMeasure],
        frame: str,
        language: str,
        ranked: ShownMeasure | None,
    ) -> show.CellsByModel:
        rows = rows_of(self.frames[frame], language=language)
        columns = []
        for measure in measures:
            measure_rows = rows_of(rows, **measure.keys)
            values = values_by_model(measure_rows)
            ties = self._ties(measure, language)
            columns.append(show.Values(values, incomplete_models(measure_rows), ties))
        cells = self.cells(columns)
        if not ranked:
            return cells
        last_rows = rows_of(rows, **measures[-1].keys)
        ends = show.interval_cells(last_rows, self.roster.models, self.digits)
        ties = self._ties(ranked, language)
        ranks = show.rank_cells(self.roster, ties, values_by_model(last_rows))
        return show.joined_cells([cells, ends, ranks])

    def _pairs(self, measure: ShownMeasure, language: str) -> pd.DataFrame:
        keys = {"measure": measure.keys["measure"], "category": list(measure.keys.values())[-1]}
        return rows_of(self.frames["comparisons"], language=language, **keys)

    def _ties(self, measure: ShownMeasure, language: str) -> Ties:
        return Ties.of(self._pairs(measure, language)) if measure.tested else NO_TIES

    def rows_by_group(self, rows: Callable[[str], Iterable[Sequence[Cell]]]) -> tuple[Section, ...]:
        """Returns a section a group, and in it each model's rows behind its name."""
        sections = []
        for group in self.groups():
            labelled = []
            for model in group.models:
                for number, cells in enumerate(rows(model)):
                    labelled.append((self.label(model, repeated=number > 0), *cells))
            sections.append(group.section(labelled))
        return tuple(sections)


def heading(key: str) -> str:
    """Returns how a key of the metrics is shown."""
    headings: Mapping[str, str] = LAYOUT["headings"]
    return headings.get(key, key)
