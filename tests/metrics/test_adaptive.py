"""Who is asked on after a look: each goal, by differences whose outcome is plain."""

import numpy as np
import pytest
from scipy.stats import norm

from steadfast.stats.adaptive import Course, Design, Differences

MANY = 1e6  # degrees of freedom: t is z


def after(course: Course, scores: list[float], error: float) -> None:
    """Gives a course the differences of models with these scores, each with this error."""
    first, second = course.pairs.T
    difference = np.array(scores)[first] - np.array(scores)[second]
    z = np.abs(difference) / error
    same = np.full(len(z), error), np.full(len(z), MANY)
    course.look(Differences(difference, *same, 2 * norm.sf(z)))


def test_the_first_look_is_after_two_rounds():
    course = Course(2, Design("best", 8))
    assert course.rounds.tolist() == [2, 2]
    after(course, [0.5, 0.5], 0.1)
    assert course.rounds.tolist() == [3, 3]


def test_a_model_told_worse_than_another_is_not_asked_for_the_best():
    course = Course(3, Design("best", 8))
    after(course, [0.9, 0.88, 0.1], 0.02)
    assert course.going_on.tolist() == [True, True, False]
    after(course, [0.9, 0.5, 0.9], 0.02)  # what was not asked is not looked at
    assert course.told.tolist() == [1, 1, 1]
    assert course.rounds.tolist() == [3, 3, 2]
    assert not course.going_on.any()


def test_of_the_top_two_the_first_goes_on_only_while_it_may_tell_another_out():
    course = Course(4, Design("top", 8, top=2))
    after(course, [0.9, 0.52, 0.5, 0.1], 0.02)
    assert course.going_on.tolist() == [False, True, True, False]
    after(course, [0.9, 0.7, 0.5, 0.1], 0.02)
    assert not course.going_on.any()


def test_a_ranking_goes_on_with_pairs_that_may_yet_be_told_apart():
    course = Course(3, Design("ranking", 4))
    after(course, [0.9, 0.5, 0.46], 0.02)  # z of the last two is 2: their trend ends at 2.8
    assert course.going_on.tolist() == [False, True, True]


def test_a_ranking_leaves_a_pair_that_hardly_can_be_told_apart():
    course = Course(3, Design("ranking", 4))
    after(course, [0.9, 0.5, 0.5], 0.02)
    assert not course.going_on.any()
    assert course.told.tolist() == [1, 1, 0]


def test_margins_stop_where_the_interval_lies_within_them():
    course = Course(2, Design("margins", 4, same=0.03))
    after(course, [0.5, 0.5], 0.03)
    assert course.going_on.all()
    after(course, [0.5, 0.5], 0.005)
    assert not course.going_on.any()
    low, high = course.intervals()
    assert -0.03 < low[0] < 0 < high[0] < 0.03


def test_told_apart_once_is_told_apart_for_good():
    course = Course(3, Design("ranking", 8))
    after(course, [0.9, 0.5, 0.46], 0.02)
    assert course.told.tolist() == [1, 1, 0]
    after(course, [0.5, 0.5, 0.46], 0.02)
    assert course.told.tolist() == [1, 1, 0]
    assert course.adjusted[0] < 0.05


def test_nobody_is_asked_beyond_the_last_round():
    course = Course(2, Design("best", 3))
    for _ in range(2):
        after(course, [0.5, 0.5], 0.1)
    assert not course.going_on.any()
    assert course.rounds.tolist() == [3, 3]


def test_pairs_that_share_no_sample_stay_open():
    course = Course(2, Design("best", 4))
    unknown = np.full(1, np.nan)
    course.look(Differences(unknown, unknown, unknown, unknown))
    assert course.told.tolist() == [0]
    assert course.going_on.all()


def test_contexts_that_all_agree_on_no_difference_show_nobody_alike():
    course = Course(2, Design("margins", 4, same=0.03))
    nothing = np.zeros(1)
    course.look(Differences(nothing, nothing, np.ones(1), np.ones(1)))
    assert course.going_on.all()
    assert np.isnan(course.intervals()).all()


def test_an_interval_is_no_narrower_than_a_stricter_p_says():
    plain, strict = (Course(2, Design("margins", 5)) for _ in range(2))
    values = np.array([0.04]), np.array([0.01]), np.array([MANY])
    for course, p in ((plain, 2 * norm.sf(4)), (strict, 2 * norm.sf(2))):
        course.look(Differences(*values, np.array([p])))
    (low,), _ = strict.intervals()
    assert low == pytest.approx(0.04 - 3.357 * 0.02, abs=1e-5)  # the error that z of 2 says
    assert plain.intervals()[0][0] == pytest.approx(0.04 - 3.357 * 0.01, abs=1e-5)


def test_a_repeated_interval_is_wider_than_the_plain_one():
    course = Course(2, Design("margins", 5))
    after(course, [0.5, 0.5], 0.01)  # the second of five looks: |z| of 3.357, printed
    low, high = course.intervals()
    assert [low[0], high[0]] == pytest.approx([-0.03357, 0.03357], abs=1e-5)
