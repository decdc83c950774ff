"""Noise between repeats, on numbers that can be reckoned by hand."""

from statistics import stdev

import pytest

from steadfast.base.errors import UserError
from steadfast.show.noise import noise_page
from steadfast.stats.repeatability import (
    COLUMNS,
    answer_deviations,
    hits_missed,
    noise_certificate,
    noise_rows,
)


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


def test_the_page_has_a_row_for_each_way_of_asking():
    page = noise_page("m", noise_rows(COMPANY), str)
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith(("| alone", "| am"))]
    assert [row[0] for row in rows] == [
        "| alone, cold",
        "| alone, warm",
        "| alone, all",
        "| among 8",
    ]
    assert [row[1:7] for row in rows[1:]] == [
        ["2", "2", "8", "100.0%", "0.0%", ""],
        ["2", "4", "4 (0 to 8)", "75.0%", "50.0%", "1"],
        ["2", "2", "0", "0.0%", "100.0%", "1.5"],
    ]


def test_the_certificate_shows_the_first_difference_alone_and_in_company():
    text = "0123456789" * 5
    passes = COMPANY | {
        (0, "cold"): {"a": sample("A", "x", 1.0), "b": sample("B", text + "y", 0.4)},
        (0, "warm"): {"a": sample("A", "x", 1.0), "b": sample("B", text + "y", 0.4)},
        (1, "cold"): {"a": sample("A", "x", 1.0), "b": sample("B", text + "z and on", 0.6)},
    }
    cold, warm, alone, among = noise_certificate(noise_rows(passes), passes)
    assert [one["cache"] for one in (cold, warm, alone, among)] == ["cold", "warm", "all", "all"]
    assert (alone["beside"], alone["differ"], among["beside"]) == (1, 0.5, 8)
    assert [one["repeats"] for one in (cold, warm, alone)] == [3, 1, 4]
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
    assert [one["first_difference"] for one in found] == [None] * 3


HALF = {"cold": 0.0, "hit 0.5": 0.5, "warm": 1.0}
HITS = {
    (0, "cold"): {"a": sample("A", "x", 1.0), "b": sample("A", "y", 0.4)},
    (0, "warm"): {"a": sample("A", "x", 1.0, 9), "b": sample("A", "y", 0.4, 9)},
    (0, "hit 0.5"): {"a": sample("A", "z", 0.0, 4), "b": sample("A", "y", 0.4, 5)},
    (1, "cold"): {"a": sample("A", "x", 1.0), "b": sample("A", "y", 0.4, 6)},
    (1, "warm"): {"a": sample("A", "x", 1.0, 9), "b": sample("A", "y", 0.4, 9)},
    (1, "hit 0.5"): {"a": sample("A", "x", 0.5, 5), "b": sample("A", "y", 0.4, 9)},
}


def test_each_answer_is_in_the_row_of_the_hit_that_it_counts():
    # Of b the second was meant to be cold and found 6 of 10 tokens; its last found 9, not 5.
    rows = {row["cache"]: row for row in noise_rows(HITS, HALF) if row["task"] == "overall"}
    assert list(rows) == ["cold", "hit 0.5", "warm", "all"]
    keys = ("n", "repeats", "hit", "hit_low", "hit_high", "differ")
    assert [rows["cold"][key] for key in keys] == [2, 1, 0, 0, 0, 0]
    assert [rows["hit 0.5"][key] for key in keys] == [2, 2, 5, 4, 6, 0.5]
    assert [rows["warm"][key] for key in keys] == [2, 2, 9, 9, 9, 0]
    # Scores of the first answers and of the second ones: (0 + .4) / 2 and (.5 + .4) / 2.
    assert rows["hit 0.5"]["score_sd"] == pytest.approx(stdev([0.2, 0.45]))
    assert rows["hit 0.5"]["identical"] == pytest.approx(1 / 2)


