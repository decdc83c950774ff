"""Noise between repeats, on numbers that can be reckoned by hand."""

from statistics import stdev

import pytest

from steadfast.stats.repeatability import COLUMNS, noise_certificate, noise_page, noise_rows


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


COMPANY = {
    **PASSES,
    (0, 8): {"a": sample("A", "x", 1.0), "b": sample("B", "ya", 0.2)},
    (1, 8): {"a": sample("A", "long x", 0.5), "b": sample("B", "y", 0.4)},
}


def test_company_has_rows_of_its_own_and_leaves_those_of_requests_alone():
    rows = noise_rows(COMPANY)
    assert rows[: len(noise_rows(PASSES))] == noise_rows(PASSES)
    among = {row["task"]: row for row in rows if row["beside"] == 8}
    assert {row["cache"] for row in among.values()} == {"all"}
    assert among["A"]["score_sd"] == pytest.approx(stdev([1.0, 0.5]))
    assert among["overall"]["score_sd"] == pytest.approx(stdev([0.6, 0.45]))
    assert (among["overall"]["repeats"], among["overall"]["identical"]) == (2, 0)


def test_answers_are_compared_with_the_first_alone():
    rows = noise_rows(COMPANY)
    found = {(row["task"], row["beside"], row["cache"]): row for row in rows}
    assert [found["A", 1, "all"][column] for column in ("differ", "place")] == [0, None]
    assert [found["B", 1, "all"][column] for column in ("differ", "place")] == [1, 1]
    assert [found["B", 1, "warm"][column] for column in ("differ", "place")] == [0, None]
    # "x" and "long x" part at their first character, "y" and "ya" where the shorter has ended.
    assert [found["A", 8, "all"][column] for column in ("differ", "place")] == [1, 1]
    assert [found["B", 8, "all"][column] for column in ("differ", "place")] == [1, 2]
    assert [found["overall", 8, "all"][column] for column in ("differ", "place")] == [1, 1.5]


def test_the_page_says_how_many_differ_in_company():
    page = noise_page("m", noise_rows(COMPANY), str)
    assert (
        "Among 8, 100.0% of the requests have an answer other than the first alone, from "
        "character 1.5 (median) on." in page
    )


def test_the_certificate_shows_the_first_difference_alone_and_in_company():
    text = "0123456789" * 5
    passes = COMPANY | {
        (0, "cold"): {"a": sample("A", "x", 1.0), "b": sample("B", text + "y", 0.4)},
        (0, "warm"): {"a": sample("A", "x", 1.0), "b": sample("B", text + "y", 0.4)},
        (1, "cold"): {"a": sample("A", "x", 1.0), "b": sample("B", text + "z and on", 0.6)},
    }
    alone, among = noise_certificate(noise_rows(passes), passes)
    assert (alone["beside"], alone["differ"], among["beside"]) == (1, 0.5, 8)
    assert alone["first_difference"] == {
        "sample_id": "b",
        "repeat": 1,
        "character": 51,
        "first": "01234567890123456789y",
        "other": "01234567890123456789z and on",
    }
    assert among["first_difference"] == {
        "sample_id": "b", "repeat": 0, "character": 1, "first": text[:40], "other": "ya",
    }  # fmt: skip
    assert among["score_sd"] == pytest.approx(stdev([0.6, 0.45]))


def test_without_a_difference_the_certificate_has_none():
    same = {(n, kind): PASSES[0, "cold"] for n in range(2) for kind in ("cold", "warm", 8)}
    found = noise_certificate(noise_rows(same), same)
    assert [one["first_difference"] for one in found] == [None, None]
