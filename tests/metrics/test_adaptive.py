"""Which models an adaptive run evaluates further, and its boundaries, on clear differences."""

import numpy as np
import pytest
from scipy.stats import norm

from steadfast.stats.adaptive import Course, Design, Differences, boundaries

LARGE = 1e6  # degrees of freedom: t is z


def look(course: Course, scores: list[float], error: float) -> None:
    """Gives a course the differences of models with these scores, each with this error."""
    first, second = course.pairs.T
    difference = np.array(scores)[first] - np.array(scores)[second]
    z = np.abs(difference) / error
    errors = np.full(len(z), error)
    course.look(Differences(difference, errors, np.full(len(z), LARGE), 2 * norm.sf(z)))


def look_without_data(course: Course) -> None:
    course.look(Differences(*np.full((4, len(course.pairs)), np.nan)))


def test_first_look_is_after_two_rounds_and_none_after_the_last():
    course = Course(2, Design(8))
    assert course.rounds.tolist() == [2, 2]
    look(course, [0.5, 0.5], 0.1)
    assert course.rounds.tolist() == [3, 3]
    course = Course(2, Design(3))
    for _ in range(2):
        look(course, [0.5, 0.5], 0.1)
    assert not course.continuing.any()
    assert course.rounds.tolist() == [3, 3]


def test_model_worse_than_another_is_not_evaluated_further():
    course = Course(3, Design(8))
    look(course, [0.9, 0.88, 0.1], 0.02)
    assert course.continuing.tolist() == [True, True, False]
    look(course, [0.9, 0.5, 0.9], 0.02)  # the third was not evaluated: its score is not read
    assert course.outcomes.tolist() == [1, 1, 1]
    assert course.last.difference.tolist() == pytest.approx([0.4, 0.8, 0.78])
    assert course.rounds.tolist() == [3, 3, 2]
    assert not course.continuing.any()


def test_decision_of_a_look_is_permanent():
    course = Course(4, Design(8, top=2))
    look(course, [3, 2, 2, 1], 0.5)
    assert course.outcomes.tolist() == [0, 0, 1, 0, 0, 0]
    assert course.continuing.all()
    look(course, [1, 2, 2, 3], 0.5)
    assert course.outcomes.tolist() == [0, 0, 1, 0, 0, 0]
    assert course.last.difference[2] == -2


def test_smallest_p_of_all_looks_is_kept_and_the_last_difference():
    course = Course(3, Design(5))
    look(course, [2.3, 0.0, 1.15], 1.0)  # p of .0409 by the boundary, above .05 ÷ 3
    p = course.p.tolist()
    look(course, [0.0, 0.0, 0.0], 1.0)
    assert course.p.tolist() == p
    assert course.last.difference.tolist() == [0.0, 0.0, 0.0]


def test_pairs_without_a_difference_stay_open():
    course = Course(2, Design(4))
    look_without_data(course)
    assert (course.outcomes.tolist(), course.p.tolist()) == ([0], [1])
    assert course.continuing.all()
    course = Course(2, Design(4))
    zero = np.zeros(1)
    course.look(Differences(zero, zero, np.ones(1), np.ones(1)))
    assert course.continuing.all()
    assert np.isnan(course.intervals()).all()


def test_look_without_data_changes_nothing():
    course = Course(2, Design(5))
    look(course, [2.0, 0.0], 1.0)
    before = (course.p.tolist(), course.last.difference.tolist(), course.boundary)
    look_without_data(course)
    assert (course.p.tolist(), course.last.difference.tolist(), course.boundary) == before
    look(course, [2.0, 0.0], 1.0)
    third = boundaries(np.array([0.05]), [0.4, 0.6, 0.8, 1.0])[0, 2]
    assert course.boundary == pytest.approx(third, rel=1e-3)


@pytest.mark.parametrize(("z_of_p", "error"), [(4, 0.01), (2, 0.02)])
def test_interval_is_as_wide_as_a_stricter_p_implies(z_of_p, error):
    course = Course(2, Design(5))
    p = np.array([2 * norm.sf(z_of_p)])
    course.look(Differences(np.array([0.04]), np.array([0.01]), np.array([LARGE]), p))
    z = boundaries(np.array([0.05]), [0.4, 0.6, 0.8, 1.0])[0, 0]
    (low,), (high,) = course.intervals()
    assert (low, high) == pytest.approx((0.04 - z * error, 0.04 + z * error), abs=1e-5)


# --- the stopping rule, by hand: t is z, and there are four looks, at 2 to 5 rounds of 5 ---------


