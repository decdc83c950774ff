"""Metrics: HSR, SSR and CSL by hand, missing and unreadable verdicts, agreement."""

import pandas as pd
import pytest
from frame_values import value
from hypothesis import given
from hypothesis import strategies as st

from followbench_run import JUDGES, frames, scored
from steadfast.base.errors import UserError
from steadfast.benchmarks.followbench.agreement import agreement
from steadfast.benchmarks.followbench.facts import LEVELS
from steadfast.benchmarks.followbench.frames import (
    consecutive_levels,
    failure_consistency,
    sample_frame,
)
from steadfast.benchmarks.followbench.metrics import LevelMetrics, items
from steadfast.benchmarks.followbench.metrics import metrics as metrics_of
from steadfast.contract.components import Labels, Scored
from steadfast.contract.records import OVERALL
from steadfast.stats.tidy import rows_of


def record(group: str, level: int, points: list[float] | None, **changes) -> dict:
    """A score record; ``group`` is category and number, such as style/1."""
    by_number = {str(n): value for n, value in enumerate(points or [], start=1)}
    return {
        "sample_id": f"{group}/{level}",
        "repeat": 0,
        "judge": "judge",
        "task": group.split("/")[0],
        "context_id": group,
        "level": level,
        "scorer": "judge",
        "status": "ok" if points else "invalid",
        "points": by_number or None,
        "total": min(points) if points else None,
        "extracted": {"problem": None if points else "unreadable"},
        "other_raters": {},
        **changes,
    }


def group_records(group: str, *totals: float | None, **changes) -> list[dict]:
    """Records of a group's five levels, each constraint like the total."""
    records = []
    for level, total in zip(LEVELS, totals, strict=True):
        points = None if total is None else [total] * level
        records.append(record(group, level, points, **changes))
    return records


def metrics(*records: dict) -> LevelMetrics:
    return LevelMetrics(sample_frame(Scored("m", "en", row) for row in records), ["en"])


def test_consecutive_levels_and_consistency_of_a_group():
    for hard, levels, consistency in (
        ([1, 1, 1, 1, 1], 5, "no failure"),
        ([1, 1, 1, 1, 0], 4, "no failure"),
        ([1, 0, 0, 0, 0], 1, "consistent"),
        ([0, 0, 0, 0, 1], 0, "inconsistent"),
        ([1, -1, 1, 1, 1], 1, "no failure"),
        ([1, 0, -1, 0, 0], 1, "consistent"),
        ([1, None, 0, 0, 0], None, "consistent"),
        ([1, 0, None, 0, 0], 1, None),
        ([1, 0, None, 1, 0], 1, "inconsistent"),
        ([None, 1, 1, 1, 1], None, None),
        ([1, 1, 1, 1, None], None, "no failure"),
        ([None] * 5, None, None),
    ):
        assert consecutive_levels(hard) == levels, hard
        assert failure_consistency(hard) == consistency, hard


@given(st.lists(st.sampled_from([0, 1, -1, None]), min_size=5, max_size=5), st.data())
def test_missing_verdict_changes_no_conclusion_about_a_group(hard, data):
    verdicts = st.sampled_from([0, 1])
    filled = [data.draw(verdicts) if verdict is None else verdict for verdict in hard]
    assert consecutive_levels(hard) in (None, consecutive_levels(filled))
    assert failure_consistency(hard) in (None, failure_consistency(filled))


@pytest.mark.parametrize(
    ("group", "level", "message"),
    [("style/1", 6, "unknown level 6"), ("stile/1", 2, "unknown task 'stile'")],
)
def test_score_of_unknown_category_or_level_is_refused(group, level, message):
    with pytest.raises(UserError, match=message):
        metrics(record(group, level, [1, 1]))


def test_satisfaction_rates_by_hand():
    level_metrics = metrics(
        record("style/1", 2, [1, 1]), record("style/2", 2, [1, 0]), record("mixed/1", 2, [0, 0])
    )
    hsr = level_metrics.rates("hard")
    ssr = level_metrics.rates("soft")
    assert value(hsr, category="style", level="2") == 50
    assert value(ssr, category="style", level="2") == 75
    # The mean over categories, however many groups they have.
    assert value(hsr, category=OVERALL, level="2") == 25
    assert value(ssr, category=OVERALL, level="") == 37.5


