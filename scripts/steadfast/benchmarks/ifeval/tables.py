"""IFEval's tables: accuracy by length, its drop, what is reliable and steady, kinds, positions."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import product

import pandas as pd

from steadfast.base.resources import facts
from steadfast.benchmarks.ifeval.facts import ALONE, FILLER
from steadfast.benchmarks.ifeval.metrics import SCORE
from steadfast.contract.components import Frames
from steadfast.contract.records import OVERALL
from steadfast.show.by_model import OneScore
from steadfast.show.effective_context_length import FRAME
from steadfast.show.results import Note, values_by_model
from steadfast.show.roster import Display
from steadfast.show.table import Column, Table
from steadfast.stats.tidy import rows_of


class IfevalResults(OneScore):
    """IFEval's metrics, and how they are shown."""

    prefix = "ifeval_"
    judged = False

    def __init__(self, frames: Frames, display: Display, version: str, position: str):
        words = facts("ifeval/tables.yaml")
        slots = {"version": words["versions"][version]}
        super().__init__(frames, display, words, slots)
        self._position = words["positions"][position].lower()
        accuracy = frames["accuracy"]
        self.lengths = list(dict.fromkeys(accuracy["length"]))
        self.sets = list(dict.fromkeys(accuracy["task"]))
        several_or_none = OVERALL in self.sets or not self.sets  # none: nothing has a score
        self.whole = OVERALL if several_or_none else self.sets[0]

    def of_all(self, metric: str, **values: str) -> pd.DataFrame:
        """Returns the rows of a metric that are of all sets together."""
        return rows_of(self.frames[metric], task=self.whole, **values)

    @cached_property
    def ranking(self) -> Mapping[str, float]:
        """The score over all lengths."""
        return values_by_model(self.frames["summary"])

    def notes(self, models: Collection[str] | None = None) -> list[Note]:
        """Explanations of marks, and of what all tables need."""
        text = self.words["notes"]["position"].format(position=self._position)
        return [*([(None, text)] if "positions" in self.frames else []), *super().notes(models)]


def tables(
    frames: Frames, display: Display, version: str, position: str, names: Sequence[str]
) -> Iterator[Table]:
    """Yields the tables of those names."""
    results = IfevalResults(frames, display, version, position)
    return (TABLES[name](results) for name in names)


def _results(results: IfevalResults) -> Table:
    at_lengths = []
    for length in results.lengths:
        rows = results.of_all("accuracy", measure=SCORE, length=length)
        column = Column(length, results.words["lengths"])
        at_lengths.append(results.values(column, rows, interval=False))
    measures = {SCORE: results.words["measure"]}
    return results.results_table(results.frames["summary"], measures, at_lengths)


def _accuracy(results: IfevalResults) -> Table:
    words = results.words
    accuracy = results.frames["accuracy"]
    sections = []
    for task in results.sets:
        for length in results.lengths:
            rows = rows_of(accuracy, task=task, length=length)
            lines = [(text, rows_of(rows, measure=key)) for key, text in words["measures"].items()]
            heading = f"{words['sets'][task]}, {words['length'].format(length=length).lower()}"
            sections.append((heading, lines))
    headings = (words["accuracy"], words["count"])
    return results.transposed_table("accuracy", headings, sections)


def _with_intervals(results: IfevalResults, metric: str) -> Table:
    """Returns a metric of all sets together, at each length."""
    words = results.words
    rows = results.of_all(metric)
    columns = []
    for length in dict.fromkeys(rows["length"]):
        column = Column(words["with_interval"][metric], words["length"].format(length=length))
        columns.append(results.values(column, rows_of(rows, length=length)))
    slots = {"k": str(rows["k"].max())} if "k" in rows else {}
    return results.by_model(metric, columns, slots=slots)


def _stability(results: IfevalResults) -> Table:
    words = results.words
    rows = results.frames["stability"]
    columns = []
    for perspective in dict.fromkeys(rows["perspective"]):
        group = words["perspective"][perspective]
        perspective_rows = rows_of(rows, perspective=perspective)
        columns.append(results.values(Column(words["stability"], group), perspective_rows))
        chance = perspective_rows.assign(value=perspective_rows["chance"])
        columns.append(results.values(Column(words["by_chance"], group), chance, interval=False))
    return results.by_model("stability", columns)


def _kinds(results: IfevalResults) -> Table:
    words = results.words
    rows = results.frames["kinds"]
    # Without a context, and at the longest one.
    ends = rows[rows["length"].isin([ALONE, *results.lengths[-1:]])]
    sections = []
    for task in results.sets:
        if task != OVERALL:
            lines = []
            for kind, kind_rows in rows_of(ends, task=task).groupby("category", sort=False):
                for length, cell in kind_rows.groupby("length", sort=False):
                    lines.append((f"{kind}, {length}", cell))
            sections.append((words["sets"][task], lines))
    headings = (words["kind"], words["instructions"])
    return results.transposed_table("kinds", headings, sections)


def _positions(results: IfevalResults) -> Table:
    words = results.words
    sections = []
    for length, rows in results.of_all("positions").groupby("length", sort=False):
        by_position = rows.groupby("group", sort=False)
        lines = [(words["positions"][str(position)], cell) for position, cell in by_position]
        sections.append((words["length"].format(length=length), lines))
    headings = (words["position"], words["count"])
    notes = OneScore.notes(results)  # without that of one position
    return results.transposed_table("positions", headings, sections, notes)


def _filler(results: IfevalResults) -> Table:
    words = results.words
    rows = results.of_all(FILLER)
    columns = []
    for length, (cost, heading) in product(dict.fromkeys(rows["length"]), words["costs"].items()):
        column = Column(heading, words["length"].format(length=length))
        columns.append(results.values(column, rows_of(rows, length=length, measure=cost)))
    return results.by_model(FILLER, columns)


TABLES: dict[str, Callable[[IfevalResults], Table]] = {
    "results": _results,
    "accuracy": _accuracy,
    "drops": partial(_with_intervals, metric="drops"),
    FRAME: lambda results: results.effective(results.words["score"].lower()),
    "reliable": partial(_with_intervals, metric="reliable"),
    "stability": _stability,
    "kinds": _kinds,
    "positions": _positions,
    FILLER: _filler,
    "coverage": OneScore.all_coverage,
}
