"""The table of Wordbench."""

from collections.abc import Iterator

from steadfast.contract.components import Frames
from steadfast.show.cells import MODEL, Values
from steadfast.show.results import Results, values_by_model
from steadfast.show.roster import Display
from steadfast.show.table import Column, Table

WORDS = {"captions": {"words": "Wordbench: share of requests met."}}


def tables(frames: Frames, display: Display) -> Iterator[Table]:
    """Yields the table: the share by what scores the response."""
    results, rows = Results(frames, display, WORDS), frames["words"]
    columns = {kind: values_by_model(rows[rows["kind"] == kind]) for kind in ("rule", "judge")}
    cells = results.cells(Values(values) for values in columns.values())
    groups = results.roster.groups(columns["rule"])
    yield Table(
        "wordbench_words",
        results.caption("words"),
        (MODEL, *(Column(kind.capitalize()) for kind in columns)),
        results.sections(groups, lambda model: cells[model]),
        tuple(results.shared_notes(judged=True)),
    )
