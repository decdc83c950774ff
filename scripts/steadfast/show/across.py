"""Tables with a column a model: of many models those that rank best, so that a page has room."""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

import pandas as pd

from steadfast.show.cells import Values, count_cell
from steadfast.show.results import Note, Results, values_by_model
from steadfast.show.roster import Group
from steadfast.show.table import Cell, Column, Section, Table

Line = tuple[str, pd.DataFrame]
"""What a line of a table is of, and its values, one a model."""


class ModelsAcross(Results):
    """Results of a benchmark that has such tables.

    Its words have ``most_models``, how many are shown, and a note of that name.
    """

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
        """So many models: those that compete first, then by falling value."""
        contenders = self.roster.contenders
        ordered = [model for group in self.groups for model in group.models]
        best = sorted(ordered, key=lambda m: (m not in contenders, -self.ranking.get(m, -1.0)))
        return [model for model in ordered if model in best[:most]]

    def left_out(self, metric: str, models: Sequence[str] | None = None) -> list[Note]:
        """That only these models are shown, where there are more, and where all of them are.

        ``models`` are by default those that have a column.
        """
        shown = self.shown_models if models is None else models
        slots = {"shown": len(shown), "all": len(self.roster.models), "metric": metric}
        if slots["shown"] == slots["all"]:
            return []
        return [(None, self.words["notes"]["most_models"].format(**{**self.slots, **slots}))]

    def across(
        self,
        name: str,
        headings: tuple[str, str],
        sections: Iterable[tuple[str, Sequence[Line]]],
        incomplete: Collection[str],
        notes: Iterable[Note] = (),
        **slots: str,
    ) -> Table:
        """Returns a table whose lines begin with what they are of and the largest n.

        ``headings`` are those of these two columns; ``incomplete`` models are marked; ``slots`` are
        of the caption.
        """

        def row(text: str, rows: pd.DataFrame) -> tuple[Cell, ...]:
            values = values_by_model(rows[rows["model"].isin(self.shown_models)])
            cells = self.cells([Values(values, incomplete)])
            shown = (cells[model][0] for model in self.shown_models)
            return (Cell(text), count_cell(rows["n"].max()), *shown)

        first, count = headings
        body = [
            Section(tuple(row(*line) for line in of), heading) for heading, of in sections if of
        ]
        labels = (Column(self.roster.label(model)) for model in self.shown_models)
        columns = (Column(first, align="l"), Column(count, align="r"), *labels)
        remarks = [*notes, *self.untested_notes(), *self.left_out(name)]
        return self.table(name, columns, body, remarks, **slots)
