"""The variances that LIFBench's certificate rests on, computed again from the released scores."""

from itertools import combinations

import numpy as np
import pytest

from score_records import PAPER_LENGTHS, released_frame
from small_contexts import needs_cases
from steadfast.benchmarks.lifbench.analyses import compared
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.tasks import SCENARIOS

HOW = {rubric: compared("rubric", rubric) for rubric in ("released", "corrected")}


def test_all_tasks_have_variances():
    for how in HOW.values():
        assert list(how.released) == list(SCENARIOS)
        assert {task for of in how.released.values() for task in of.tasks} == set(TASKS)


def cells(task: str, rubric: str) -> np.ndarray:
    """Differences of all pairs: pairs × lengths × expressions × variables."""
    frame = released_frame()
    own = frame[frame["task"] == task].astype({"model": str, "length": str})
    if rubric == "corrected":  # nothing for a wrong option: docs/rubrics.md, Q15
        own = own.assign(total=own["total"].where(own["point.correct"] == 1, 0.0))
    keys = ["length", "expression_id", "variable_id"]
    totals = own.pivot(index=keys, columns="model", values="total").loc[list(PAPER_LENGTHS)]
    shape = [len(totals.index.unique(key)) for key in keys]
    first, second = np.array(list(combinations(range(totals.shape[1]), 2))).T
    values = totals.to_numpy().T
    return (values[first] - values[second]).reshape(-1, *shape)


@needs_cases
@pytest.mark.parametrize(
    ("task", "rubric"),
    [("LOI", "released"), ("MB", "released"), ("OQ", "released"), ("OQ", "corrected")],
)
def test_variances_are_those_of_a_complete_design(task, rubric):
    # Classical analysis of variance of a complete three-way layout without replication.
    found = cells(task, rubric)
    _, lengths, expressions, variables = found.shape
    mean = found.mean(axis=(1, 2, 3), keepdims=True)
    by_length, by_expression, by_variable = (
        found.mean(axis=axes, keepdims=True) for axes in ((2, 3), (1, 3), (1, 2))
    )
    left = found - by_length - by_expression - by_variable + 2 * mean
    freedom = lengths * expressions * variables - lengths - expressions - variables + 2
    residual = (left**2).sum(axis=(1, 2, 3)) / freedom
    steps = np.log2([3, 6, 13, 28, 60, 120])
    steps -= steps.mean()
    lines = by_length[:, :, 0, 0] - mean[:, :, 0, 0]
    slope = lines @ steps / (steps @ steps)
    bent = ((lines - np.outer(slope, steps)) ** 2).sum(axis=1) / (lengths - 2)
    context = (bent - residual / (expressions * variables)).mean()

    of = HOW[rubric].released[TASKS[task].scenario]
    place = of.tasks.index(task)
    assert of.residual[place] == pytest.approx(residual.mean(), abs=1e-5)
    assert of.context[place, place] == pytest.approx(context, abs=1e-5)
    assert of.trend[place, place] == pytest.approx((slope**2).mean(), abs=1e-5)