def test_consistent_levels_by_hand():
    style = [*group_records("style/1", 1, 1, 0, 1, 1), *group_records("style/2", 0, 1, 1, 1, 1)]
    csl = metrics(*style, *group_records("mixed/1", 1, 1, 1, 1, 1)).levels()
    assert value(csl, category="style") == 1
    assert value(csl, category=OVERALL) == 3


def test_intervals_lie_within_possible_values():
    worst = group_records("style/1", 1, 0, 0, 0, 0)
    best = group_records("style/1", 1, 1, 1, 1, 0)
    for number in (2, 3, 4):
        worst += group_records(f"style/{number}", 0, 0, 0, 0, 0)
        best += group_records(f"style/{number}", 1, 1, 1, 1, 1)
    for level_metrics in (metrics(*worst), metrics(*best)):
        levels = level_metrics.levels()
        rates = level_metrics.rates("soft")
        assert levels["low"].min() >= 0 and levels["high"].max() <= 5
        assert rates["low"].min() >= 0 and rates["high"].max() <= 100


def test_rates_by_scorer():
    ruled = record("content/1", 1, [1], scorer="exact")
    rows = metrics(ruled, record("content/2", 1, [0])).scorers()
    assert value(rows, kind="rule", measure="HSR", level="1") == 100
    assert value(rows, kind="judge", measure="SSR", level="1") == 0


def test_missing_verdict_is_in_no_mean():
    level_metrics = metrics(
        *group_records("style/1", 1, None, 1, 1, 1), *group_records("style/2", 1, 0, 0, 0, 0)
    )
    hsr = level_metrics.rates("hard").set_index(["category", "level"])
    assert tuple(hsr.loc[("style", "2"), ["value", "n", "expected"]]) == (0, 1, 2)
    assert tuple(hsr.loc[("style", ""), ["n", "expected"]]) == (9, 10)
    csl = level_metrics.levels().set_index("category")
    assert tuple(csl.loc["style", ["value", "n", "expected"]]) == (1, 1, 2)
    coverage = level_metrics.coverage().set_index(["category", "level"])
    counts = ["expected", "scored", "status_ok", "status_invalid", "unreadable"]
    assert list(coverage.loc[("style", ""), counts]) == [10, 9, 9, 1, 0]
    assert list(coverage.loc[(OVERALL, "2"), counts]) == [2, 1, 1, 1, 0]


def test_reply_that_counts_minus_one_is_unreadable():
    unreadable = record("style/1", 2, [-1, -1], extracted={"problem": "unreadable"})
    level_metrics = metrics(unreadable, record("style/2", 2, [1, 1]))
    assert value(level_metrics.rates("hard"), category="style", level="2") == 0
    assert list(level_metrics.coverage()["unreadable"]) == [1] * 4


def test_failure_consistency_by_scorer():
    rows = metrics(
        *group_records("content/1", 0, 0, 0, 0, 0, scorer="exact"),
        *group_records("style/1", 1, 0, 1, 0, 0),
        *group_records("style/2", 1, 1, 1, 1, 0),
        *group_records("style/3", 1, 0, None, 0, 0),
    ).consistency()
    rows = rows_of(rows, category=OVERALL).set_index("kind")
    assert tuple(rows.loc[OVERALL, ["value", "n", "missing"]]) == (50, 2, 1)
    assert tuple(rows.loc["judge", ["value", "n", "missing"]]) == (0, 1, 1)
    assert tuple(rows.loc["rule", ["value", "n", "missing"]]) == (100, 1, 0)


def test_highest_values_exclude_impossible_items():
    wooden = group_records("format/22", 1, 1, 0, None, 0, scorer="wooden_table")
    level_metrics = metrics(
        *wooden, *group_records("format/1", 0, 0, 0, 0, 0), *group_records("style/1", 1, 0, 1, 0, 1)
    )
    # Levels 4 and 5 of one of two groups in one of two categories.
    hard = (100 * (10 - 2) / 10 + 100) / 2
    expected = {"HSR": hard, "SSR": hard, "CSL": (8 / 2 + 5) / 2}
    assert level_metrics.highest() == pytest.approx(expected)
    assert metrics(*group_records("format/22", 0, 0, 0, 0, 0)).highest() == {}


