"""Tables whose rows or columns are models: values with tests and ranks, categories, coverage.

Of many models a table with columns has those that rank best, so that a page has room.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd

from steadfast.base.files import Settings
from steadfast.show.cells import (
    MODEL,
    CellsByModel,
    Values,
    count_cell,
    interval_cells,
    joined_cells,
    printed_section,
    rank_cells,
    share_cell,
)
from steadfast.show.effective_context_length import Effective, effective_table
from steadfast.show.results import (
    ANSWER_COLUMNS,
    ANSWER_NOTE,
    Note,
    Results,
    incomplete_models,
    values_by_model,
)
from steadfast.show.roster import STRINGS, Group, members
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stats.tidy import rows_of
from steadfast.stats.ties import NO_TIES, Ties

# The label of a line, and its rows with one value a model.
Line = tuple[str, pd.DataFrame]
# Keys and values of the rows that are shown, such as of one language.
Keys = Mapping[str, str]
NO_KEYS: Keys = MappingProxyType({})
# A paper's values by model, and the position of each column's value in these (None: not printed).
Printed = tuple[Mapping[str, str], Sequence[int | None]]


class ValueColumn(NamedTuple):
    """A column of values in a table with a row a model.

    Attributes:
        column: its heading.
        rows: with model and value, in each part of the table one a model.
        pairs: comparisons of every two models in it; None where models are not compared.
        interval: whether a column with the intervals follows.
        incomplete: models whose value lacks samples; None: those with an n below expected.
        digits, shown: of ``cells.Values``.
    """

    column: Column
    rows: pd.DataFrame
    pairs: pd.DataFrame | None = None
    interval: bool = False
    incomplete: Collection[str] | None = None
    digits: int | None = None
    shown: Callable[[float], Decimal] | None = None

    @property
    def columns(self) -> list[Column]:
        """Returns the column, and that of the intervals."""
        if not self.interval:
            return [self.column]
        return [self.column, Column(STRINGS["interval"], self.column.group)]

    def ties(self, part: Keys) -> Ties:
        """Returns which models differ significantly in a part of the table."""
        return NO_TIES if self.pairs is None else Ties.of(rows_of(self.pairs, **part))


class ModelTables(Results):
    """Results with such tables; words of tables across models have ``most_models``.

    Attributes:
        parts: of a table with rows for each of several languages or the like, by name the keys.
        paper: what the paper prints, its heading and note, and the part that it is about.
        judged: whether a judge decides.
    """

    parts: Mapping[str, Keys] = MappingProxyType({"": NO_KEYS})
    paper: Settings = NO_KEYS
    judged = True

    @property
    @abstractmethod
    def ranking(self) -> Mapping[str, float]:
        """The values by which models are ordered."""

    @cached_property
    def groups(self) -> list[Group]:
        """The roster's groups, models by falling value."""
        return self.roster.groups(self.ranking)

    def rows(self, metric: str, **keys: str) -> pd.DataFrame:
        """Returns the rows of a metric with these values of its keys."""
        return rows_of(self.frames[metric], **keys)

    @cached_property
    def counts(self) -> pd.DataFrame:
        """Expected and scored responses, a row a model."""
        return self.frames["coverage"]

    @cached_property
    def incomplete(self) -> set[str]:
        """The models with fewer scored responses than expected."""
        return incomplete_models(self.counts, "scored")

    def notes(self, models: Collection[str] | None = None) -> list[Note]:
        """Returns the notes on marks of some models, or of all, and those that all tables have."""
        counts = self.counts.set_index("model")
        shown = counts if models is None else counts.loc[list(models)]
        return [*self.incomplete_model_notes(shown), *self.shared_notes(self.judged)]

    # --- a row a model ------------------------------------------------------------------------

    def by_model(
        self,
        name: str,
        shown: Sequence[ValueColumn],
        notes: Iterable[Note] | None = None,
        ranked: ValueColumn | None = None,
        printed: Printed | None = None,
        parts: Mapping[str, Keys] | None = None,
        slots: Keys = NO_KEYS,
    ) -> Table:
        """Returns a table of values.

        Args:
            name: of the table.
            shown: the columns.
            notes: those before the ones on tests and ranks; None: ``notes`` of all models.
            ranked: one of the columns, by which models have ranks in a last column.
            printed: what the paper prints in place of these columns.
            parts: those that are shown, if not all.
            slots: of the caption.
        """
        parts = self.parts if parts is None else parts
        cells = {part: self._cells(shown, keys, ranked) for part, keys in parts.items()}
        columns: list[Column] = []
        for values in shown:
            columns += values.columns
        is_tested = any(values.pairs is not None for values in shown)
        all_notes = self.notes() if notes is None else [*notes]
        all_notes += self.tie_notes() if is_tested else self.untested_notes()
        if ranked and ranked.pairs is not None:
            columns.append(Column(STRINGS["ranks"]))
            comparisons = {part: rows_of(ranked.pairs, **keys) for part, keys in parts.items()}
            all_notes += self.rank_notes(self.words["ranked"], comparisons)
        return self.part_table(name, columns, cells, all_notes, printed, slots)

    def _cells(
        self, shown: Sequence[ValueColumn], part: Keys, ranked: ValueColumn | None
    ) -> CellsByModel:
        cells: list[CellsByModel] = []
        for values in shown:
            rows = rows_of(values.rows, **part)
            lacking = values.incomplete
            incomplete = incomplete_models(rows) if lacking is None else lacking
            ties = values.ties(part)
            by_model = values_by_model(rows)
            column = Values(by_model, incomplete, ties, values.digits, values.shown)
            cells.append(self.cells([column]))
            if values.interval:
                cells.append(interval_cells(rows, self.roster.models, self.digits))
        if ranked:
            ranked_values = values_by_model(rows_of(ranked.rows, **part))
            cells.append(rank_cells(self.roster, ranked.ties(part), ranked_values))
        return joined_cells(cells, self.roster.models)

    def part_table(
        self,
        name: str,
        columns: Iterable[Column],
        cells: Mapping[str, CellsByModel],
        notes: Iterable[Note],
        printed: Printed | None = None,
        slots: Keys = NO_KEYS,
    ) -> Table:
        """Returns a table with cells by part and model, and below them what the paper prints."""
        all_notes = [*notes]
        sections = self.part_sections(cells)
        part = self.paper.get("language", "")
        if printed and self.display.published and part in cells:
            rows, positions = printed
            heading = self.heading_of(part, self.paper["heading"])
            sections.append(printed_section(rows, heading, positions))
            all_notes += self.published_notes(self.paper["note"])
        return self.table(name, (*self.first_columns, *columns), sections, all_notes, **slots)

    @property
    def first_columns(self) -> tuple[Column, ...]:
        """The columns that name the rows."""
        return (MODEL,)

    def part_sections(self, cells: Mapping[str, CellsByModel]) -> list[Section]:
        """Returns a section for each part and group of models."""
        sections: list[Section] = []
        for part, by_model in cells.items():
            groups = self.sections(self.part_groups(part), by_model.__getitem__)
            for number, section in enumerate(groups):
                # A rule stands above unranked models, and above each part but the first.
                has_rule = section.unranked or (bool(sections) and number == 0)
                heading = self.heading_of(part, section.heading)
                sections.append(Section(section.rows, heading, has_rule))
        return sections

    def part_groups(self, part: str) -> list[Group]:
        """Returns the groups of models in a part."""
        return self.groups

    def heading_of(self, part: str, heading: str) -> str:
        """Returns the heading of a group of models in a part."""
        return heading

    # --- a column a model -----------------------------------------------------------------------

    @cached_property
    def shown_models(self) -> list[str]:
        """The models that have a column."""
        return self.best_models(self.words["most_models"])

    def best_models(self, count: int) -> list[str]:
        """Returns at most so many models, contenders first, then by falling value."""
        contenders = self.roster.contenders
        ordered = members(self.groups)
        best = sorted(ordered, key=lambda m: (m not in contenders, -self.ranking.get(m, -1.0)))
        return [model for model in ordered if model in best[:count]]

    def left_out_notes(self, metric: str, models: Sequence[str] | None = None) -> list[Note]:
        """Returns a note on models that are not shown; by default those without a column."""
        shown = self.shown_models if models is None else models
        slots = {"shown": len(shown), "all": len(self.roster.models), "metric": metric}
        if slots["shown"] == slots["all"]:
            return []
        return [("data", self.words["notes"]["most_models"].format(**{**self.slots, **slots}))]

    def transposed_table(
        self,
        name: str,
        headings: tuple[str, str],
        sections: Iterable[tuple[str, Sequence[Line]]],
        notes: Iterable[Note] | None = None,
        **slots: str,
    ) -> Table:
        """Returns a table with a column a model, whose lines begin with a label and the largest n.

        ``headings`` are those of the first two columns, ``notes`` by default those of all models;
        ``slots`` fill the caption.
        """
        shown_sections = []
        for heading, lines in sections:
            rows = [self._line_cells(label, values) for label, values in lines]
            if rows:
                shown_sections.append(Section(tuple(rows), heading))
        first, count = headings
        columns = [Column(first, align="l"), Column(count, align="r")]
        columns += [Column(self.roster.label(model)) for model in self.shown_models]
        all_notes = self.notes() if notes is None else [*notes]
        all_notes += [*self.untested_notes(), *self.left_out_notes(name)]
        return self.table(name, columns, shown_sections, all_notes, **slots)

    def _line_cells(self, label: str, rows: pd.DataFrame) -> tuple[Cell, ...]:
        values = values_by_model(rows[rows["model"].isin(self.shown_models)])
        cells = self.cells([Values(values, self.incomplete)])
        model_cells = (cells[model][0] for model in self.shown_models)
        return (Cell(label), count_cell(rows["n"].max()), *model_cells)

    # --- coverage -------------------------------------------------------------------------------

    def coverage_table(
        self,
        shares: Mapping[Column, Keys],
        counted: Mapping[str, Column],
        notes: Iterable[Note],
        counts: pd.DataFrame | None = None,
    ) -> Table:
        """Returns scored responses in per cent, and why others have no score.

        Args:
            shares: keys of the rows that each share is of; the last ones are of all responses.
            counted: columns of numbers of all responses, by column of the metric ``coverage``.
            notes: on marks and headings.
            counts: rows of that metric, if not as they stand there.
        """
        counts = self.frames["coverage"] if counts is None else counts
        cells: dict[str, CellsByModel] = {}
        for part, part_keys in self.parts.items():
            by_model: CellsByModel = dict.fromkeys(self.roster.models, ())
            for keys in shares.values():
                rows = rows_of(counts, **keys, **part_keys).set_index("model")
                rows = rows.reindex(self.roster.models, fill_value=0)
                for model in by_model:
                    by_model[model] += (share_cell(*rows.loc[model, ["scored", "expected"]]),)
            for model in by_model:
                numbers = map(count_cell, rows.loc[model, [*counted]])
                by_model[model] += (*numbers, *self.answer_cells(model, rows.loc[model]))
            cells[part] = by_model
        columns = [*shares, *counted.values(), *ANSWER_COLUMNS]
        return self.part_table("coverage", columns, cells, [*notes, ANSWER_NOTE])


