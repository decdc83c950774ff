"""IFEval's tables: accuracy by length, its drop, what is reliable and steady, kinds, positions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial

import pandas as pd

from steadfast.base.resources import facts
from steadfast.benchmarks.ifeval.facts import ALONE, FILLER
from steadfast.benchmarks.ifeval.metrics import SCORE
from steadfast.contract.components import Frames
from steadfast.contract.records import OVERALL
from steadfast.show.cells import CellsByModel, Values
from steadfast.show.effective_context_length import FRAME, Effective, effective_table
from steadfast.show.one_score import OneScore
from steadfast.show.results import Note, values_by_model
from steadfast.show.roster import Display
from steadfast.show.table import Column, Table
from steadfast.stats.tidy import rows_of


class IfevalResults(OneScore):
    """IFEval's metrics, and how they are shown."""

    prefix = "ifeval_"

    def __init__(self, frames: Frames, display: Display, version: str, position: str):
        words = facts("ifeval/tables.yaml")
        slots = {"version": words["versions"][version]}
        super().__init__(frames, display, words, slots, judged=False)
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

    def notes(self) -> list[Note]:
        """Explanations of marks, and of what all tables need."""
        text = self.words["notes"]["position"].format(position=self._position)
        return [*([(None, text)] if "positions" in self.frames else []), *super().notes()]


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
        at_lengths.append((column, results.column(rows)))
    summary = results.frames["summary"]
    return results.results_table(summary, {SCORE: results.words["measure"]}, at_lengths)


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
    return results.across("accuracy", headings, sections, results.incomplete, results.notes())


def _with_intervals(results: IfevalResults, metric: str) -> Table:
    """Returns a metric of all sets together, at each length or in each perspective."""
    words = results.words
    columns: list[Column] = []
    cells: list[CellsByModel] = []
    is_stability = metric == "stability"
    rows = results.frames[metric] if is_stability else results.of_all(metric)
    by = "perspective" if is_stability else "length"
    for value in dict.fromkeys(rows[by]):
        group = words[by][value] if is_stability else words[by].format(length=value)
        headings = (words["with_interval"][metric], words["interval"])
        columns += [Column(heading, group) for heading in headings]
        column_rows = rows_of(rows, **{by: value})
        cells += results.with_interval(column_rows)
        if is_stability:
            columns.append(Column(words["by_chance"], group))
            cells.append(results.column(column_rows.assign(value=column_rows["chance"])))
    slots = {"k": str(rows["k"].max())} if "k" in rows else {}
    return results.untested_table(metric, columns, cells, **slots)


def _effective(results: IfevalResults) -> Table:
    def filled(values: Mapping[str, float], length: str) -> Values:
        return Values(values, results.incomplete)

    effective = Effective(results, results.words["score"].lower())
    return effective_table(effective, results.groups, results.notes(), filled)


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
    return results.across("kinds", headings, sections, results.incomplete, results.notes())


def _positions(results: IfevalResults) -> Table:
    words = results.words
    sections = []
    for length, rows in results.of_all("positions").groupby("length", sort=False):
        by_position = rows.groupby("group", sort=False)
        lines = [(words["positions"][str(position)], cell) for position, cell in by_position]
        sections.append((words["length"].format(length=length), lines))
    headings = (words["position"], words["count"])
    notes = OneScore.notes(results)  # without that of one position
    return results.across("positions", headings, sections, results.incomplete, notes)


def _filler(results: IfevalResults) -> Table:
    words = results.words
    rows = results.of_all(FILLER)
    columns: list[Column] = []
    cells: list[CellsByModel] = []
    for length in dict.fromkeys(rows["length"]):
        group = words["length"].format(length=length)
        for cost, heading in words["costs"].items():
            columns += [Column(heading, group), Column(words["interval"], group)]
            cells += results.with_interval(rows_of(rows, length=length, measure=cost))
    return results.untested_table(FILLER, columns, cells)


TABLES: dict[str, Callable[[IfevalResults], Table]] = {
    "results": _results,
    "accuracy": _accuracy,
    "drops": partial(_with_intervals, metric="drops"),
    FRAME: _effective,
    "reliable": partial(_with_intervals, metric="reliable"),
    "stability": partial(_with_intervals, metric="stability"),
    "kinds": _kinds,
    "positions": _positions,
    FILLER: _filler,
    "coverage": OneScore.coverage_table,
}
