"""Who is asked on after a look, by differences whose outcome is plain, and its boundaries."""

import numpy as np
import pytest
from scipy.stats import norm

from steadfast.stats.adaptive import Course, Design, Differences, boundaries

MANY = 1e6  # degrees of freedom: t is z
UNKNOWN = Differences(*np.full((4, 1), np.nan))


def after(course: Course, scores: list[float], error: float) -> None:
    """Gives a course the differences of models with these scores, each with this error."""
    first, second = course.pairs.T
    difference = np.array(scores)[first] - np.array(scores)[second]
    z = np.abs(difference) / error
    same = np.full(len(z), error), np.full(len(z), MANY)
    course.look(Differences(difference, *same, 2 * norm.sf(z)))


def test_nobody_is_asked_beyond_the_last_round_and_the_first_look_is_after_two():
    course = Course(2, Design(8))
    assert course.rounds.tolist() == [2, 2]
    after(course, [0.5, 0.5], 0.1)
    assert course.rounds.tolist() == [3, 3]
    course = Course(2, Design(3))
    for _ in range(2):
        after(course, [0.5, 0.5], 0.1)
    assert not course.going_on.any()
    assert course.rounds.tolist() == [3, 3]


def test_a_model_told_worse_than_another_is_not_asked_for_the_best():
    course = Course(3, Design(8))
    after(course, [0.9, 0.88, 0.1], 0.02)
    assert course.going_on.tolist() == [True, True, False]
    after(course, [0.9, 0.5, 0.9], 0.02)  # what was not asked is not looked at
    assert course.told.tolist() == [1, 1, 1]
    assert course.last.difference.tolist() == pytest.approx([0.4, 0.8, 0.78])
    assert course.rounds.tolist() == [3, 3, 2]
    assert not course.going_on.any()


def test_what_was_told_at_a_look_stays():
    course = Course(4, Design(8, top=2))
    after(course, [3, 2, 2, 1], 0.5)
    assert course.told.tolist() == [0, 0, 1, 0, 0, 0]
    assert course.going_on.all()
    after(course, [1, 2, 2, 3], 0.5)
    assert course.told.tolist() == [0, 0, 1, 0, 0, 0]
    assert course.last.difference[2] == -2
    course = Course(3, Design(5))
    after(course, [2.3, 0.0, 1.15], 1.0)  # p of .0409 by the boundary, above .05 ÷ 3
    first = course.p.copy()
    after(course, [0.0, 0.0, 0.0], 1.0)
    assert course.p.tolist() == first.tolist()
    assert course.last.difference.tolist() == [0.0, 0.0, 0.0]  # while values are the last look's


def test_pairs_without_a_difference_stay_open():
    course = Course(2, Design(4))
    course.look(UNKNOWN)
    assert (course.told.tolist(), course.p.tolist()) == ([0], [1])
    assert course.going_on.all()
    course = Course(2, Design(4))
    nothing = np.zeros(1)
    course.look(Differences(nothing, nothing, np.ones(1), np.ones(1)))
    assert course.going_on.all()
    assert np.isnan(course.intervals()).all()


def test_a_look_that_knows_nothing_of_a_pair_leaves_what_was_known():
    course = Course(2, Design(5))
    after(course, [2.0, 0.0], 1.0)
    known = course.p.tolist(), course.last.difference.tolist(), course.boundary
    course.look(UNKNOWN)
    assert (course.p.tolist(), course.last.difference.tolist(), course.boundary) == known
    after(course, [2.0, 0.0], 1.0)
    third = boundaries(np.array([0.05]), [0.4, 0.6, 0.8, 1.0])[0, 2]
    assert course.boundary == pytest.approx(third, rel=1e-3)


def test_an_interval_is_no_narrower_than_a_stricter_p_says():
    plain, strict = (Course(2, Design(5)) for _ in range(2))
    values = np.array([0.04]), np.array([0.01]), np.array([MANY])
    for course, p in ((plain, 2 * norm.sf(4)), (strict, 2 * norm.sf(2))):
        course.look(Differences(*values, np.array([p])))
    z = boundaries(np.array([0.05]), [0.4, 0.6, 0.8, 1.0])[0, 0]
    (low,), _ = strict.intervals()
    assert low == pytest.approx(0.04 - z * 0.02, abs=1e-5)  # the error that z of 2 says
    assert plain.intervals()[0][0] == pytest.approx(0.04 - z * 0.01, abs=1e-5)


