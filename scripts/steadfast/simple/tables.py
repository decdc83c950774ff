"""A simple benchmark's tables: the mean score, the same by fields, and coverage."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from steadfast.base.resources import facts
from steadfast.contract.components import Frames
from steadfast.show.cells import Values
from steadfast.show.effective_context_length import Effective, effective_table
from steadfast.show.judges import agreement_table
from steadfast.show.one_score import OneScore
from steadfast.show.results import values_by_model
from steadfast.show.roster import Display
from steadfast.show.table import Table
from steadfast.simple.instance import AGREEMENT, EFFECTIVE, UNREAD
from steadfast.stats.tidy import rows_of


class SimpleResults(OneScore):
    """The metrics of the benchmark of that name and title, and how they are shown."""

    def __init__(self, frames: Frames, display: Display, name: str, title: str, judged: bool):
        words = facts("simple/tables.yaml")
        units = frames["sampling_units"]
        unit = "records" if (units["clusters"] == units["records"]).all() else "groups"
        fixed = words["fixed"]["judged" if judged else "ruled"]
        sampling_unit = {"unit": words["sampling_unit"][unit], "stratum": "", "fixed": fixed}
        if units["records"].sum() > 1:
            sampling_unit["alone"] = words["sampling_unit"]["alone"]
        words = {**words, "sampling_unit": sampling_unit}
        if UNREAD in frames["coverage"]:
            notes = {**words["notes"], "statuses": words["notes"]["statuses_" + UNREAD]}
            words |= {"coverage": {UNREAD: words[UNREAD], **words["coverage"]}, "notes": notes}
        super().__init__(frames, display, words, {"title": title, "name": name}, judged)
        self.prefix = f"{name}_"

    @cached_property
    def ranking(self) -> Mapping[str, float]:
        """The mean score of all answers."""
        return values_by_model(rows_of(self.frames["scores"], kind=""))


def tables(
    frames: Frames, display: Display, name: str, title: str, by: Sequence[str], judged: bool
) -> Iterator[Table]:
    """Yields the tables of the benchmark of that name and title."""
    results = SimpleResults(frames, display, name, title, judged)
    yield results.results_table(rows_of(frames["scores"], kind=""))
    if by:
        yield _by(results, by)
    yield results.coverage_table()
    if EFFECTIVE in frames:
        effective = Effective(results, results.words["ranked"])
        yield effective_table(
            effective,
            results.groups,
            results.notes(),
            lambda values, length: Values(values, results.incomplete, better="larger"),
        )
    if AGREEMENT in frames:
        rows = frames[AGREEMENT]
        yield agreement_table(f"{name}_{AGREEMENT}", rows, display, title, "answer")


def _by(results: SimpleResults, by: Sequence[str]) -> Table:
    words = results.words
    means = results.frames["scores"]
    sections = [
        (field.capitalize(), [(str(value), rows) for value, rows in by_value])
        for field in by
        if (by_value := list(rows_of(means, kind=field).groupby("category", sort=False)))
    ]
    headings = (words["value"], words["count"])
    return results.across(
        "by", headings, sections, results.incomplete, results.notes(), fields=" and ".join(by)
    )
