"""A simple benchmark's tables: the mean score, the same by fields, and coverage."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from steadfast.base.resources import facts
from steadfast.contract.components import Frames
from steadfast.show.across import ModelsAcross
from steadfast.show.agreement import agreement_table
from steadfast.show.cells import (
    MODEL,
    Values,
    count_cell,
    interval_cells,
    joined_cells,
    rank_cells,
    share_cell,
)
from steadfast.show.effective import Effective, Filled, effective_table
from steadfast.show.results import ANSWER_COLUMNS, ANSWER_NOTE, Note, values_by_model
from steadfast.show.roster import WORDS as SHARED
from steadfast.show.roster import Display
from steadfast.show.table import Cell, Column, Table
from steadfast.simple.instance import AGREEMENT, EFFECTIVE
from steadfast.stats.tidy import rows_of
from steadfast.stats.ties import Ties


class SimpleResults(ModelsAcross):
    """The metrics of the benchmark of that name and title, and how they are shown."""

    def __init__(self, frames: Frames, display: Display, name: str, title: str, judged: bool):
        words, drawn = facts("simple/tables.yaml"), frames["drawn"]
        unit = "records" if (drawn["clusters"] == drawn["records"]).all() else "groups"
        fixed = words["fixed"]["judged" if judged else "ruled"]
        words = {**words, "drawn": {"unit": words["drawn"][unit], "stratum": "", "fixed": fixed}}
        super().__init__(frames, display, words, {"title": title, "name": name})
        self.prefix, self._judged = f"{name}_", judged
        self.coverage = frames["coverage"].set_index("model")

    @cached_property
    def ranking(self) -> Mapping[str, float]:
        """The mean score of all answers."""
        return values_by_model(rows_of(self.frames["scores"], kind=""))

    @cached_property
    def incomplete(self) -> set[str]:
        """The models of which fewer answers have a score than are expected."""
        return set(self.coverage.index[self.coverage["scored"] < self.coverage["expected"]])

    def notes(self) -> list[Note]:
        """Explanations of marks, and of what all tables need."""
        incomplete = self.incomplete_model_notes(self.coverage)
        return [*incomplete, *self.shared_notes(self._judged)]


def tables(
    frames: Frames, display: Display, name: str, title: str, by: Sequence[str], judged: bool
) -> Iterator[Table]:
    """Yields the tables of the benchmark of that name and title."""
    results = SimpleResults(frames, display, name, title, judged)
    yield _results(results)
    if by:
        yield _by(results, by)
    yield _coverage(results)
    if EFFECTIVE in frames:
        of = Effective(results, results.words["ranked"])
        yield effective_table(of, results.groups, results.notes(), _filled(results))
    if AGREEMENT in frames:
        rows = frames[AGREEMENT]
        yield agreement_table(f"{name}_{AGREEMENT}", rows, display, title, "answer")


def _filled(results: SimpleResults) -> Filled:
    return lambda values, length: Values(values, results.incomplete, better="larger")


def _results(results: SimpleResults) -> Table:
    words, compared = results.words, results.frames["comparisons"]
    means, ties = rows_of(results.frames["scores"], kind=""), Ties.of(compared)
    cells = joined_cells(
        [
            results.cells([Values(results.ranking, results.incomplete, ties=ties)]),
            interval_cells(means, results.roster.models, results.digits),
            rank_cells(results.roster, ties, results.ranking),
        ]
    )
    columns = (MODEL, *map(Column, (words["measure"], words["interval"], SHARED["ranks"])))
    notes = [*results.notes(), *results.tie_notes()]
    notes += results.rank_notes(words["ranked"], compared)
    return results.table(
        "results", columns, results.sections(results.groups, cells.__getitem__), notes
    )


def _by(results: SimpleResults, by: Sequence[str]) -> Table:
    words, means = results.words, results.frames["scores"]
    sections = [
        (field.capitalize(), [(str(value), rows) for value, rows in of])
        for field in by
        if (of := list(rows_of(means, kind=field).groupby("category", sort=False)))
    ]
    headings = (words["value"], words["count"])
    return results.across(
        "by", headings, sections, results.incomplete, results.notes(), fields=" and ".join(by)
    )


def _coverage(results: SimpleResults) -> Table:
    words, counts = results.words, results.coverage

    def row(model: str) -> list[Cell]:
        of = counts.loc[model]
        found = [share_cell(of["scored"], of["expected"]), count_cell(of["expected"])]
        return [
            *found,
            *map(count_cell, of[[*words["coverage"]]]),
            *results.answer_cells(model, of),
        ]

    columns = [
        MODEL,
        *(Column(words[heading], align="r") for heading in ("scored", "expected")),
        *(Column(heading, words["count"], "r") for heading in words["coverage"].values()),
        *ANSWER_COLUMNS,
    ]
    notes = [*results.notes(), (None, words["notes"]["statuses"]), ANSWER_NOTE]
    return results.table("coverage", columns, results.sections(results.groups, row), notes)
