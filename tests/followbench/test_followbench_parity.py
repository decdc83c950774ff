"""Every recorded rule verdict, judge reply and metric comes out as the released code gave it."""

import pytest

from followbench_data import cases
from steadfast.followbench.facts import JUDGE, LEVELS, scorer, sources
from steadfast.followbench.rules import satisfied
from steadfast.followbench.satisfaction import (
    consistency_counts,
    printed_levels,
    printed_rates,
)
from steadfast.followbench.verdicts import released

FAILURE = (-1, -1)


def rule_verdict(case: dict) -> bool | None:
    """A rule's verdict; None if it raises, as many do on a null generation and on nothing else.

    Which error a null raises depends on how a rule is written: a null has no ``split``, and no
    pattern is looked for in it. No output of ours is null.
    """
    keys = ("lang", "category", "source", "example_id")
    rule = scorer(*(case[key] for key in keys))
    given = (rule, case["lang"], case["level"], case["target"], case["generation"])
    try:
        return satisfied(*given)
    except (AttributeError, TypeError):
        if case["generation"] is not None:
            raise
        return None


def test_every_rule_verdict_is_reproduced():
    wrong = [c for c in cases("rules") if rule_verdict(c) != c["verdict"]]
    assert not wrong, f"{len(wrong)} differ, first: {wrong[:3]}"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_null_generation_raises_wherever_it_is_not_compared_whole(language):
    null = {"lang": language, "example_id": 0, "level": 1, "generation": None, "target": "['x']"}
    found = {
        source: rule_verdict({**null, "category": category, "source": source})
        for category in ("content", "situation", "mixed")
        for source in sources(category)
        if scorer(language, category, source, 0) != JUDGE
    }
    whole = {"E2E", "CONLL2003", "text_editing"}
    assert found == {source: False if source in whole else None for source in found}


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