# --- the stopping rule, by hand: t is z, and there are four looks, at 2 to 5 rounds of 5 ---------


def test_pairs_are_told_apart_from_the_boundary_on_by_their_number():
    # Spent by 2 of 5 rounds: .05 · ln(1 + (e − 1) · .4) = .02616, so that |z| has to reach 2.2239.
    assert norm.isf(0.05 * np.log(1 + (np.e - 1) * 0.4) / 2) == pytest.approx(2.2239, abs=1e-4)
    for z, told in ((2.21, 0), (2.24, 1)):
        course = Course(2, Design(5))
        after(course, [z, 0.0], 1.0)
        assert course.told.tolist() == [told]
        assert course.going_on.all() == (told == 0)
    # Holm: .05 ÷ 3; spent of it by 2 of 5 rounds: .05 ÷ 3 · .52323 = .0087206, |z| of 2.6225.
    for z, told in ((2.60, 0), (2.65, 1)):
        course = Course(3, Design(5))
        after(course, [z, 0.0, z / 2], 1.0)
        assert course.told.tolist() == [told, 0, 0]
        assert course.boundary == pytest.approx(2.6225, abs=3e-3)


def test_who_goes_on_by_what_is_told():
    for scores, top, going_on in (
        ([9, 0, 0, 0], 1, [False] * 4),  # the best is known
        ([9, 9, 0, 0], 1, [True, True, False, False]),
        ([3, 2, 2, 1], 1, [True, True, True, False]),  # one better model is enough to be out
        ([9, 9, 0, 0], 2, [False] * 4),  # the best two are known, in whatever order
        ([9, 5, 5, 0], 2, [False, True, True, False]),  # the first's place depends on nobody
        ([9, 8, 7, 0], 2, [True, True, True, False]),  # all three may be among the two
        ([9, 5, 0, 0], 3, [False, False, True, True]),  # one of the two last is the third
        ([0, 0, 0, 0], 4, [False] * 4),  # all are
    ):
        course = Course(4, Design(5, top))
        after(
            course, scores, 0.5
        )  # 2 apart: z of 4; 1 apart: 2, which the six pairs do not tell apart
        assert course.going_on.tolist() == going_on, scores


def test_two_of_four_are_known_though_tests_form_no_order():
    for told in (
        # Pairs 01, 02, 03, 12, 13, 23. The third and fourth are each told worse than two, though
        # the second is told better than the fourth alone: two are left, and two are wanted.
        [0, 1, 1, 0, 1, -1],
        # The first and second are told better than two each: both places are taken.
        [1, 1, 0, 1, 1, 0],
    ):
        course = Course(4, Design(5, top=2))
        course.told[:] = told
        course.look(Differences(*np.full((4, 6), np.nan)))
        assert not course.going_on.any(), told


# --- boundaries ----------------------------------------------------------------------------------

FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0)


def test_boundaries_are_the_printed_ones_and_give_p_values_back():
    # Five equal looks, two-sided .05, Pocock's kind, as gsDesign, rpact and ldbounds print them.
    found = boundaries(np.array([0.05]), FIFTHS)[0]
    assert found.round(3).tolist() == [2.438, 2.427, 2.410, 2.397, 2.386]
    design = Design(5)
    for level in (0.05, 0.0003):
        exact = boundaries(np.array([level]), FIFTHS[1:])[0]
        for look, z in enumerate(exact):
            assert design.p_values(look, np.array([z]))[0] == pytest.approx(level, rel=2e-3)
            assert design.boundary(look, level) == pytest.approx(z, rel=2e-3)
    p = Design(5).p_values(2, np.array([0.0, np.nan]))
    assert p[0] == 1 and np.isnan(p[1])


def test_all_looks_together_cross_as_often_as_the_level():
    shares = np.array([0.2, 0.25, 0.7, 1.0])
    steps = np.sqrt(np.diff(shares, prepend=0))
    walks = np.random.default_rng(1).normal(size=(200_000, 4)) * steps
    z = np.abs(walks.cumsum(axis=1)) / np.sqrt(shares)
    crossed = (z > boundaries(np.array([0.1]), shares)).any(axis=1).mean()
    assert crossed == pytest.approx(0.1, abs=0.003)  # four standard errors
