"""Metrics: HSR, SSR and CSL by hand, missing and unreadable verdicts, agreement."""

import pytest
from frame_values import value

from followbench_run import JUDGES, frames, scored
from steadfast.base.errors import UserError
from steadfast.benchmarks.followbench.agreement import agreement
from steadfast.benchmarks.followbench.facts import LEVELS
from steadfast.benchmarks.followbench.frames import sample_frame
from steadfast.benchmarks.followbench.metrics import LevelMetrics, items
from steadfast.contract.components import Labels, Scored
from steadfast.contract.records import OVERALL


def record(group: str, level: int, points: list[float] | None, **changes) -> dict:
    """A score record; ``group`` names category and number, such as style/1."""
    numbered = {str(n): value for n, value in enumerate(points or [], start=1)}
    return {
        "sample_id": f"{group}/{level}",
        "repeat": 0,
        "judge": "judge",
        "task": group.split("/")[0],
        "context_id": group,
        "level": level,
        "scorer": "judge",
        "status": "ok" if points else "invalid",
        "points": numbered or None,
        "total": min(points) if points else None,
        "extracted": {"problem": None if points else "unreadable"},
        "other_raters": {},
        **changes,
    }


def metrics(*records: dict, language: str = "en") -> LevelMetrics:
    return LevelMetrics(sample_frame(Scored("m", language, one) for one in records), [language])


def five(group: str, *totals: float | None) -> list[dict]:
    """All levels of a group, each constraint like the total."""
    return [
        record(group, level, None if total is None else [total] * level)
        for level, total in zip(LEVELS, totals, strict=True)
    ]


@pytest.mark.parametrize(
    ("group", "level", "complaint"),
    [("style/1", 6, "unknown level 6"), ("stile/1", 2, "unknown task 'stile'")],
)
def test_scores_of_no_known_category_or_level_are_refused(group, level, complaint):
    with pytest.raises(UserError, match=complaint):
        metrics(record(group, level, [1, 1]))


def test_rates_and_levels_by_hand():
    found = metrics(
        record("style/1", 2, [1, 1]), record("style/2", 2, [1, 0]), record("mixed/1", 2, [0, 0])
    )
    hsr = found.rates("hard")
    ssr = found.rates("soft")
    assert value(hsr, category="style", level="2") == 50
    assert value(ssr, category="style", level="2") == 75
    # Categories count alike, however many groups they have.
    assert value(hsr, category=OVERALL, level="2") == 25
    assert value(ssr, category=OVERALL, level="") == 37.5
    groups = [*five("style/1", 1, 1, 0, 1, 1), *five("style/2", 0, 1, 1, 1, 1)]
    csl = metrics(*groups, *five("mixed/1", 1, 1, 1, 1, 1)).levels()
    assert value(csl, category="style") == 1
    assert value(csl, category=OVERALL) == 3
    rows = metrics(
        record("content/1", 1, [1], scorer="exact"), record("content/2", 1, [0])
    ).scorers()
    assert value(rows, kind="rule", measure="HSR", level="1") == 100
    assert value(rows, kind="judge", measure="SSR", level="1") == 0


def test_a_missing_verdict_leaves_both_sides_of_the_fraction_and_minus_one_counts():
    found = metrics(*five("style/1", 1, None, 1, 1, 1), *five("style/2", 1, 0, 0, 0, 0))
    hsr = found.rates("hard").set_index(["category", "level"])
    assert tuple(hsr.loc[("style", "2"), ["value", "n", "expected"]]) == (0, 1, 2)
    assert tuple(hsr.loc[("style", ""), ["n", "expected"]]) == (9, 10)
    csl = found.levels().set_index("category")
    assert tuple(csl.loc["style", ["value", "n", "expected"]]) == (1, 1, 2)
    coverage = found.coverage().set_index(["category", "level"])
    counts = ["expected", "scored", "status_ok", "status_invalid", "unreadable"]
    assert list(coverage.loc[("style", ""), counts]) == [10, 9, 9, 1, 0]
    assert list(coverage.loc[(OVERALL, "2"), counts]) == [2, 1, 1, 1, 0]
    # replies that count −1
    lost = record("style/1", 2, [-1, -1], extracted={"problem": "unreadable"})
    found = metrics(lost, record("style/2", 2, [1, 1]))
    assert value(found.rates("hard"), category="style", level="2") == 0
    assert list(found.coverage()["unreadable"]) == [1] * 4


