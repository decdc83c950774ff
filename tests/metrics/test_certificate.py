"""How many contexts a certificate asks for."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from steadfast.contract.components import Scored
from steadfast.stats.certificate import Compared, TaskGroup, Wanted, pilot_rows
from steadfast.stats.intervals import Clusters
from steadfast.stats.variance_components import Components

ONE = np.ones(1)
NORMAL = Wanted(0.1, 0.8, skewed=False)


def group(variance: float, trend: float = 0.0, residual: float = 0.0, **settings) -> TaskGroup:
    of = Components(
        ("T",),
        np.full((1, 1), variance),
        np.full((1, 1), trend),
        0 * ONE,
        0 * ONE,
        residual * ONE,
        9,
    )
    return TaskGroup(of, ONE, settings.pop("samples", 1) * ONE, **settings)


def test_as_many_contexts_as_a_paired_t_test_needs():
    # G*Power 3.1: 787 pairs for an effect of 0.1, and power .80
    assert NORMAL.clusters([group(1.0)]) == 787


def test_lengths_share_the_contexts_that_are_needed():
    lengths = group(1.0, steps=(11.0, 12.0, 13.0, 14.0))
    assert NORMAL.clusters([lengths]) == 197  # 787 ÷ 4


def test_more_pairs_need_more_contexts():
    # (2.8070 + .8416)² ÷ (1.9600 + .8416)² = 1.696 times as many, but for the t distribution
    found = replace(NORMAL, pairs=10).clusters([group(1.0)])
    assert found == pytest.approx(1.696 * 787, rel=0.005)


def test_samples_take_chance_out_of_a_context():
    few, many = (group(0.5, residual=1.0, samples=samples) for samples in (2, 10**6))
    assert NORMAL.clusters([few]) == 787  # .5 + 1 ÷ 2
    assert NORMAL.clusters([many]) == pytest.approx(787 / 2, abs=2)


def test_with_one_context_a_length_the_trend_counts_as_chance():
    lengths = group(0.01, trend=0.04, steps=(11.0, 12.0, 13.0, 14.0, 15.0, 16.0))
    assert NORMAL.smallest([lengths], 1) > 2 * NORMAL.smallest([lengths], 2)


def test_a_task_by_itself_has_its_own_variance():
    none = np.zeros(2)
    of = Components(("a", "b"), np.diag([0.01, 0.04]), np.zeros((2, 2)), none, none, none, 9)
    both = TaskGroup(of, np.full(2, 0.5), np.ones(2))
    groups = both, both.of_task("a"), both.of_task("b")
    # Of half of each, (.01 + .04) ÷ 4.
    variances = [one.strata(10)[0].variance for one in groups]
    assert variances == pytest.approx([0.0125, 0.01, 0.04])


def test_a_run_that_can_never_be_large_enough_has_no_number():
    assert Wanted(1e-6, 0.8).clusters([group(1.0)]) is None


def test_fewer_than_six_contexts_promise_nothing():
    # The signs of five differences cannot reach p = .05.
    assert Wanted(100.0, 0.8).reached([group(1.0)], 5) == 0
    assert np.isnan(Wanted(100.0, 0.8).smallest([group(1.0)], 5))


@pytest.mark.parametrize("contexts", [8, 30, 120])
def test_a_promise_holds_where_few_contexts_fail_of_the_better_model(contexts):
    wanted, of = Wanted(1.0, 0.8), [group(1.0)]
    difference = wanted.smallest(of, contexts)
    gaps = 1 - np.random.default_rng(4).exponential(size=(1000, contexts)) + difference
    names = [f"c{number}" for number in range(contexts)]
    drawn = Clusters(pd.DataFrame({"cluster": names}), [])
    columns = drawn.clusters
    ones = pd.DataFrame(1, range(1000), columns)
    found = drawn.ratios(pd.DataFrame(gaps, columns=columns), ones, (-np.inf, np.inf))
    assert (found.p_values() < 0.05).mean() == pytest.approx(0.8, abs=0.05)


def test_groups_of_unequal_size_keep_their_shares():
    groups = [group(0.01, share=0.25), group(0.01, share=0.75)]
    assert [s.clusters for one in groups for s in one.strata(40)] == [10, 30]


def test_a_pilot_s_rows_are_those_of_its_rubric():
    record = {
        "task": "LSI", "context_id": "c", "sample_id": "s", "expression_id": 1, "variable_id": 2,
        "rubric": "released", "total": 0.5,
    }  # fmt: skip
    other = record | {"rubric": "corrected"}
    compared = Compared("contexts", {"LSI": 1.0}, {"LSI": "list"}, rubric="released")
    rows = pilot_rows([Scored("m", "4k", record), Scored("n", "4k", other)], compared)
    assert rows[
        ["group", "part", "task", "expression", "variable", "model", "total"]
    ].values.tolist() == [["list", "4k", "LSI", 1, 2, "m", 0.5]]


def test_without_weights_samples_count_alike_whatever_their_task():
    record = {"task": "travel", "context_id": "c", "sample_id": "s", "total": None}
    rows = pilot_rows([Scored("m", "zh", record)], Compared("records"))
    assert rows[["group", "task"]].values.tolist() == [["overall", "overall"]]
