"""Variance components of paired differences: worked by hand, and known ones found again."""

import numpy as np
import pandas as pd
import pytest

from steadfast.stats.variance_components import (
    Components,
    components_of,
    differences,
    mean_components,
)


def rows_of(effects: dict[str, np.ndarray], parts: int = 1) -> pd.DataFrame:
    """Differences of tasks, as arrays: contexts × expressions × variables; contexts by part."""
    rows = []
    for task, values in effects.items():
        for (context, expression, variable), value in np.ndenumerate(values):
            part = f"p{context % parts}"
            rows.append(("g", part, f"c{context}", task, expression, variable, value))
    columns = ["group", "part", "cluster", "task", "expression", "variable", "difference"]
    return pd.DataFrame(rows, columns=columns)


def test_differences_pair_samples_and_average_draws():
    rows = [("m", "a", 1.0), ("m", "b", 0.5), ("n", "a", 0.2), ("n", "a", 0.4), ("n", "c", 1.0)]
    frame = pd.DataFrame(rows, columns=["model", "sample_id", "total"])
    frame = frame.assign(group="g", part="p", cluster="c", task="T", expression=0, variable=0)
    ((first, second, found),) = differences(frame)
    assert (first, second) == ("m", "n")
    assert found["difference"].tolist() == pytest.approx([0.7])


def test_two_contexts_and_two_expressions_by_hand():
    values = np.array([[[0.0], [0.2]], [[0.4], [0.8]]])  # contexts: .1, .6; expressions: .2, .5
    found = components_of(rows_of({"T": values}))["g"]
    # Each residual is .05 in size, and one degree of freedom is left: 4·.05² = .01.
    assert found.residual == pytest.approx([0.01])
    # Means of contexts vary by .125, of which .01 ÷ 2 is the residual's.
    assert found.context == pytest.approx(np.array([[0.12]]))
    assert found.freedom == 1


def test_components_that_are_known_are_found_again():
    rng, shape = np.random.default_rng(2), (300, 12, 4)
    shared = rng.normal(0, 0.3, shape[0])[:, None, None]
    tasks = {
        task: shared
        + rng.normal(0, own, (shape[0], 1, 1))
        + rng.normal(0, 0.2, (1, shape[1], 1))
        + rng.normal(0, 0.5, shape)
        for task, own in (("T", 0.4), ("U", 0.0))
    }
    found = components_of(rows_of(tasks, parts=4))["g"]
    assert found.freedom == 296
    expected = np.array([[0.25, 0.09], [0.09, 0.09]])  # .3² is shared, T adds .4²
    assert found.context == pytest.approx(expected, rel=0.15)
    assert found.residual == pytest.approx([0.25, 0.25], rel=0.02)


def test_a_straight_line_over_lengths_is_a_trend_and_no_context():
    values = np.array([0.1, 0.3, 0.5, 0.7])[:, None, None] * np.ones((1, 2, 2))
    steps = {f"p{number}": 11.0 + number for number in range(4)}
    found = components_of(rows_of({"T": values}, parts=4), steps)["g"]
    assert found.trend == pytest.approx(np.array([[0.04]]))  # .2 a doubling, squared
    assert found.context == pytest.approx(np.zeros((1, 1)), abs=1e-12)
    assert found.freedom == 2


def test_one_context_tells_nothing():
    assert components_of(rows_of({"T": np.ones((1, 2, 2))})) == {}


def test_the_variance_of_a_weighted_sum():
    of = Components(
        ("T", "U"),
        context=np.array([[0.04, 0.01], [0.01, 0.09]]),
        trend=np.zeros((2, 2)),
        residual=np.array([0.2, 0.4]),
        freedom=4,
    )
    # .25·(.04 + 2·.01 + .09) + .25·.2/10 + .25·.4/20
    found = of.variance(np.array([0.5, 0.5]), np.array([10.0, 20.0]))
    assert found == pytest.approx(0.0475)
    assert Components.of_facts(of.plain).plain == of.plain
    assert mean_components([of, of]).plain == of.plain