def test_failure_consistency_over_all_groups_and_over_judged_ones():
    ruled = [r | {"scorer": "exact"} for r in five("content/1", 0, 0, 0, 0, 0)]
    judged = [*five("style/1", 1, 0, 1, 0, 0), *five("style/2", 1, 1, 1, 1, 0)]
    unknown = five("style/3", 1, 0, None, 0, 0)
    rows = metrics(*ruled, *judged, *unknown).consistency()
    rows = rows[rows["category"] == OVERALL].set_index("kind")
    assert tuple(rows.loc[OVERALL, ["value", "n", "missing"]]) == (50, 2, 1)
    assert tuple(rows.loc["judge", ["value", "n", "missing"]]) == (0, 1, 1)
    assert tuple(rows.loc["rule", ["value", "n", "missing"]]) == (100, 1, 0)


VERDICTS = {"ann": ["YES", "NO"], "second": ["YES", "YES"], "cy": ["YES", "NO"]}


@pytest.fixture(scope="module")
def ran():
    """Four models in both languages, two judges, and people's labels, of whom one is called so."""
    label = {"model": "sim-c", "verdicts": ["YES", "NO"]}
    labels = [
        {**label, "sample_id": f"en/style/{n}/2", "rater": rater, "verdicts": verdicts}
        for n in (1, 2, 3)
        for rater, verdicts in VERDICTS.items()
    ]
    return frames(Labels("labels.jsonl", labels))


def test_the_summary_is_of_the_first_language(ran):
    rows = ran["summary"].set_index(["model", "measure"])
    hsr = ran["hsr"].set_index(["model", "language", "category", "level"])
    for model in ("reference", "sim-c"):
        whole = hsr.loc[(model, "en", OVERALL, "")]
        assert rows.loc[(model, "HSR"), "value"] == whole["value"]
        assert rows.loc[(model, "HSR"), ["n", "expected"]].tolist() == [whole["n"], 145]
    assert rows.loc[("reference", "CSL"), "expected"] == 29
    assert rows.loc["reference", "value"].to_dict() == {"HSR": 100, "SSR": 100, "CSL": 5}
    assert rows.loc[("sim-c", "HSR"), "low"] < rows.loc[("sim-c", "HSR"), "value"]


def test_temperatures_are_rows_in_order_of_each_line(ran):
    rows = ran["temperature"]
    assert set(rows["line"]) == {"real-a"}
    assert rows["model"].tolist() == ["real-b", "real-a"] * 6
    assert rows["temperature"].tolist() == [0.0, 0.7] * 6
    assert rows["measure"].tolist() == [m for m in ("HSR", "SSR", "CSL") for _ in range(4)]
    csl = ran["csl"][ran["csl"]["category"] == OVERALL].set_index(["model", "language"])["value"]
    of_csl = rows[rows["measure"] == "CSL"].set_index(["model", "language"])["value"]
    assert of_csl.to_dict() == {key: csl[key] for key in of_csl.index}


