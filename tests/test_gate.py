"""The gate: verdicts by hand, and how often it errs either way."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from steadfast.compare.gate import PASS, UNCLEAR, WORSE, _more, gate, worst
from steadfast.compare.results import MEASURED, TESTS

T975 = 2.200985  # of 11 degrees of freedom, one-sided; from a table of Student's t


def compared(*tests: tuple[str, float, float, float], lacking: int = 0, full: float = 1.0):
    """A comparison of models in ARS: difference, standard error and p of each, of 12 contexts."""
    rows = [
        ("lifbench", m, "task=overall", "ARS", d, d - T975 * e, d + T975 * e, p, p, 9, e, 11)
        for m, d, e, p in tests
    ]
    models = dict.fromkeys(test[0] for test in tests)
    measured = [("lifbench", m, "ARS", "task=overall", full, 100, lacking) for m in models]
    return SimpleNamespace(
        tests=pd.DataFrame(rows, columns=list(TESTS)),
        measured=pd.DataFrame(measured, columns=list(MEASURED)),
    )


@pytest.mark.parametrize(
    ("difference", "error", "p", "verdict"),
    [
        (0.0, 0.009, 1.0, PASS),  # −.0198 > −.02
        (0.0, 0.01, 1.0, UNCLEAR),  # −.022
        (-0.03, 0.01, 0.012, WORSE),  # p .006
        (-0.03, 0.02, 0.16, UNCLEAR),
        (-0.005, 0.001, 0.0005, PASS),  # worse, by less than the margin
        (0.1, 0.02, 0.0005, PASS),
    ],
)
def test_a_measure_passes_is_worse_or_is_not_told(difference, error, p, verdict):
    found = gate(compared(("m", difference, error, p)), 0.02)
    (row,) = found.measures.itertuples()
    assert (row.verdict, found.verdict) == (verdict, verdict)


def test_the_margin_is_a_share_of_full_marks():
    hsr = ("m", -1.0, 0.4, 0.07)  # 1 of 100 worse; bound −1.88
    assert gate(compared(hsr, full=100.0), 0.02).verdict == PASS
    assert gate(compared(hsr, full=5.0), 0.02).verdict == WORSE  # p .035; margin .1


def test_answers_that_b_lacks_count_as_none_of_their_points():
    fine = ("m", 0.0, 0.004, 1.0)  # bound −.0088
    assert gate(compared(fine, lacking=1), 0.02).verdict == PASS  # −.0188
    assert gate(compared(fine, lacking=2), 0.02).verdict == UNCLEAR  # −.0288


def test_one_that_is_worse_decides_and_all_must_pass():
    fine, worse, unclear = ("a", 0, 0.001, 1), ("b", -0.1, 0.01, 1e-6), ("c", 0, 0.02, 1)
    assert gate(compared(fine, unclear), 0.02).verdict == UNCLEAR
    assert gate(compared(fine, unclear, worse), 0.02).verdict == WORSE


def test_worse_is_corrected_over_models():
    p = 0.06  # one-sided .03; of two models .06
    one, two = ("a", -0.03, 0.014, p), ("b", 0.0, 0.02, 1.0)
    assert gate(compared(one), 0.02).verdict == WORSE
    assert gate(compared(one, two), 0.02).verdict == UNCLEAR


def test_equal_scores_pass_where_they_are_enough_and_no_common_score_tells_nothing():
    none = compared()
    # .98^149 = .0493 and .98^148 = .0503: of so many no failure is seen in 5 of 100 runs.
    scored = {"a": 149, "b": 148, "c": 74, "d": 0}
    rows = [("lifbench", model, "ARS", "", 1.0, count, 0) for model, count in scored.items()]
    none.measured = pd.DataFrame(rows, columns=list(MEASURED))
    found = gate(none, 0.02).measures
    assert found["verdict"].tolist() == [PASS, UNCLEAR, UNCLEAR, UNCLEAR]
    assert found["more"].fillna(0).tolist() == [0, 1.1, 2.1, 0]
    assert found["lacking"].tolist() == [0] * 4


def test_what_more_contexts_would_tell_is_said_where_nothing_else_is():
    (row,) = gate(compared(("m", 0.0, 0.012, 1.0)), 0.02).measures.itertuples()
    for times, enough in ((row.more, True), (row.more - 0.1, False)):
        t = sum(scipy.stats.t.ppf(level, 12 * times - 1) for level in (0.975, 0.8))
        assert (t * 0.012 / math.sqrt(times) <= 0.02) == enough
    (row,) = gate(compared(("m", 0.0, 0.001, 1.0)), 0.02).measures.itertuples()
    assert math.isnan(row.more)


def test_more_is_reckoned_with_the_t_of_as_many_clusters():
    # 22.93 = 6 · ((t.975 + t.8 of 21.93 degrees) · .02 / .03)², and 22.93 / 6 = 3.82.
    assert _more(0.02, 5, 0.03) == 3.9
    assert math.isnan(_more(0.0, 5, 0.03))


@pytest.mark.parametrize(
    ("truth", "wrong"), [(-0.02, PASS), (0.0, WORSE)], ids=["a regression", "none"]
)
def test_it_errs_in_at_most_5_of_100_runs_either_way(truth, wrong):
    rng, runs, errors = np.random.default_rng(8), 200, 0
    for _ in range(runs):
        tests = []
        for model in "ab":
            apart = truth + rng.normal(0, 0.02, 12)
            p = scipy.stats.ttest_1samp(apart, 0).pvalue
            tests.append((model, apart.mean(), scipy.stats.sem(apart), p))
        errors += gate(compared(*tests), 0.02).verdict == wrong
    assert errors / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


def test_the_samples_that_fell_most_come_first():
    samples = pd.DataFrame(
        {"kind": ["worse", "better", "worse"], "total_a": [1, 0, 1], "total_b": [0.9, 1, 0]}
    )
    assert worst(SimpleNamespace(samples=samples)).index.tolist() == [2, 0]
