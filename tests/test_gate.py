"""The gate: verdicts by hand, and its error rates."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from project import ROOT
from steadfast.compare import gate
from steadfast.compare.gate import IDENTICAL, PASS, UNCLEAR, WORSE
from steadfast.compare.results import MEASURED, TESTS
from steadfast.stats.power import minimum_detectable_difference

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
    comparison = compared(("m", difference, 0.0))
    comparison.tests["clusters"] = contexts
    comparison.tests["degrees_of_freedom"] = contexts - 1
    comparison.measured["identical"] = identical
    return comparison


def verdict_of(comparison, strict: bool = False) -> str:
    return gate.gate(comparison, 0.02, strict).verdict


@pytest.mark.parametrize(
    ("difference", "error", "verdict"),
    [
        (0.0, 0.009, PASS),  # −.0198 > −.02
        (0.0, 0.01, UNCLEAR),  # −.022
        (-0.05, 0.01, WORSE),  # t = −3 of 11 degrees: p .006 of no more than −.02
        (-0.03, 0.01, UNCLEAR),  # below 0, and perhaps within the margin: t = −1
        (-0.005, 0.001, PASS),  # a loss within the margin
        (0.1, 0.02, PASS),
    ],
)
def test_measure_passes_or_is_worse_by_its_interval(difference, error, verdict):
    result = gate.gate(compared(("m", difference, error)), 0.02)
    assert [result.verdict, *result.measures["verdict"]] == [verdict, verdict]


def test_margin_is_a_share_of_full_marks():
    hsr = ("m", -1.0, 0.4)  # 1 of 100 worse; from −1.88 to −.12
    assert verdict_of(compared(hsr, full=100.0)) == PASS
    assert verdict_of(compared(hsr, full=100.0, lacking=1)) == UNCLEAR  # −2.88
    assert verdict_of(compared(("m", -0.9, 0.4), full=5.0)) == UNCLEAR  # t = −2, p .035
    result = gate.gate(compared(("m", -1.5, 0.4), full=5.0), 0.02)
    assert result.verdict == WORSE
    row = result.measures.iloc[0]
    assert row["p"] == pytest.approx(scipy.stats.t.cdf(-3.5, 11), rel=1e-5)
    assert row["error"] == pytest.approx(0.4 / 5)


def test_lacking_scores_count_as_zero():
    equal = ("m", 0.0, 0.004)  # bound −.0088
    assert verdict_of(compared(equal, lacking=1)) == PASS  # −.0188
    assert verdict_of(compared(equal, lacking=2)) == UNCLEAR  # −.0288


def test_exit_codes_are_those_of_the_docs():
    lines = (ROOT / "docs/compare.md").read_text().splitlines()
    for verdict, code in gate.EXIT_CODES.items():
        (line,) = [line for line in lines if line.startswith(f"| {verdict} |")]
        assert line.endswith(f"| {code} |")


def test_one_worse_model_decides_and_all_must_pass():
    passing = ("a", 0, 0.001)
    worse = ("b", -0.1, 0.01)
    unclear = ("c", 0, 0.02)
    assert verdict_of(compared(passing, unclear)) == UNCLEAR
    assert verdict_of(compared(passing, unclear, worse)) == WORSE
    lower = ("a", -0.05, 0.01)  # p .006, and .012 of two
    assert verdict_of(compared(lower)) == WORSE
    assert verdict_of(compared(lower, unclear)) == UNCLEAR


@pytest.mark.parametrize(
    ("difference", "contexts", "strict", "verdict"),
    [
        (0.0, 2, False, PASS),
        (-0.01, 6, False, PASS),
        (-0.02, 6, False, UNCLEAR),  # the margin itself
        (-0.03, 6, False, WORSE),  # 2⁻⁶ = .016
        (-0.03, 4, False, UNCLEAR),  # 2⁻⁴ = .06
        (0.0, 148, True, UNCLEAR),  # .98^148 = .0503
        (0.0, 149, True, PASS),  # .98^149 = .0493
    ],
)
def test_contexts_that_agree_are_judged_by_their_number(difference, contexts, strict, verdict):
    assert verdict_of(agreeing(difference, contexts), strict) == verdict


def test_share_of_contexts_where_a_loss_may_be_unseen():
    # (1 − .3930)^6 = .05
    result = gate.gate(agreeing(0.0, 6), 0.02)
    assert result.unseen == pytest.approx(0.3930, abs=5e-5)
    assert result.measures["p"].tolist() == [1]
    assert gate.gate(agreeing(0.0, 1), 0.02).unseen == pytest.approx(0.95)


def test_worse_is_shown_by_the_mean_of_p_values():
    lowest = 2.0**-6  # p that the signs of six contexts can give; twice the mean .03125 ≤ .032
    each, _ = gate.significantly_worse(np.full(8, lowest))
    assert each.all()
    each, together = gate.significantly_worse(np.array([lowest, 0.2]))
    assert not each.any() and not together
    each, together = gate.significantly_worse(
        np.array([0.004, 0.004, 0.03])
    )  # mean .0127, and .017 of two
    assert together and not each.any()
    _, together = gate.significantly_worse(np.array([]))
    assert not together
    # One p-value counts once, and the mean of two twice: .02 ≤ .032 < .036.
    assert gate.significantly_worse(np.array([0.02]))[1]
    assert not gate.significantly_worse(np.array([0.016, 0.02]))[1]
    # Twice the mean of the first two is .032, and of all three .035.
    assert not gate.significantly_worse(np.array([0.012, 0.02, 0.02]))[1]


def test_identical_responses_are_not_tested():
    assert verdict_of(agreeing(0.0, 1, identical=True)) == IDENTICAL
    comparison = agreeing(0.0, 20)
    identical = comparison.measured.assign(model="n", identical=True)
    comparison.measured = pd.concat([comparison.measured, identical])
    comparison.tests = pd.concat([comparison.tests, comparison.tests.assign(model="n")])
    result = gate.gate(comparison, 0.02)
    assert (result.verdict, result.measures["verdict"].tolist()) == (PASS, [PASS, IDENTICAL])


def test_gain_of_full_marks_is_no_loss():
    comparison = compared(("m", 1.0, 0.01))
    comparison.tests["high"] = 1.0
    assert gate.gate(comparison, 0.02).measures["p"].tolist() == [1.0]


def test_gate_without_common_scores_is_unclear():
    comparison = compared()
    comparison.measured = pd.DataFrame(
        [("lifbench", "m", "ARS", "", 1.0, 0, 0, False)], columns=list(MEASURED)
    )
    result = gate.gate(comparison, 0.02)
    assert result.verdict == UNCLEAR
    assert result.measures[["sampling_units", "lacking"]].values.tolist() == [[0, 0]]
    assert result.unseen == 1


def test_measure_is_named_with_the_further_keys_of_its_cell():
    comparison = compared(("m", 0.0, 0.01))
    comparison.tests["cell"] = "language=en task=overall"
    assert gate.gate(comparison, 0.02).measures["measure"].tolist() == ["ARS language=en"]


def test_more_units_make_the_margin_detectable():
    (row,) = gate.gate(compared(("m", 0.0, 0.012)), 0.02).measures.itertuples()
    factor = gate.more_units(row, 0.02)
    units = round(factor * 12)
    assert factor == units / 12

    def detectable(units):
        return minimum_detectable_difference(0.012 / math.sqrt(units / 12), 11 * units / 12)

    # A loss of the margin is detected in 80 of 100 runs: by about (t.975 + t.8) errors.
    t = scipy.stats.t.ppf([0.975, 0.8], 11 * factor).sum()
    assert t * 0.012 / math.sqrt(factor) == pytest.approx(0.02, rel=0.08)
    assert detectable(units) <= 0.02 < detectable(units - 1)
    (row,) = gate.gate(compared(("m", 0.0, 0.0)), 0.02).measures.itertuples()
    assert math.isnan(gate.more_units(row, 0.02))


@pytest.mark.wide
@pytest.mark.parametrize("wrong", [PASS, WORSE])
def test_gate_errs_in_at_most_5_percent_of_runs_at_the_margin(wrong):
    rng = np.random.default_rng(8)
    runs = 200
    errors = 0
    for _ in range(runs):
        differences = -0.02 + rng.normal(0, 0.02, (2, 12))
        standard_errors = scipy.stats.sem(differences, axis=1)
        tests = zip("ab", differences.mean(1), standard_errors, strict=True)
        errors += verdict_of(compared(*tests)) == wrong
    assert errors / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


def test_samples_that_lost_most_come_first():
    samples = pd.DataFrame(
        {"kind": ["worse", "better", "worse"], "total_a": [0.2, 0, 1], "total_b": [0.1, 1, 0.5]}
    )
    assert gate.largest_losses(SimpleNamespace(samples=samples)).index.tolist() == [2, 0]
