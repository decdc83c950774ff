"""How many contexts a certificate asks for."""

import numpy as np
import pandas as pd
import pytest

from steadfast.contract.components import Scored
from steadfast.stats.certificate import Compared, TaskGroup, clusters_needed, pilot_rows, smallest
from steadfast.stats.intervals import Clusters
from steadfast.stats.variance_components import Components

ONE = np.ones(1)
LENGTHS = (11.0, 12.0, 13.0, 14.0)


def group(variance: float, trend: float = 0.0, residual: float = 0.0, **settings) -> TaskGroup:
    context, slope = np.full((1, 1), variance), np.full((1, 1), trend)
    of = Components(("T",), context, slope, residual * ONE, 9)
    return TaskGroup(of, ONE, settings.pop("samples", 1) * ONE, **settings)


def test_as_many_contexts_as_a_skewed_normal_deviate_needs():
    # (1.960 + .842)² ÷ .1² = 785 normal contexts. Skewed against the better model (γ = −2/√n) it
    # takes more: t of 1.963 where Hall's cubic is, and √(1 + t · 2/√n + t² · 2/n) times as spread.
    n = clusters_needed([group(1.0)], 0.1)
    skew = 2 / n**0.5
    reach = 3 * ((1 - skew * (1.963 + skew / 6)) ** (1 / 3) - 1) / -skew
    spread = (1 + reach * skew + reach**2 * 2 / n) ** 0.5
    assert (reach + 0.8416 * spread) ** 2 / 0.1**2 == pytest.approx(n, abs=2)
    assert 785 < n < 950


def test_lengths_share_the_contexts_that_are_needed_and_more_pairs_need_more():
    alone, four = clusters_needed([group(1.0)], 0.1), group(1.0, steps=LENGTHS)
    assert clusters_needed([four], 0.1) == pytest.approx(alone / 4, abs=1)
    assert clusters_needed([group(1.0)], 0.1, pairs=10) > 1.5 * alone


def test_samples_take_chance_out_of_a_context():
    alone = clusters_needed([group(1.0)], 0.1)
    few, many = (group(0.5, residual=1.0, samples=samples) for samples in (2, 10**6))
    assert clusters_needed([few], 0.1) == alone  # .5 + 1 ÷ 2
    assert clusters_needed([many], 0.1) < 0.6 * alone


def test_with_one_context_a_length_the_trend_counts_as_chance():
    lengths = group(0.01, trend=0.04, steps=(*LENGTHS, 15.0, 16.0))
    assert smallest([lengths], 1) > 2 * smallest([lengths], 2)


def test_a_run_that_can_never_be_large_enough_has_no_number():
    assert clusters_needed([group(1.0)], 1e-6) is None


def test_fewer_than_six_contexts_promise_nothing():
    # The signs of five differences cannot reach p = .05.
    assert np.isnan(smallest([group(1.0)], 5))
    assert clusters_needed([group(1.0)], 100.0) == 6


@pytest.mark.parametrize("contexts", [8, 120])
def test_a_promise_holds_where_few_contexts_fail_of_the_better_model(contexts):
    difference = smallest([group(1.0)], contexts)
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
