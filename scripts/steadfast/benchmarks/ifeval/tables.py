"""IFEval's tables: accuracy by length, its drop, what is reliable and steady, kinds, places."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

import pandas as pd

from steadfast.base.resources import facts
from steadfast.benchmarks.ifeval.facts import ALONE
from steadfast.benchmarks.ifeval.metrics import SCORE
from steadfast.contract.components import Frames
from steadfast.contract.records import OVERALL
from steadfast.show.across import ModelsAcross
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
from steadfast.show.effective import FRAME, Effective, effective_table
from steadfast.show.results import ANSWER_COLUMNS, ANSWER_NOTE, Note, values_by_model
from steadfast.show.roster import WORDS as SHARED
from steadfast.show.roster import Display
from steadfast.show.table import Cell, Column, Table
from steadfast.stats.tidy import rows_of
from steadfast.stats.ties import Ties


class IfevalResults(ModelsAcross):
    """IFEval's metrics, and how they are shown."""

    prefix = "ifeval_"

    def __init__(self, frames: Frames, display: Display, reading: str, place: str):
        words = facts("ifeval/tables.yaml")
        super().__init__(frames, display, words, {"reading": words["readings"][reading]})
        self._place = words["places"][place].lower()
        self.coverage = frames["coverage"].set_index("model")
        found = frames["accuracy"]
        self.lengths = list(dict.fromkeys(found["length"]))
        self.sets = list(dict.fromkeys(found["task"]))
        self.whole = OVERALL if OVERALL in self.sets else self.sets[0]

    def of_all(self, metric: str, **values: str) -> pd.DataFrame:
        """Returns the rows of a metric that are of all sets together."""
        return rows_of(self.frames[metric], task=self.whole, **values)

    @cached_property
    def ranking(self) -> Mapping[str, float]:
        """The score over all lengths."""
        return values_by_model(self.frames["headline"])

    @property
    def nothing(self) -> CellsByModel:
        """No cells, to which columns are added."""
        return dict.fromkeys(self.roster.models, ())

    @cached_property
    def incomplete(self) -> set[str]:
        """The models of which fewer answers have a score than are expected."""
        return set(self.coverage.index[self.coverage["scored"] < self.coverage["expected"]])

    def notes(self) -> list[Note]:
        """Explanations of marks, and of what all tables need."""
        found = self.incomplete_model_notes(self.coverage)
        words = self.words["notes"]
        if "places" in self.frames:
            found.append((None, words["place"].format(place=self._place)))
        return [*found, *self.shared_notes(judged=False)]

    def column(self, rows: pd.DataFrame) -> CellsByModel:
        """Returns a column of values, of rows with one a model."""
        return self.cells([Values(values_by_model(rows), self.incomplete)])


def tables(
    frames: Frames, display: Display, reading: str, place: str, names: Sequence[str]
) -> Iterator[Table]:
    """Yields the tables of those names."""
    results = IfevalResults(frames, display, reading, place)
    return (TABLES[name](results) for name in names)


def _results(results: IfevalResults) -> Table:
    words, compared = results.words, results.frames["comparisons"]
    whole, ties = results.frames["headline"], Ties.of(compared)
    at = [results.of_all("accuracy", measure=SCORE, length=name) for name in results.lengths]
    cells = joined_cells(
        [
            *map(results.column, at),
            results.cells([Values(results.ranking, results.incomplete, ties=ties)]),
            interval_cells(whole, results.roster.models, results.digits),
            rank_cells(results.roster, ties, results.ranking),
        ]
    )
    columns = [MODEL, *(Column(name, words["lengths"]) for name in results.lengths)]
    columns += map(Column, (words["mean"], words["interval"], SHARED["ranks"]))
    notes = [*results.notes(), *results.tie_notes()]
    notes += results.rank_notes(words["ranked"], compared)
    sections = results.sections(results.groups, cells.__getitem__)
    return results.table("results", columns, sections, notes)


def _accuracy(results: IfevalResults) -> Table:
    words, rows = results.words, results.frames["accuracy"]
    sections = []
    for task in results.sets:
        for length in results.lengths:
            its = rows_of(rows, task=task, length=length)
            lines = [(text, rows_of(its, measure=key)) for key, text in words["measures"].items()]
            heading = f"{words['sets'][task]}, {words['length'].format(length=length).lower()}"
            sections.append((heading, lines))
    headings = (words["measure"], words["answers"])
    return results.across("accuracy", headings, sections, results.incomplete, results.notes())


