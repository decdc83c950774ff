"""Boundaries and p-values of tests that are looked at several times: against printed tables."""

import numpy as np
import pytest
from scipy.stats import norm

from steadfast.stats.sequential import Looks, boundaries, evenly, late

FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0)


@pytest.mark.parametrize(
    ("spending", "printed"),
    # Five equal looks, two-sided .05, as gsDesign, rpact and ldbounds print them.
    [(late, [4.877, 3.357, 2.680, 2.290, 2.031]), (evenly, [2.438, 2.427, 2.410, 2.397, 2.386])],
    ids=["O'Brien and Fleming", "Pocock"],
)
def test_boundaries_are_the_printed_ones(spending, printed):
    found = boundaries(np.array([0.05]), FIFTHS, spending)[0]
    assert found.round(3).tolist() == printed


def test_a_single_look_is_the_plain_test():
    levels = np.array([0.05, 0.001])
    assert boundaries(levels, [1.0], late)[:, 0] == pytest.approx(norm.isf(levels / 2))


@pytest.mark.parametrize("spending", [evenly, late])
def test_all_looks_together_cross_as_often_as_the_level(spending):
    shares = np.array([0.2, 0.25, 0.7, 1.0])
    steps = np.sqrt(np.diff(shares, prepend=0))
    walks = np.random.default_rng(1).normal(size=(200_000, 4)) * steps
    z = np.abs(walks.cumsum(axis=1)) / np.sqrt(shares)
    crossed = (z > boundaries(np.array([0.1]), shares, spending)).any(axis=1).mean()
    assert crossed == pytest.approx(0.1, abs=0.003)  # four standard errors


@pytest.mark.parametrize("spending", [evenly, late])
def test_p_is_the_level_whose_boundary_was_just_reached(spending):
    looks = Looks(FIFTHS, spending)
    for level in (0.05, 0.0003):
        exact = boundaries(np.array([level]), FIFTHS, spending)[0]
        for look, z in enumerate(exact):
            assert looks.p_values(look, np.array([z]))[0] == pytest.approx(level, rel=2e-3)
            assert looks.boundary(look, level) == pytest.approx(z, rel=2e-3)


def test_p_of_nothing_is_one_and_of_the_unknown_unknown():
    p = Looks(FIFTHS, late).p_values(2, np.array([0.0, np.nan]))
    assert p[0] == 1 and np.isnan(p[1])