def test_levels_are_combined_within_a_repeat():
    first = group_records("style/1", 1, 0, 1, 1, 1)
    second = group_records("style/1", 0, 1, 1, 1, 1, repeat=1)
    level_metrics = metrics(*first, *second)
    csl = level_metrics.levels().set_index("category").loc["style"]
    # One level and none; the levels of both repeats together would reach five.
    assert tuple(csl[["value", "n", "expected"]]) == (0.5, 2, 2)
    assert value(level_metrics.rates("hard"), category="style", level="1") == 50
    assert value(level_metrics.rates("hard"), category="style", level="") == 80
    rows = rows_of(level_metrics.consistency(), category=OVERALL).set_index("kind")
    assert tuple(rows.loc["judge", ["value", "n"]]) == (0, 2)


@pytest.fixture(scope="module")
def run_frames():
    """Four models in both languages, two judges and three people, one named like a judge."""
    labels = []
    for number in (1, 2, 3):
        item = {"model": "sim-c", "sample_id": f"en/style/{number}/2"}
        for rater, verdict in (("ann", "NO"), ("second", "YES"), ("cy", "NO")):
            labels.append({**item, "rater": rater, "verdicts": ["YES", verdict]})
    return frames(Labels("labels.jsonl", labels))


def test_summary_is_of_the_first_language(run_frames):
    summary = run_frames["summary"].set_index(["model", "measure"])
    hsr = run_frames["hsr"].set_index(["model", "language", "category", "level"])
    for model in ("reference", "sim-c"):
        overall = hsr.loc[(model, "en", OVERALL, "")]
        assert summary.loc[(model, "HSR"), "value"] == overall["value"]
        assert summary.loc[(model, "HSR"), ["n", "expected"]].tolist() == [overall["n"], 145]
    assert summary.loc[("reference", "CSL"), "expected"] == 29
    assert summary.loc["reference", "value"].to_dict() == {"HSR": 100, "SSR": 100, "CSL": 5}
    assert summary.loc[("sim-c", "HSR"), "low"] < summary.loc[("sim-c", "HSR"), "value"]


def test_temperatures_are_ordered_within_a_line(run_frames):
    rows = run_frames["temperature"]
    assert set(rows["line"]) == {"real-a"}
    assert rows["model"].tolist() == ["real-b", "real-a"] * 6
    assert rows["temperature"].tolist() == [0.0, 0.7] * 6
    assert rows["measure"].tolist() == ["HSR"] * 4 + ["SSR"] * 4 + ["CSL"] * 4
    overall = rows_of(run_frames["csl"], category=OVERALL).set_index(["model", "language"])
    in_line = rows_of(rows, measure="CSL").set_index(["model", "language"])["value"]
    assert in_line.to_dict() == overall.loc[in_line.index, "value"].to_dict()


def test_judge_prompts_are_compared_by_item():
    verdicts = [  # with the path, the last instruction and a rating on level 2; and a person's
        ([1, 1], [1, 1], 1, ["YES", "YES"]),
        ([1, 0], [0, 1], 1, ["NO", "YES"]),
        ([1, 0], [1, 1], 1, ["YES", "NO"]),
        ([1, 1], None, 0, ["YES", "YES"]),
    ]
    scores = []
    labels = []
    for number, (path, last, rating, label) in enumerate(verdicts, start=1):
        group = f"style/{number}"
        other_raters = {
            "judge (last)": record(group, 2, last),
            "judge (rating)": record(group, 2, [rating]) | {"points": {"rating": rating}},
        }
        scores.append(Scored("m", "en", record(group, 2, path, other_raters=other_raters)))
        labels.append({"model": "m", "sample_id": f"{group}/2", "verdicts": label})
    people = Labels("labels.jsonl", labels)
    rows = agreement(scores, ["judge"], people, ("path", "last", "rating"))
    by_raters = rows_of(rows, model="").set_index(["measure", "first", "second"])[["n", "raw"]]
    assert {pair: tuple(row) for pair, row in by_raters.loc["item"].T.items()} == {
        ("judge (path)", "judge (last)"): (3, pytest.approx(2 / 3)),
        ("judge (path)", "judge (rating)"): (4, 0.25),
        ("judge (last)", "judge (rating)"): (3, pytest.approx(2 / 3)),
        ("judge (path)", "human"): (4, 1.0),
        ("judge (last)", "human"): (3, pytest.approx(2 / 3)),
        ("judge (rating)", "human"): (4, 0.25),
    }
    # Only the path shows which constraint is the first and which the second.
    assert by_raters.loc["constraint"].index.tolist() == [("judge (path)", "human")]
    assert tuple(by_raters.loc[("constraint", "judge (path)", "human")]) == (8, 0.75)