def test_ways_to_ask_a_judge_are_raters_of_whole_items():
    ways = ("path", "last", "rating")
    verdicts = [  # of path, last and rating on level 2, and a person's
        ([1, 1], [1, 1], 1, ["YES", "YES"]),
        ([1, 0], [0, 1], 1, ["NO", "YES"]),
        ([1, 0], [1, 1], 1, ["YES", "NO"]),
        ([1, 1], None, 0, ["YES", "YES"]),
    ]
    scores = []
    labels = []
    for number, (path, last, rating, label) in enumerate(verdicts, start=1):
        group = f"style/{number}"
        others = {
            "judge (last)": record(group, 2, last),
            "judge (rating)": record(group, 2, [rating]) | {"points": {"rating": rating}},
        }
        scores.append(Scored("m", "en", record(group, 2, path, other_raters=others)))
        labels.append({"model": "m", "sample_id": f"{group}/2", "verdicts": label})
    rows = agreement(scores, ["judge"], Labels("labels.jsonl", labels), ways)
    found = rows[rows["model"] == ""].set_index(["measure", "first", "second"])[["n", "raw"]]
    by_item = {pair: tuple(row) for pair, row in found.loc["item"].T.items()}
    assert by_item == {
        ("judge (path)", "judge (last)"): (3, pytest.approx(2 / 3)),
        ("judge (path)", "judge (rating)"): (4, 0.25),
        ("judge (last)", "judge (rating)"): (3, pytest.approx(2 / 3)),
        ("judge (path)", "human"): (4, 1.0),
        ("judge (last)", "human"): (3, pytest.approx(2 / 3)),
        ("judge (rating)", "human"): (4, 0.25),
    }
    # Which constraint is the first and which the second, the path alone tells.
    assert found.loc["constraint"].index.tolist() == [("judge (path)", "human")]
    assert tuple(found.loc[("constraint", "judge (path)", "human")]) == (8, 0.75)


def test_labels_are_of_judged_items_and_a_list_of_verdicts():
    for label, sentence in (
        ({"verdicts": ["YES"]}, "expected a list of 2 verdicts"),
        ({"verdicts": "YES"}, "expected a list of 2 verdicts"),
        ({"verdicts": ["YES", "yes"]}, "verdict 2 is 'yes', neither 'YES' nor 'NO'"),
        ({"sample_id": "en/content/3/2"}, "'en/content/3/2' is scored by a rule, without a judge"),
        ({"sample_id": "en/style/999/2"}, "unknown sample_id 'en/style/999/2'"),
    ):
        good = {"model": "sim-c", "sample_id": "en/style/1/2", "verdicts": ["YES", "NO"]}
        with pytest.raises(UserError, match=sentence):
            agreement(scored()[0], JUDGES, Labels("labels.jsonl", [good | label]))


def test_items_count_what_is_asked():
    _, data = scored()
    groups = {language: of["data"][language] for language, of in data.items()}
    rows = items(groups)
    assert rows.groupby("language")["n"].sum().to_dict() == {"en": 145, "zh": 140}
    assert rows.groupby("language")["impossible"].sum().to_dict() == {"en": 0, "zh": 0}
    examples = [group for group in groups["zh"] if group["category"] == "example"]
    sizes = [len(level["instruction"]) for group in examples for level in group["levels"]]
    (row,) = rows[(rows["language"] == "zh") & (rows["category"] == "example")].itertuples()
    assert (row.groups, row.size) == (len(examples), pytest.approx(sum(sizes) / len(sizes)))


def test_the_summary_says_how_much_answers_can_have_where_some_items_cannot_be_passed():
    wood = [one | {"scorer": "wooden_table"} for one in five("format/22", 1, 1, 0, None, 0)]
    found = metrics(*wood, *five("format/1", 0, 0, 0, 0, 0), *five("style/1", 1, 0, 1, 0, 1))
    # Levels 4 and 5 of one of two groups of one of two categories: the others can have all.
    hard = (100 * (10 - 2) / 10 + 100) / 2
    assert found.highest() == pytest.approx({"HSR": hard, "SSR": hard, "CSL": (8 / 2 + 5) / 2})
    assert metrics(*five("format/22", 0, 0, 0, 0, 0)).highest() == {}


def test_the_levels_of_one_repeat_belong_together():
    repeats = (five("style/1", 1, 0, 1, 1, 1), five("style/1", 0, 1, 1, 1, 1))
    found = metrics(*(row | {"repeat": n} for n, levels in enumerate(repeats) for row in levels))
    csl = found.levels().set_index("category").loc["style"]
    # One level and none; the levels of both repeats together would keep all five somewhere.
    assert tuple(csl[["value", "n", "expected"]]) == (0.5, 2, 2)
    assert value(found.rates("hard"), category="style", level="1") == 50
    assert value(found.rates("hard"), category="style", level="") == 80
    rows = found.consistency()
    rows = rows[rows["category"] == OVERALL].set_index("kind")
    assert tuple(rows.loc["judge", ["value", "n"]]) == (0, 2)
