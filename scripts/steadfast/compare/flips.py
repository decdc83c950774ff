"""Which samples two runs score differently."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from steadfast.contract.records import ScoreRecord
from steadfast.stats.intervals import NOTHING

BETTER, WORSE, STATUS, POINTS = "better", "worse", "status", "points"
"""How a sample flipped: its total rose or fell, its status changed (and with it whether it is
scored), or its points changed and their total did not."""
COLUMNS = (
    "benchmark", "model", "part", "task", "sample_id", "draw", "kind", "status_a", "status_b",
    "total_a", "total_b", "points",
)  # fmt: skip


class Flip(NamedTuple):
    """A sample that two runs score differently; ``points`` says which ones moved, and how."""

    task: str
    sample_id: str
    draw: int
    kind: str
    status_a: str
    status_b: str
    total_a: float | None
    total_b: float | None
    points: str


def flips(a: Mapping[str, ScoreRecord], b: Mapping[str, ScoreRecord]) -> Iterator[Flip]:
    """The samples of both runs that are scored differently, in the order of the first run."""
    for key in a:
        if key in b and (kind := _kind(a[key], b[key])):
            first, second = a[key], b[key]
            sides = first["status"], second["status"], first["total"], second["total"]
            points = _moved_points(first["points"] or {}, second["points"] or {})
            yield Flip(first["task"], first["sample_id"], first["draw"], kind, *sides, points)


def _kind(a: ScoreRecord, b: ScoreRecord) -> str:
    before, after = a["total"], b["total"]
    if a["status"] != b["status"] or (before is None) != (after is None):
        return STATUS
    if before is not None and after is not None and abs(after - before) > NOTHING:
        return BETTER if after > before else WORSE
    return POINTS if _moved_points(a["points"] or {}, b["points"] or {}) else ""


def _moved_points(a: Mapping[str, float | None], b: Mapping[str, float | None]) -> str:
    """The points that differ, such as ``format: 0.5 → 1``."""
    names = dict.fromkeys([*a, *b])
    return "; ".join(
        f"{name}: {_shown(a.get(name))} → {_shown(b.get(name))}"
        for name in names
        if _apart(a.get(name), b.get(name))
    )


def _apart(a: float | None, b: float | None) -> bool:
    return (a is None) != (b is None) or (a is not None and b is not None and abs(a - b) > NOTHING)


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.3g}"
