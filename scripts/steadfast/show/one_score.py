"""Results of one score an answer: tables of a row a model, and of a column a model.

Of many models a table with columns has those that rank best, so that a page has room.
"""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import pandas as pd

from steadfast.contract.components import Frames
from steadfast.show.cells import (
    MODEL,
    CellsByModel,
    Values,
    count_cell,
    interval_cells,
    joined_cells,
    rank_cells,
    share_cell,
)
from steadfast.show.results import ANSWER_COLUMNS, ANSWER_NOTE, Note, Results, values_by_model
from steadfast.show.roster import STRINGS, Display, Group, members
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stats.tidy import rows_of
from steadfast.stats.ties import NO_TIES, Ties

Line = tuple[str, pd.DataFrame]  # what a line of a table is of, and its values, one a model


class ModelsAcross(Results):
    """Results with such tables; the words have ``most_models``, a number and a note."""

    @property
    @abstractmethod
    def ranking(self) -> Mapping[str, float]:
        """The values by which models are ordered."""

    @cached_property
    def groups(self) -> list[Group]:
        """The roster's groups, models by falling value."""
        return self.roster.groups(self.ranking)

    @cached_property
    def shown_models(self) -> list[str]:
        """The models that have a column."""
        return self.best_models(self.words["most_models"])

    def best_models(self, most: int) -> list[str]:
        """Returns at most so many models, contenders first, then by falling value."""
        contenders = self.roster.contenders
        ordered = members(self.groups)
        best = sorted(ordered, key=lambda m: (m not in contenders, -self.ranking.get(m, -1.0)))
        return [model for model in ordered if model in best[:most]]

    def left_out(self, metric: str, models: Sequence[str] | None = None) -> list[Note]:
        """Returns a note on models that are not shown; by default those without a column."""
        shown = self.shown_models if models is None else models
        slots = {"shown": len(shown), "all": len(self.roster.models), "metric": metric}
        if slots["shown"] == slots["all"]:
            return []
        return [("data", self.words["notes"]["most_models"].format(**{**self.slots, **slots}))]

    def across(
        self,
        name: str,
        headings: tuple[str, str],
        sections: Iterable[tuple[str, Sequence[Line]]],
        incomplete: Collection[str],
        notes: Iterable[Note] = (),
        **slots: str,
    ) -> Table:
        """Returns a table with a column a model, whose lines begin with a label and the largest n.

        ``headings`` are those of the first two columns; ``incomplete`` models are marked; ``slots``
        fill the caption.
        """

        body = []
        for heading, lines in sections:
            cells = [self._line_cells(text, rows, incomplete) for text, rows in lines]
            if cells:
                body.append(Section(tuple(cells), heading))
        first, count = headings
        columns = [Column(first, align="l"), Column(count, align="r")]
        columns += [Column(self.roster.label(model)) for model in self.shown_models]
        remarks = [*notes, *self.untested_notes(), *self.left_out(name)]
        return self.table(name, columns, body, remarks, **slots)

    def _line_cells(
        self, text: str, rows: pd.DataFrame, incomplete: Collection[str]
    ) -> tuple[Cell, ...]:
        values = values_by_model(rows[rows["model"].isin(self.shown_models)])
        cells = self.cells([Values(values, incomplete)])
        model_cells = (cells[model][0] for model in self.shown_models)
        return (Cell(text), count_cell(rows["n"].max()), *model_cells)


class OneScore(ModelsAcross):
    """Results of a benchmark that has one score an answer, and ``ranking`` its mean.

    Its words have ``measure``, ``interval``, ``ranked``, ``count``, ``scored``, ``expected``, by
    column of ``coverage`` its heading, and the note ``statuses``.
    """

    def __init__(
        self,
        frames: Frames,
        display: Display,
        words: Mapping[str, Any],
        slots: Mapping[str, str],
        judged: bool,
    ):
        super().__init__(frames, display, words, slots)
        self._judged = judged
        self.coverage = frames["coverage"].set_index("model")

    @cached_property
    def incomplete(self) -> set[str]:
        """The models with fewer scored responses than expected."""
        return set(self.coverage.index[self.coverage["scored"] < self.coverage["expected"]])

    def notes(self) -> list[Note]:
        """Returns the notes on marks, and those that all tables have."""
        incomplete = self.incomplete_model_notes(self.coverage)
        return [*incomplete, *self.shared_notes(self._judged)]

    def column(self, rows: pd.DataFrame, ties: Ties = NO_TIES) -> CellsByModel:
        """Returns a column of values, of rows with one a model."""
        return self.cells([Values(values_by_model(rows), self.incomplete, ties=ties)])

    def with_interval(self, rows: pd.DataFrame, ties: Ties = NO_TIES) -> list[CellsByModel]:
        """Returns that column, and one of the values' intervals."""
        return [self.column(rows, ties), interval_cells(rows, self.roster.models, self.digits)]

    def results_table(
        self,
        means: pd.DataFrame,
        measures: Mapping[str, str],
        further: Sequence[tuple[Column, CellsByModel]] = (),
    ) -> Table:
        """Returns the table of the measures, with what cannot be ruled out as best, and all ranks.

        Args:
            means: rows with model and measure.
            measures: their headings, the main one first, by which models have ranks.
            further: columns before them.
        """
        words = self.words
        comparisons = self.frames["comparisons"]
        columns = [column for column, _ in further]
        cells = [column_cells for _, column_cells in further]
        for measure, heading in measures.items():
            rows = rows_of(means, measure=measure)
            ties = Ties.of(rows_of(comparisons, measure=measure))
            columns += [Column(heading), Column(words["interval"])]
            cells += self.with_interval(rows, ties)
        main = rows_of(comparisons, measure=next(iter(measures)))
        columns.append(Column(STRINGS["ranks"]))
        cells.append(rank_cells(self.roster, Ties.of(main), self.ranking))
        row = joined_cells(cells).__getitem__
        notes = [*self.notes(), *self.tie_notes(), *self.rank_notes(words["ranked"], main)]
        return self.table("results", (MODEL, *columns), self.sections(self.groups, row), notes)

    def untested_table(
        self, name: str, columns: Iterable[Column], cells: Sequence[CellsByModel], **slots: str
    ) -> Table:
        """Returns a table with a row a model, whose values no test compares."""
        joined = joined_cells(cells, self.roster.models)
        sections = self.sections(self.groups, joined.__getitem__)
        notes = [*self.notes(), *self.untested_notes()]
        return self.table(name, (MODEL, *columns), sections, notes, **slots)

    def coverage_table(self) -> Table:
        """Returns how many responses have a score, and why others have none."""
        words = self.words

        def row(model: str) -> list[Cell]:
            counts = self.coverage.loc[model]
            expected = counts["expected"]
            cells = [share_cell(counts["scored"], expected), count_cell(expected)]
            cells += map(count_cell, counts[[*words["coverage"]]])
            return cells + self.answer_cells(model, counts)

        columns = [MODEL, Column(words["scored"], align="r"), Column(words["expected"], align="r")]
        columns += [Column(reason, words["count"], "r") for reason in words["coverage"].values()]
        columns += ANSWER_COLUMNS
        notes = [*self.notes(), (None, words["notes"]["statuses"]), ANSWER_NOTE]
        return self.table("coverage", columns, self.sections(self.groups, row), notes)