def test_boundary_is_crossed_at_the_hand_calculated_z():
    # Spent by 2 of 5 rounds: .05 · ln(1 + (e − 1) · .4) = .02616, so that |z| has to reach 2.2239.
    assert norm.isf(0.05 * np.log(1 + (np.e - 1) * 0.4) / 2) == pytest.approx(2.2239, abs=1e-4)
    for z, decision in ((2.21, 0), (2.24, 1)):
        course = Course(2, Design(5))
        look(course, [z, 0.0], 1.0)
        assert course.outcomes.tolist() == [decision]
        assert course.continuing.all() == (decision == 0)
    # Holm: .05 ÷ 3; spent of it by 2 of 5 rounds: .05 ÷ 3 · .52323 = .0087206, |z| of 2.6225.
    for z, decision in ((2.60, 0), (2.65, 1)):
        course = Course(3, Design(5))
        look(course, [z, 0.0, z / 2], 1.0)
        assert course.outcomes.tolist() == [decision, 0, 0]
        assert course.boundary == pytest.approx(2.6225, abs=3e-3)


@pytest.mark.parametrize(
    ("scores", "top", "continuing"),
    [
        ([9, 0, 0, 0], 1, [False] * 4),  # the best is known
        ([9, 9, 0, 0], 1, [True, True, False, False]),
        ([3, 2, 2, 1], 1, [True, True, True, False]),  # one better model excludes the last
        ([9, 9, 0, 0], 2, [False] * 4),  # the best two are known, in whatever order
        ([9, 5, 5, 0], 2, [False, True, True, False]),  # the first is in, whoever the second is
        ([9, 8, 7, 0], 2, [True, True, True, False]),  # any two of three may be the best
        ([9, 5, 0, 0], 3, [False, False, True, True]),  # one of the last two is the third
        ([0, 0, 0, 0], 4, [False] * 4),  # all models are among the top
    ],
)
def test_models_go_on_while_the_top_is_open(scores, top, continuing):
    course = Course(4, Design(5, top))
    # Scores 2 apart have a z of 4; 1 apart a z of 2, which is not significant for six pairs.
    look(course, scores, 0.5)
    assert course.continuing.tolist() == continuing


@pytest.mark.parametrize(
    "decisions",
    [
        # Pairs 01, 02, 03, 12, 13, 23. The third and fourth are each worse than two models, though
        # the second is better than the fourth alone: the other two are the best.
        [0, 1, 1, 0, 1, -1],
        # The first and second are better than two models each: they are the best.
        [1, 1, 0, 1, 1, 0],
    ],
)
def test_top_two_may_be_known_without_a_full_order(decisions):
    course = Course(4, Design(5, top=2))
    course.outcomes[:] = decisions
    look_without_data(course)
    assert not course.continuing.any()


# --- boundaries ----------------------------------------------------------------------------------

FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0)


def test_boundaries_are_the_published_ones():
    # Five equal looks, two-sided .05, Pocock's kind, as gsDesign, rpact and ldbounds print them.
    z = boundaries(np.array([0.05]), FIFTHS)[0]
    assert z.round(3).tolist() == [2.438, 2.427, 2.410, 2.397, 2.386]


@pytest.mark.parametrize("level", [0.05, 0.0003])
def test_p_value_at_a_boundary_is_its_level(level):
    design = Design(5)
    for number, z in enumerate(boundaries(np.array([level]), FIFTHS[1:])[0]):
        assert design.p_values(number, np.array([z]))[0] == pytest.approx(level, rel=2e-3)
        assert design.boundary(number, level) == pytest.approx(z, rel=2e-3)


def test_p_value_of_no_difference_is_1():
    p = Design(5).p_values(2, np.array([0.0, np.nan]))
    assert p[0] == 1
    assert np.isnan(p[1])
    (p,) = Design(5).p_values(0, boundaries(np.array([0.9]), FIFTHS[1:])[0, :1])
    assert p == pytest.approx(0.9, rel=0.02)


def test_all_looks_together_have_the_nominal_error_rate():
    shares = np.array([0.2, 0.25, 0.7, 1.0])
    steps = np.sqrt(np.diff(shares, prepend=0))
    walks = np.random.default_rng(1).normal(size=(200_000, 4)) * steps
    z = np.abs(walks.cumsum(axis=1)) / np.sqrt(shares)
    crossed = (z > boundaries(np.array([0.1]), shares)).any(axis=1).mean()
    assert crossed == pytest.approx(0.1, abs=0.003)  # four standard errors
