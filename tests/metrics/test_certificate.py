"""How many contexts a certificate asks for."""

import numpy as np
import pytest

from steadfast.contract.components import Scored
from steadfast.stats.certificate import Compared, TaskGroup, Wanted, pilot_rows
from steadfast.stats.variance_components import Components

ONE = np.ones(1)


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
    assert Wanted(0.1, 0.8).clusters([group(1.0)]) == 787


def test_lengths_share_the_contexts_that_are_needed():
    lengths = group(1.0, steps=(11.0, 12.0, 13.0, 14.0))
    assert Wanted(0.1, 0.8).clusters([lengths]) == 197  # 787 ÷ 4


def test_more_pairs_need_more_contexts():
    # (2.8070 + .8416)² ÷ (1.9600 + .8416)² = 1.696 times as many, but for the t distribution
    found = Wanted(0.1, 0.8, pairs=10).clusters([group(1.0)])
    assert found == pytest.approx(1.696 * 787, rel=0.005)


def test_samples_take_chance_out_of_a_context():
    few, many = (group(0.5, residual=1.0, samples=samples) for samples in (2, 10**6))
    assert Wanted(0.1, 0.8).clusters([few]) == 787  # .5 + 1 ÷ 2
    assert Wanted(0.1, 0.8).clusters([many]) == pytest.approx(787 / 2, abs=2)


def test_with_one_context_a_length_the_trend_counts_as_chance():
    lengths = group(0.01, trend=0.04, steps=(11.0, 12.0, 13.0, 14.0))
    assert Wanted(0.1, 0.8).smallest([lengths], 1) > 2 * Wanted(0.1, 0.8).smallest([lengths], 2)


def test_a_run_that_can_never_be_large_enough_has_no_number():
    assert Wanted(1e-6, 0.8).clusters([group(1.0)]) is None


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