class OneScore(ModelTables):
    """Results of a benchmark with one score a response, and its mean as ``ranking``.

    Its words have ``count``, ``scored``, ``expected``, by column of ``coverage`` its heading, and
    the note ``statuses``.
    """

    def values(
        self,
        column: Column,
        rows: pd.DataFrame,
        pairs: pd.DataFrame | None = None,
        interval: bool = True,
    ) -> ValueColumn:
        """Returns a column of values, which lack what the responses of their model lack."""
        return ValueColumn(column, rows, pairs, interval, self.incomplete)

    def results_table(
        self, means: pd.DataFrame, measures: Mapping[str, str], further: Sequence[ValueColumn] = ()
    ) -> Table:
        """Returns the table of the measures, with what cannot be ruled out as best, and all ranks.

        Args:
            means: rows with model and measure.
            measures: their headings, the main one first, by which models have ranks.
            further: columns before them.
        """
        comparisons = self.frames["comparisons"]
        shown = []
        for measure, heading in measures.items():
            pairs = rows_of(comparisons, measure=measure)
            shown.append(self.values(Column(heading), rows_of(means, measure=measure), pairs))
        return self.by_model("results", [*further, *shown], ranked=shown[0])

    def effective(self, score: str) -> Table:
        """Returns the table of effective context lengths, by a score of that name."""

        def column(values: Mapping[str, float], length: str) -> Values:
            return Values(values, self.incomplete)

        return effective_table(Effective(self, score), self.groups, self.notes(), column)

    def all_coverage(self) -> Table:
        """Returns how many responses have a score, and why others have none."""
        words = self.words
        counted = {"expected": Column(words["expected"], align="r")}
        for reason, heading in words["coverage"].items():
            counted[reason] = Column(heading, words["count"], "r")
        notes: list[Note] = [*self.notes(), (None, words["notes"]["statuses"])]
        return self.coverage_table({Column(words["scored"], align="r"): {}}, counted, notes)