def _with_intervals(results: IfevalResults, metric: str, heading: str) -> Table:
    columns, cells = [MODEL], [results.nothing]
    rows = results.of_all(metric)
    for length in dict.fromkeys(rows["length"]):
        its = rows_of(rows, length=length)
        cells.append(results.column(its))
        cells.append(interval_cells(its, results.roster.models, results.digits))
        group = results.words["length"].format(length=length)
        columns += [Column(heading, group), Column(results.words["interval"], group)]
    sections = results.sections(results.groups, joined_cells(cells).__getitem__)
    notes = [*results.notes(), *results.untested_notes()]
    slots = {"k": _answers(rows)} if "k" in rows else {}
    return results.table(metric, columns, sections, notes, **slots)


def _answers(rows: pd.DataFrame) -> str:
    """Returns how many answers a prompt has at each length, for a sentence."""
    by_length = rows.groupby("length", sort=False)["k"].max()
    return ", ".join(f"{k} at {length}" for length, k in by_length.items())


def _drops(results: IfevalResults) -> Table:
    return _with_intervals(results, "drops", results.words["drop"])


def _effective(results: IfevalResults) -> Table:
    def filled(values: Mapping[str, float], length: str) -> Values:
        return Values(values, results.incomplete)

    of = Effective(results, results.words["score"].lower())
    return effective_table(of, results.groups, results.notes(), filled)


def _reliable(results: IfevalResults) -> Table:
    return _with_intervals(results, "reliable", results.words["reliable"])


def _stability(results: IfevalResults) -> Table:
    words, rows = results.words, results.frames["stability"]
    columns, cells = [MODEL], [results.nothing]
    for name in dict.fromkeys(rows["perspective"]):
        its, group = rows_of(rows, perspective=name), words["perspectives"][name]
        cells.append(results.column(its))
        cells.append(interval_cells(its, results.roster.models, results.digits))
        columns += [Column("IFS", group), Column(words["interval"], group)]
    sections = results.sections(results.groups, joined_cells(cells).__getitem__)
    return results.table(
        "stability", columns, sections, [*results.notes(), *results.untested_notes()]
    )


def _kinds(results: IfevalResults) -> Table:
    words, rows = results.words, results.frames["kinds"]
    ends = rows[rows["length"].isin([ALONE, results.lengths[-1]])]
    sections = [
        (
            words["sets"][task],
            [
                (f"{kind}, {length}", its)
                for kind, of in rows_of(ends, task=task).groupby("category", sort=False)
                for length, its in of.groupby("length", sort=False)
            ],
        )
        for task in results.sets
        if task != OVERALL
    ]
    headings = (words["kind"], words["instructions"])
    return results.across("kinds", headings, sections, results.incomplete, results.notes())


def _places(results: IfevalResults) -> Table:
    words, rows = results.words, results.of_all("places")
    sections = [
        (
            words["length"].format(length=length),
            [(words["places"][str(place)], its) for place, its in of.groupby("group", sort=False)],
        )
        for length, of in rows.groupby("length", sort=False)
    ]
    headings = (words["place"], words["answers"])
    return results.across("places", headings, sections, results.incomplete, results.notes())


def _coverage(results: IfevalResults) -> Table:
    words, counts = results.words, results.coverage

    def row(model: str) -> list[Cell]:
        of = counts.loc[model]
        found = [share_cell(of["scored"], of["expected"]), count_cell(of["expected"])]
        answered = results.answer_cells(model, of)
        return [*found, *map(count_cell, of[[*words["coverage"]]]), *answered]

    columns = [
        MODEL,
        *(Column(words[heading], align="r") for heading in ("scored", "expected")),
        *(Column(heading, words["answers"], "r") for heading in words["coverage"].values()),
        *ANSWER_COLUMNS,
    ]
    notes = [*results.notes(), (None, words["notes"]["statuses"]), ANSWER_NOTE]
    return results.table("coverage", columns, results.sections(results.groups, row), notes)


TABLES: dict[str, Callable[[IfevalResults], Table]] = {
    "results": _results,
    "accuracy": _accuracy,
    "drops": _drops,
    FRAME: _effective,
    "reliable": _reliable,
    "stability": _stability,
    "kinds": _kinds,
    "places": _places,
    "coverage": _coverage,
}
