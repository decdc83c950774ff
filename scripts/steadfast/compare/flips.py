"""Which samples two runs score differently."""

from collections.abc import Mapping
from typing import NamedTuple

from steadfast.contract.records import ScoreRecord
from steadfast.stats.intervals import NOTHING

# How a sample flipped: its total rose or fell, its status changed (and with it whether it is
# scored), or its points changed and their total did not.
BETTER = "better"
WORSE = "worse"
STATUS = "status"
POINTS = "points"


class Flip(NamedTuple):
    """A sample that two runs score differently; ``points`` says which ones moved, and how."""

    task: str
    sample_id: str
    repeat: int
    kind: str
    status_a: str
    status_b: str
    total_a: float | None
    total_b: float | None
    points: str


COLUMNS = ("benchmark", "model", "part", *Flip._fields)


def flip(a: ScoreRecord, b: ScoreRecord) -> Flip | None:
    """A sample's flip, if its two runs are scored differently."""
    points = _moved_points(a["points"] or {}, b["points"] or {})
    kind = _kind(a, b, points)
    if not kind:
        return None
    names = (a["task"], a["sample_id"], a["repeat"])
    return Flip(*names, kind, a["status"], b["status"], a["total"], b["total"], points)


def _kind(a: ScoreRecord, b: ScoreRecord, points: str) -> str:
    before = a["total"]
    after = b["total"]
    # A response that is not scored has no total to compare, whatever its points.
    if a["status"] != b["status"] or (before is None) != (after is None):
        return STATUS
    if before is not None and after is not None and abs(after - before) > NOTHING:
        return BETTER if after > before else WORSE
    return POINTS if points else ""


def _moved_points(a: Mapping[str, float | None], b: Mapping[str, float | None]) -> str:
    """The points that differ, such as ``format: 0.5 → 1``."""
    moved = []
    for name in dict.fromkeys([*a, *b]):
        before = a.get(name)
        after = b.get(name)
        if _differ(before, after):
            moved.append(f"{name}: {_shown(before)} → {_shown(after)}")
    return "; ".join(moved)


def _differ(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is not b
    return abs(a - b) > NOTHING


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.3g}"
