"""A simple benchmark's tables: its measures, the same by fields, coverage, and its own."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import pandas as pd

from steadfast.base.resources import facts
from steadfast.contract.components import Frames
from steadfast.show.by_model import OneScore
from steadfast.show.judges import agreement_table
from steadfast.show.results import values_by_model
from steadfast.show.roster import Display
from steadfast.show.table import Column, Table
from steadfast.simple.instance import (
    AGREEMENT,
    EFFECTIVE,
    PARAPHRASES,
    SCORE,
    UNREAD,
    own_result,
)
from steadfast.stats.tidy import rows_of


class SimpleResults(OneScore):
    """The metrics of the benchmark of that name and title, and how they are shown.

    ``measures`` are the names of its numbers, the main one first; ``SCORE`` is the mean of all.
    """

    def __init__(
        self,
        frames: Frames,
        display: Display,
        name: str,
        title: str,
        by: Sequence[str],
        judged: bool,
        measures: Sequence[str] = (SCORE,),
    ):
        words = facts("simple/tables.yaml")
        units = frames["sampling_units"]
        unit = "records" if (units["clusters"] == units["records"]).all() else "groups"
        sampling_unit = {"unit": words["sampling_unit"][unit], "stratum": ""}
        if units["records"].sum() > 1:
            sampling_unit["alone"] = words["sampling_unit"]["alone"]
        words = {**words, "sampling_unit": sampling_unit}
        if UNREAD in frames["coverage"]:
            notes = {**words["notes"], "statuses": words["notes"]["statuses_" + UNREAD]}
            words |= {"coverage": {UNREAD: words[UNREAD], **words["coverage"]}, "notes": notes}
        if tuple(measures) != (SCORE,):
            words |= words["several"] | {"ranked": measures[0]}
        super().__init__(frames, display, words, {"title": title, "name": name})
        self.prefix = f"{name}_"
        self.judged = judged
        self.by = list(by)
        self.measures = list(measures)
        self._own_captions: dict[str, str] = {}

    @cached_property
    def ranking(self) -> Mapping[str, float]:
        """The mean of the main measure over all answers."""
        rows = rows_of(self.frames["scores"], kind="", measure=self.measures[0])
        return values_by_model(rows)

    @property
    def headings(self) -> dict[str, str]:
        """The measures' headings."""
        return {name: self.words["measure"] if name == SCORE else name for name in self.measures}

    def caption(self, name: str, **slots: str) -> str:
        return self._own_captions.get(name) or super().caption(name, **slots)

    def values_table(self, name: str, caption: str, columns: Mapping[str, pd.DataFrame]) -> Table:
        """Returns a table of the benchmark's own, a row a model, without tests.

        ``columns`` has by heading the rows that the values are in, with model and value, one a
        model.
        """
        self._own_captions[name] = caption
        values = []
        for heading, rows in columns.items():
            values.append(self.values(Column(heading), rows, interval=False))
        return self.by_model(name, values)


def tables(
    frames: Frames, display: Display, own: Mapping[str, str] | None = None, **settings: Any
) -> Iterator[Table]:
    """Yields the tables of a benchmark, which ``settings`` describe to ``SimpleResults``.

    ``own`` are functions of the results, by the name of the table that each gives.
    """
    results = SimpleResults(frames, display, **settings)
    yield results.results_table(rows_of(frames["scores"], kind=""), results.headings)
    if results.by:
        yield _by(results)
    for function in (own or {}).values():
        yield own_result(function, "results with the frames", results, frames)
    yield results.all_coverage()
    if EFFECTIVE in frames:
        yield results.effective(results.words["ranked"])
    if AGREEMENT in frames:
        yield agreement_table(results, AGREEMENT, results.slots["title"], "answer")


def _by(results: SimpleResults) -> Table:
    words = results.words
    means = results.frames["scores"]
    sections = []
    for measure in results.measures:
        for field in results.by:
            rows = rows_of(means, kind=field, measure=measure)
            categories = rows.groupby("category", sort=False)
            several = len(results.measures) > 1
            heading = f"{measure}, by {field}" if several else field.capitalize()
            sections.append((heading, [(str(name), lines) for name, lines in categories]))
    headings = (words["value"], words["count"])
    fields = " and ".join(results.by)
    return results.transposed_table("by", headings, sections, fields=fields)


def paraphrases(results: SimpleResults) -> Table:
    """Returns how much scores differ between the templates of a data set, a row a model."""
    rows = results.frames[PARAPHRASES]
    columns = []
    for measure, heading in results.words[PARAPHRASES].items():
        measured = rows_of(rows, measure=measure)
        has_interval = bool(measured["low"].notna().any())
        columns.append(results.values(Column(heading), measured, interval=has_interval))
    count = rows["n"][rows["measure"] == "lowest"].max()
    slots = {"templates": f"{count:.0f}"}
    return results.by_model(PARAPHRASES, columns, slots=slots)
