"""Scores: what replies and rules make of answers, dependencies, and what cannot be scored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from complexbench_instances import asked
from complexbench_run import MODES, Run, copied, record, saying, turned, verdict

ANSWER = "第一句。第二句！"


def scored(questions, by_point, mode="strict", answer=ANSWER) -> dict:
    run = Run([record(questions=questions)], mode)
    return run.score(run.given(answer), j=saying(by_point))["0"]


def test_verdicts_copies_and_rules_make_the_score():
    questions = [
        asked(),
        asked(rule="model_length:[4,4]"),
        asked(rule="model_endswith:！"),
        asked(rule="model_number_each:[2,2]"),
    ]
    by_point = {
        0: verdict(True),
        1: copied("第一句。"),
        2: copied("第一句。"),
        3: copied("第一句||第二句"),
    }
    found = scored(questions, by_point)
    assert found["raw"] == {"0": True, "1": True, "2": False, "3": True}
    assert found["points"] == {"0": 1.0, "1": 1.0, "2": 0.0, "3": 1.0}
    assert (found["total"], found["status"]) == (0.75, "ok")
    assert (found["instance"], found["questions"]) == (0, [0, 1, 2, 3])
    assert found["extracted"]["3"] == {"by": "rule", "segments": ["第一句", "第二句"]}
    assert found["extracted"]["0"] == {"by": "judge"}


def test_a_question_that_depends_on_a_wrong_one_does_not_count():
    questions = [asked(), asked(dep=[0]), asked(dep=[1])]
    found = scored(questions, {0: verdict(False), 1: verdict(True), 2: verdict(True)})
    assert found["raw"] == {"0": False, "1": True, "2": True}
    assert found["points"] == {"0": 0.0, "1": 0.0, "2": 1.0}
    assert found["total"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("reply", ["不好说。", "答案：是/否", None])
def test_an_unreadable_reply_is_no_verdict_and_its_dependants_have_none(reply):
    questions = [asked(), asked(dep=[0]), asked(dep=[0]), asked()]
    by_point = {0: reply, 1: verdict(True), 2: verdict(False), 3: verdict(True)}
    found = scored(questions, by_point)
    assert (found["status"], found["total"]) == ("invalid", None)
    assert found["points"] == {"0": None, "1": None, "2": 0.0, "3": 1.0}
    assert "problem" in found["extracted"]["0"]


def test_released_reads_any_reply_and_any_rule():
    questions = [asked(), asked(), asked(rule="model_length:[3,3]"), asked(rule="model_odd:[1]")]
    by_point = {0: "不是", 1: "No.", 2: "评分对象：外来语", 3: "评分对象：None"}
    found = scored(questions, by_point, "released")
    assert found["raw"] == {"0": True, "1": False, "2": True, "3": 2}
    assert found["points"] == {"0": 1.0, "1": 0.0, "2": 1.0, "3": 0.0}
    assert found["status"] == "ok"
    found = scored([asked(rule="model_keyword:甲")], {0: copied("第一句")}, "released")
    assert found["raw"] == {"0": 2}
    assert "IndexError" in found["extracted"]["0"]["problem"]
    found = scored([asked(rule="model_keyword:甲")], {0: verdict(True)})
    assert found["points"] == {"0": 1.0}
    assert found["extracted"]["0"] == {"by": "rule_judged"}


def test_dependencies_reach_into_earlier_turns_answered_or_not():
    run = Run([turned(asked(), asked(dep=[0]))])
    part = "zh-decomposed"
    judge = saying({0: verdict(False), 1: verdict(True)})
    found = run.score(run.given(ANSWER, part), part=part, j=judge)
    assert found["0/0"]["points"] == {"0": 0.0}
    assert (found["0/1"]["raw"], found["0/1"]["points"]) == ({"1": True}, {"1": 0.0})
    # a turn without an answer leaves open what depends on it
    run = Run([turned(asked(), asked(dep=[0]))])
    part = "zh-decomposed"
    answers = {"0/0": None, "0/1": ANSWER}
    found = run.score(run.given(answers, part), part=part, j=saying({1: verdict(True)}))
    assert (found["0/0"]["status"], found["0/1"]["status"]) == ("error", "invalid")
    assert found["0/1"]["points"] == {"1": None}


RULES = (None, "model_length:[1,9]", "keyword:[a,每]", "unheard of")
TEXT = st.text(max_size=30) | st.sampled_from(["all", "评分对象：", "答案：是", "||", "None"])


@given(answer=TEXT, reply=TEXT.map(copied) | TEXT, mode=st.sampled_from(MODES))
def test_whatever_is_answered_and_replied_there_is_a_score(answer, reply, mode):
    questions = [asked(rule=rule) for rule in RULES]
    found = scored(questions, dict.fromkeys(range(4), reply), mode, answer)
    assert found["status"] in ("ok", "invalid")
    assert (found["total"] is None) == (found["status"] == "invalid")