def test_a_hit_is_as_meant_within_a_tenth_of_the_prompt():
    counted = {f"s{hit}": sample("A", "x", 1.0, hit) | {"prompt": 100} for hit in (0, 10, 11)}
    rows = noise_rows({(0, "cold"): counted}, {"cold": 0.0, "hit 0.15": 0.15})
    assert {row["cache"]: row["n"] for row in rows if row["task"] == "A"} == {
        "cold": 2,  # 0.15 is nearer to 10 of 100, but cold was meant
        "hit 0.15": 1,
        "all": 3,
    }


def test_one_answer_s_deviation_is_pooled_over_requests():
    rows = {row["task"]: row for row in noise_rows(PASSES) if row["cache"] == "all"}
    assert (rows["A"]["answer_sd"], rows["B"]["answer_sd"]) == (0, pytest.approx(0.1))
    (of_both,) = (r for r in noise_rows(HITS, HALF) if (r["task"], r["cache"]) == ("A", "all"))
    # Of a: 1, 1, 1, 1, 0 and .5, whose mean is .75; b's are all the same.
    of_a = (4 * 0.25**2 + 0.75**2 + 0.25**2) / 5
    assert of_both["answer_sd"] == pytest.approx((of_a / 2) ** 0.5)


def test_a_part_s_deviation_weighs_its_tasks_as_its_value_does():
    counts = {"A": 10, "B": 40, "C": 50}

    def overall(**how):
        rows = noise_rows(PASSES, counts=counts, **how)
        return row(rows, "overall", "all")["answer_sd"]

    # The variances are 0 of A, .01 of B, and their mean of C, which was not drawn.
    assert overall() ** 2 == pytest.approx((40 * 0.01 + 50 * 0.005) / 100)
    found = overall(weights={"A": 1, "B": 2, "C": 1, "D": 7}) ** 2
    assert found / 100 == pytest.approx((2 / 4) ** 2 * 0.01 / 40 + (1 / 4) ** 2 * 0.005 / 50)
    # What is in no overall value counts nowhere: B alone.
    assert overall(weights={"B": 3}) == pytest.approx(0.1)
    assert overall(weights={"D": 3}) is None


def written(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["task,cache,beside,answer_sd", *rows]) + "\n")
    return path


def test_the_deviation_of_a_model_s_answers_is_read_of_all_its_parts(tmp_path):
    files = [
        written(tmp_path / "b/m/4k.csv", "X,all,1,0.9", "overall,cold,1,0.8", "overall,all,1,0.1",
                "overall,all,8,0.3"),
        written(tmp_path / "b/m/8k.csv", "overall,all,1,0.1"),
        written(tmp_path / "b/judged/4k.csv", "overall,all,1,"),
    ]  # fmt: skip
    # The larger of alone and among 8 of the first; then the mean of .09 and .01.
    assert answer_deviations(files) == {"b": {"m": pytest.approx(0.05**0.5)}}


@pytest.mark.parametrize("value", ["x", "nan", "inf", "-0.1"])
def test_a_file_that_is_none_of_noise_is_one_sentence(tmp_path, value):
    with pytest.raises(UserError, match=r"4k\.csv: not as noise is written"):
        answer_deviations([written(tmp_path / "b/m/4k.csv", f"overall,all,1,{value}")])


def test_what_was_not_as_meant_is_said():
    cold, half, end = hits_missed(HITS, HALF)
    assert cold.startswith(
        "3 of 4 answers that were meant as cold were so: by their counts 0 to 6 tokens of each"
    )
    assert half.startswith("3 of 4 answers that were meant as hit 0.5 were so")
    assert "docs/cost.md" in end
    assert hits_missed(PASSES) == []
    uncounted = {
        key: {name: {**one, "cached": None} for name, one in taken.items()}
        for key, taken in HITS.items()
    }
    (unknown,) = hits_missed(uncounted, HALF)
    assert "not reported" in unknown
    assert [row["n"] for row in noise_rows(uncounted, HALF)] == [2] * 8
    assert unknown in noise_page("m", noise_rows(uncounted, HALF), str, "", [unknown])
