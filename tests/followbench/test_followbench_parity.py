"""Every recorded rule verdict, judge reply and metric comes out as the released code gave it."""

from followbench_data import cases
from steadfast.followbench.facts import LEVELS, scorer
from steadfast.followbench.rules import satisfied
from steadfast.followbench.satisfaction import (
    consistency_counts,
    printed_levels,
    printed_rates,
)
from steadfast.followbench.verdicts import released

FAILURE = (-1, -1)


def rule_verdict(case: dict) -> tuple[bool | None, str | None]:
    keys = ("lang", "category", "source", "example_id")
    rule = scorer(*(case[key] for key in keys))
    given = (rule, case["lang"], case["level"], case["target"], case["generation"])
    try:
        return satisfied(*given), None
    except TypeError as error:  # a null generation, which no output of ours is
        return None, type(error).__name__


def test_every_rule_verdict_is_reproduced():
    wrong = [c for c in cases("rules") if rule_verdict(c) != (c["verdict"], c["error"])]
    assert not wrong, f"{len(wrong)} differ, first: {wrong[:3]}"


def hard_and_soft(case: dict) -> tuple[float, float]:
    verdicts = released(case["judge_text"], case["level"], case["lang"])
    return (int(all(verdicts)), sum(verdicts) / len(verdicts)) if verdicts else FAILURE


def test_every_judge_reply_is_read_as_released():
    wrong = [
        (hard_and_soft(case), case)
        for case in cases("judge_parse")
        if not case["needs_python_eval"] and hard_and_soft(case) != (case["hard"], case["soft"])
    ]
    assert not wrong, f"{len(wrong)} differ, first: {wrong[:3]}"


def test_what_only_an_evaluation_reads_is_refused():
    expressions = [case for case in cases("judge_parse") if case["needs_python_eval"]]
    assert expressions, "no case with needs_python_eval"
    assert [case for case in expressions if hard_and_soft(case) != FAILURE] == []


def levels(case: dict, kinds: tuple[str, ...], key: str) -> list[list[float]]:
    """The hard or soft verdicts of each group."""
    groups: dict = {}
    for kind in kinds:
        for row in case[kind]:
            verdict = row["satisfied"] if kind == "ruled" else row[key]
            groups.setdefault((kind, row["example_id"]), {})[row["level"]] = verdict
    return [[group[level] for level in LEVELS] for group in groups.values()]


def test_every_metric_is_printed_as_released():
    for case in cases("metrics"):
        both, language = ("judged", "ruled"), case["lang"]
        hard, soft = levels(case, both, "hard"), levels(case, both, "soft")
        assert printed_rates(hard, language) == case["HSR"], case["id"]
        assert printed_levels(hard) == case["CSL"], case["id"]
        if case["category"] != "example":
            assert printed_rates(soft, language) == case["SSR"], case["id"]
            counts = consistency_counts(levels(case, ("judged",), "hard"))
            assert case["failure_consistency_judged_only"] == {
                "n_consistent": counts["consistent"],
                "n_groups_with_early_failure": counts["failing"],
            }, case["id"]
