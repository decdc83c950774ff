"""What an adaptive run is expected to ask, where that is plain."""

import pytest
from test_plan_certificate import LIFBENCH, lifbench_samples

from steadfast.plan import adaptive
from steadfast.plan.adaptive import adaptive_page, expected_share
from steadfast.stats.adaptive import Design
from steadfast.stats.power import Stratum

STRATA = [Stratum(0.5, 0.0004, 2)] * 6
"""Three scenarios of two lengths each."""


def test_models_far_apart_take_the_first_two_rounds():
    share, runs = expected_share(Design(8), 5, STRATA, spread=30.0)
    assert (share, runs) == (pytest.approx(2 / 8, abs=0.01), 60)


def test_equal_models_take_nearly_all_rounds():
    share, _ = expected_share(Design(4), 4, STRATA, spread=0.0)
    assert 0.95 < share <= 1


def test_without_variances_only_the_most_is_said():
    settings = {
        "design": {"contexts": 4, "top": 1},
        "compared": ("steadfast.stats.certificate:Compared", {"unit": "records"}),
        "models": ["a", "b"],
        "tokens": {"all": 100},
    }
    page = "\n".join(adaptive_page(settings, {"all": []}))
    assert "At most 4 rounds" in page
    assert page.endswith("is not known: no variances of such scores are.")


def test_the_page_has_the_share_of_the_costs_that_is_expected(monkeypatch):
    calls = []

    def expected(design, models, strata, spread):
        calls.append((design, models, strata, spread))
        return 0.25, 60

    monkeypatch.setattr(adaptive, "expected_share", expected)
    settings = {
        "design": {"contexts": 4, "top": 2},
        "compared": LIFBENCH,
        "models": ["a", "b", "c"],
        "tokens": {"4k": 4096, "8k": 8192},
    }
    samples = {length: lifbench_samples(length) for length in settings["tokens"]}
    page = "\n".join(adaptive_page(settings, samples))
    ((design, models, strata, spread),) = calls
    assert (design, models) == (Design(4, 2), 3)
    assert spread == 0.165  # resources/lifbench/variance.yaml
    # Of three scenarios, whose weight is in the variance, two lengths with two contexts each.
    assert [(stratum.weight, stratum.clusters) for stratum in strata] == [(0.5, 2)] * 6
    assert "Expected is 25% of it: the mean of 60 simulated runs" in page
