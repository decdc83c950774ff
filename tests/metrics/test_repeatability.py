"""Noise between repeats, on numbers that can be reckoned by hand."""

from statistics import stdev

import pytest

from steadfast.stats.repeatability import COLUMNS, noise_page, noise_rows


def sample(task, text, total, cached=0):
    return {"task": task, "text": text, "total": total, "prompt": 10, "cached": cached}


PASSES = {
    (0, "cold"): {"a": sample("A", "x", 1.0), "b": sample("B", "y", 0.4)},
    (0, "warm"): {"a": sample("A", "x", 1.0, 8), "b": sample("B", "y", 0.4, 8)},
    (1, "cold"): {"a": sample("A", "x", 1.0), "b": sample("B", "z", 0.6)},
    (1, "warm"): {"a": sample("A", "x", 1.0, 8), "b": sample("B", "y", 0.4, 8)},
}


def row(rows, task, cache):
    return next(r for r in rows if (r["task"], r["cache"]) == (task, cache))


def test_equal_answers_have_no_noise():
    rows = noise_rows(PASSES)
    of_a = row(rows, "A", "all")
    assert (of_a["identical"], of_a["score"], of_a["score_sd"], of_a["ifs"]) == (1, 1, 0, 0)
    assert row(rows, "B", "warm")["identical"] == 1


def test_different_answers_are_the_share_of_pairs_and_the_spread_over_the_mean():
    rows = noise_rows(PASSES)
    cold = row(rows, "B", "cold")
    assert (cold["identical"], cold["repeats"], cold["n"]) == (0, 2, 1)
    assert cold["ifs"] == pytest.approx(stdev([0.4, 0.6]) / 0.5)
    both = row(rows, "B", "all")
    assert both["identical"] == pytest.approx(3 / 6)
    assert both["ifs"] == pytest.approx(stdev([0.4, 0.4, 0.6, 0.4]) / 0.45)


def test_overall_is_the_mean_over_tasks():
    rows = noise_rows(PASSES)
    overall = row(rows, "overall", "all")
    assert overall["score"] == pytest.approx((1 + 0.45) / 2)
    assert overall["score_sd"] == pytest.approx(stdev([0.7, 0.7, 0.8, 0.7]))
    assert overall["ifs"] == pytest.approx((0 + row(rows, "B", "all")["ifs"]) / 2)


def test_the_cache_is_seen():
    rows = noise_rows(PASSES)
    assert [row(rows, "A", cache)["cached"] for cache in ("cold", "warm")] == [0, 0.8]


def test_a_task_at_zero_has_no_stability_and_the_unscored_are_in_no_mean():
    passes = {
        (n, state): {"a": sample("A", "x", 0.0), "b": sample("B", "", None)}
        for n in range(2)
        for state in ("cold", "warm")
    }
    rows = noise_rows(passes)
    assert (row(rows, "A", "all")["score"], row(rows, "A", "all")["ifs"]) == (0, None)
    assert row(rows, "B", "all")["score"] is None
    assert row(rows, "overall", "all")["ifs"] is None


def test_the_page_says_the_finding_and_has_every_column():
    page = noise_page("m", noise_rows(PASSES), str, "Synthetic text.")
    assert page.endswith("\n\nSynthetic text.\n")
    assert "75.0% of the pairs of answers are identical" in page
    assert f"| {' | '.join(COLUMNS)} |" in page