def test_people_correct_the_errors_of_a_judge_but_no_rule():
    records = group_records("style/0", 0, 1, 1, 1, 1)  # people see no fault
    for number in range(1, 12):
        records += group_records(f"style/{number}", 1, 1, 1, 1, 1)
    labels = [row | {"model": "m", "verdicts": ["YES"] * row["level"]} for row in records]
    for number in range(2):
        records += group_records(f"content/{number}", 0, 0, 0, 0, 0, scorer="exact")
    scores = [Scored("m", "en", row) for row in records]
    people = Labels("labels.jsonl", labels)
    rows = metrics_of(scores, {}, people, ["en"], ["judge"])["corrected"].set_index("measure")
    # Half of the weight is the rule's category. Level 1 is judged right in 11 of 12 groups.
    raw = 100 * (11 / 12 + 4) / 5 / 2
    assert rows["raw"].tolist() == pytest.approx([raw, raw, 55 / 12 / 2])
    assert rows["value"].to_dict() == pytest.approx({"HSR": 50, "SSR": 50, "CSL": 2.5})
    assert (rows["clusters"].tolist(), rows["units"].tolist()) == ([12] * 3, [60, 60, 12])
    # Wilson's interval at 1/2 of n = 1 ÷ (¼ ÷ 12 + ¼ ÷ 2) clusters: ½ ± ½ √(z² ÷ (n + z²))
    half = (3.841459 / (1 / (0.25 / 12 + 0.25 / 2) + 3.841459)) ** 0.5 / 2
    assert rows["high"].tolist() == pytest.approx([n * (0.5 + half) for n in (100, 100, 5)])


def test_invalid_label_is_refused():
    label = {"model": "sim-c", "sample_id": "en/style/1/2", "verdicts": ["YES", "NO"]}
    for change, message in (
        ({"verdicts": ["YES"]}, "expected a list of 2 verdicts"),
        ({"verdicts": "YES"}, "expected a list of 2 verdicts"),
        ({"verdicts": ["YES", "yes"]}, "verdict 2 is 'yes', neither 'YES' nor 'NO'"),
        ({"sample_id": "en/content/3/2"}, "'en/content/3/2' is scored by a rule, without a judge"),
        ({"sample_id": "en/style/999/2"}, "unknown sample_id 'en/style/999/2'"),
    ):
        with pytest.raises(UserError, match=message):
            agreement(scored()[0], JUDGES, Labels("labels.jsonl", [label | change]))


def test_items_are_counted_with_their_mean_length():
    _, data = scored()
    groups = {language: part["data"][language] for language, part in data.items()}
    rows = items(groups)
    assert rows.groupby("language")["n"].sum().to_dict() == {"en": 145, "zh": 140}
    assert rows.groupby("language")["impossible"].sum().to_dict() == {"en": 0, "zh": 0}
    tasks = [group["task"] for group in groups["en"] if group["category"] == "content"]
    content = rows_of(rows, language="en", category="content")
    assert content["task"].tolist() == list(dict.fromkeys(tasks)) != sorted(set(tasks))
    wooden = groups["en"][0] | {"scorer": "wooden_table"}
    assert items({"en": [wooden]})["impossible"].tolist() == [2]  # levels 4 and 5
    examples = rows_of(pd.DataFrame(groups["zh"]), category="example")["levels"]
    sizes = examples.explode().str["instruction"].str.len()
    (row,) = rows_of(rows, language="zh", category="example").itertuples()
    assert (row.groups, row.size) == (len(examples), pytest.approx(sizes.mean()))
