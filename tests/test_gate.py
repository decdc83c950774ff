"""The gate: verdicts by hand, and how often it errs either way."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from steadfast.compare.gate import (
    IDENTICAL,
    PASS,
    UNCLEAR,
    WORSE,
    gate,
    more_units,
    shown_worse,
    units_needed,
    worst,
)
from steadfast.compare.results import MEASURED, TESTS
from steadfast.stats.power import smallest_difference

T975 = 2.200985  # of 11 degrees of freedom, one-sided; from a table of Student's t


def compared(*tests: tuple[str, float, float], lacking: int = 0, full: float = 1.0):
    """A comparison of models in ARS: difference and standard error of each, of 12 contexts."""
    rows = [
        ("lifbench", m, "task=overall", "ARS", d, d - T975 * e, d + T975 * e, 1, 1, 9, e, 11, 12)
        for m, d, e in tests
    ]
    models = dict.fromkeys(test[0] for test in tests)
    measured = [("lifbench", m, "ARS", "task=overall", full, 100, lacking, False) for m in models]
    return SimpleNamespace(
        tests=pd.DataFrame(rows, columns=list(TESTS)),
        measured=pd.DataFrame(measured, columns=list(MEASURED)),
    )


def agreeing(difference: float, contexts: int, identical: bool = False):
    """A comparison in which all contexts differ alike."""
    one = compared(("m", difference, 0.0))
    one.tests["clusters"] = contexts
    one.tests["degrees_of_freedom"] = contexts - 1
    one.measured["identical"] = identical
    return one


def test_a_measure_passes_is_worse_or_is_not_told():
    for difference, error, verdict in (
        (0.0, 0.009, PASS),  # −.0198 > −.02
        (0.0, 0.01, UNCLEAR),  # −.022
        (-0.05, 0.01, WORSE),  # t = −3 of 11 degrees: p .006 of no more than −.02
        (-0.03, 0.01, UNCLEAR),  # below 0, and perhaps within the margin: t = −1
        (-0.005, 0.001, PASS),  # a loss within the margin
        (0.1, 0.02, PASS),
    ):
        found = gate(compared(("m", difference, error)), 0.02)
        (row,) = found.measures.itertuples()
        assert (row.verdict, found.verdict) == (verdict, verdict), difference


def test_the_margin_is_a_share_of_full_marks_and_lacking_answers_count_as_none():
    hsr = ("m", -1.0, 0.4)  # 1 of 100 worse; from −1.88 to −.12
    assert gate(compared(hsr, full=100.0), 0.02).verdict == PASS
    assert gate(compared(("m", -0.9, 0.4), full=5.0), 0.02).verdict == UNCLEAR  # t = −2, p .035
    assert gate(compared(("m", -1.5, 0.4), full=5.0), 0.02).verdict == WORSE  # t = −3.5, p .0025
    fine = ("m", 0.0, 0.004)  # bound −.0088
    assert gate(compared(fine, lacking=1), 0.02).verdict == PASS  # −.0188
    assert gate(compared(fine, lacking=2), 0.02).verdict == UNCLEAR  # −.0288


def test_one_that_is_worse_decides_all_must_pass_and_worse_is_corrected_over_models():
    fine = ("a", 0, 0.001)
    worse = ("b", -0.1, 0.01)
    unclear = ("c", 0, 0.02)
    assert gate(compared(fine, unclear), 0.02).verdict == UNCLEAR
    assert gate(compared(fine, unclear, worse), 0.02).verdict == WORSE
    one, two = ("a", -0.05, 0.01), ("b", 0.0, 0.02)  # p .006, and .012 of two
    assert gate(compared(one), 0.02).verdict == WORSE
    assert gate(compared(one, two), 0.02).verdict == UNCLEAR


def test_contexts_that_agree_are_counted_as_contexts():
    for difference, contexts, strict, verdict in (
        (0.0, 2, False, PASS),
        (-0.01, 6, False, PASS),
        (-0.02, 6, False, UNCLEAR),  # the margin itself
        (-0.03, 6, False, WORSE),  # 2⁻⁶ = .016
        (-0.03, 4, False, UNCLEAR),  # 2⁻⁴ = .06
        (0.0, 148, True, UNCLEAR),
        (0.0, 149, True, PASS),
    ):
        assert gate(agreeing(difference, contexts), 0.02, strict).verdict == verdict, difference


def test_what_may_be_unseen_strict_needs_and_six_contexts_tell():
    # .98^149 = .0493 and .98^148 = .0503
    assert units_needed(0.02) == 149
    # (1 − .3930)^6 = .05
    assert gate(agreeing(0.0, 6), 0.02).unseen == pytest.approx(0.3930, abs=5e-5)
    least = 2.0**-6  # p that the signs of six contexts can give; twice the mean .03125 ≤ .032
    assert shown_worse(np.full(8, least))[0].all()
    each, together = shown_worse(np.array([least, 0.2]))
    assert not each.any() and not together
    each, together = shown_worse(np.array([0.004, 0.004, 0.03]))  # mean .0127, and .017 of two
    assert together and not each.any()
    assert not shown_worse(np.array([]))[1]


def test_same_responses_or_no_common_score_are_no_test():
    assert gate(agreeing(0.0, 1, identical=True), 0.02).verdict == IDENTICAL
    both = agreeing(0.0, 20)
    both.measured = pd.concat([both.measured, both.measured.assign(model="n", identical=True)])
    both.tests = pd.concat([both.tests, both.tests.assign(model="n")])
    found = gate(both, 0.02)
    assert (found.verdict, found.measures["verdict"].tolist()) == (PASS, [PASS, IDENTICAL])
    none = compared()
    none.measured = pd.DataFrame(
        [("lifbench", "m", "ARS", "", 1.0, 0, 0, False)], columns=list(MEASURED)
    )
    assert gate(none, 0.02).verdict == UNCLEAR


def test_what_more_units_would_tell_is_said_where_nothing_else_is():
    (row,) = gate(compared(("m", 0.0, 0.012)), 0.02).measures.itertuples()
    more = more_units(row, 0.02)
    clusters = round(more * 12)
    assert more == clusters / 12

    def told_apart(clusters):
        times = clusters / 12
        return smallest_difference(0.012 / math.sqrt(times), 11 * times)

    # A loss of the margin is told from none in 80 of 100 runs: by about (t.975 + t.8) errors.
    t = sum(scipy.stats.t.ppf(level, 11 * more) for level in (0.975, 0.8))
    assert t * 0.012 / math.sqrt(more) == pytest.approx(0.02, rel=0.08)
    assert told_apart(clusters) <= 0.02 < told_apart(clusters - 1)
    (row,) = gate(compared(("m", 0.0, 0.0)), 0.02).measures.itertuples()
    assert math.isnan(more_units(row, 0.02))


@pytest.mark.wide
@pytest.mark.parametrize("wrong", [PASS, WORSE])
def test_it_errs_in_at_most_5_of_100_runs_where_the_loss_is_the_margin(wrong):
    rng = np.random.default_rng(8)
    runs = 200
    errors = 0
    for _ in range(runs):
        apart = -0.02 + rng.normal(0, 0.02, (2, 12))
        tests = zip("ab", apart.mean(1), scipy.stats.sem(apart, axis=1), strict=True)
        errors += gate(compared(*tests), 0.02).verdict == wrong
    assert errors / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


def test_the_samples_that_fell_most_come_first():
    samples = pd.DataFrame(
        {"kind": ["worse", "better", "worse"], "total_a": [1, 0, 1], "total_b": [0.9, 1, 0]}
    )
    assert worst(SimpleNamespace(samples=samples)).index.tolist() == [2, 0]
