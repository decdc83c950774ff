"""Samples that two runs score differently, by hand."""

import pytest

from steadfast.compare.flips import flips


def record(total, status="ok", points=None, **further):
    points = {"format": 1.0, "correct": 0.0} if points is None else points
    return {
        "sample_id": "s", "draw": 0, "task": "T", "status": status, "total": total,
        "points": points, **further,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "kind", "points"),
    [
        (record(0.5), record(1.0), "better", ""),
        (record(1.0), record(0.5), "worse", ""),
        (record(0.5), record(None, "error", {}), "status", "format: 1 → none; correct: 0 → none"),
        (record(0.5), record(0.5, "length"), "status", ""),
        (
            record(0.5),
            record(0.5, points={"format": 0.0, "correct": 1.0}),
            "points",
            "format: 1 → 0; correct: 0 → 1",
        ),
    ],
)
def test_how_a_sample_flips(a, b, kind, points):
    (flip,) = flips({"s": a}, {"s": b})
    assert (flip.kind, flip.points) == (kind, points)


def test_what_is_extracted_otherwise_and_scored_alike_is_no_flip():
    a, b = record(0.5, extracted="x"), record(0.5, extracted="y")
    assert list(flips({"s": a}, {"s": b})) == []


def test_draws_are_samples_of_their_own_and_samples_of_one_run_alone_are_left_out():
    records = {"s": record(0.5), "s#1": record(0.5) | {"draw": 1}}
    other = {"s#1": record(1.0) | {"draw": 1}, "t": record(1.0) | {"sample_id": "t"}}
    assert [(one.sample_id, one.draw) for one in flips(records, other)] == [("s", 1)]
