"""Scores: from replies and rules, with dependencies, and what cannot be scored."""

import pytest

from complexbench_run import (
    Run,
    decomposed_record,
    extraction_reply,
    judge_replying,
    question,
    record,
    verdict_reply,
)
from steadfast.contract.components import Answer, Reply

ANSWER = "第一句。第二句！"
YES = verdict_reply(True)
NO = verdict_reply(False)


def scored(questions, replies_by_point, mode="strict") -> dict:
    run = Run([record(questions=questions)], mode)
    return run.score(run.responses(ANSWER), j=judge_replying(replies_by_point))["0"]


def test_score_is_the_share_of_verdicts_and_rules():
    first = extraction_reply("第一句。")
    each = extraction_reply("第一句||第二句")
    rules = (None, "model_length:[4,4]", "model_endswith:！", "model_number_each:[2,2]")
    questions = [question(rule=rule) for rule in rules]
    score = scored(questions, {0: YES, 1: first, 2: first, 3: each})
    assert score["raw"] == {"0": True, "1": True, "2": False, "3": True}
    assert score["points"] == {"0": 1.0, "1": 1.0, "2": 0.0, "3": 1.0}
    assert (score["total"], score["status"]) == (0.75, "ok")
    assert (score["instance"], score["questions"]) == (0, [0, 1, 2, 3])
    assert score["extracted"]["3"] == {"by": "rule", "segments": ["第一句", "第二句"]}
    assert score["extracted"]["0"] == {"by": "judge"}


def test_question_fails_if_it_depends_on_a_failed_one():
    questions = [question(), question(dep=[0]), question(dep=[1])]
    score = scored(questions, {0: NO, 1: YES, 2: YES})
    assert score["raw"] == {"0": False, "1": True, "2": True}
    assert score["points"] == {"0": 0.0, "1": 0.0, "2": 1.0}
    assert score["total"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("reply", ["不好说。", "答案：是/否", None])
def test_unreadable_reply_leaves_dependent_questions_without_verdict(reply):
    questions = [question(), question(dep=[0]), question(dep=[0]), question()]
    score = scored(questions, {0: reply, 1: YES, 2: NO, 3: YES})
    assert (score["status"], score["total"]) == ("invalid", None)
    assert score["points"] == {"0": None, "1": None, "2": 0.0, "3": 1.0}
    assert "problem" in score["extracted"]["0"]


def test_released_accepts_any_reply_and_any_rule():
    rules = (None, None, "model_length:[3,3]", "model_odd:[1]")
    replies = ("不是", "No.", "评分对象：外来语", "评分对象：None")
    questions = [question(rule=rule) for rule in rules]
    score = scored(questions, dict(enumerate(replies)), "released")
    assert score["raw"] == {"0": True, "1": False, "2": True, "3": 2}
    assert score["points"] == {"0": 1.0, "1": 0.0, "2": 1.0, "3": 0.0}
    assert score["status"] == "ok"


def test_invalid_rule_is_undecided_in_mode_released_and_judged_in_strict():
    questions = [question(rule="model_keyword:甲")]
    score = scored(questions, {0: extraction_reply("第一句")}, "released")
    assert score["raw"] == {"0": 2}
    assert "IndexError" in score["extracted"]["0"]["problem"]
    score = scored(questions, {0: YES})
    assert score["points"] == {"0": 1.0}
    assert score["extracted"]["0"] == {"by": "rule_judged"}


def test_most_judges_decide_each_question():
    rules = (None, None, "model_length:[4,4]")
    run = Run([record(questions=[question(rule=rule) for rule in rules])])
    (sample,) = run.samples["zh"]
    copies = map(extraction_reply, ("第一句", "第一句。", "第二句！"))  # of 3, 4, 4 characters
    verdicts = []
    for texts in zip((YES, NO, YES), (NO, "?", "?"), copies, strict=True):
        replies = {f"0/{point}": Reply("ok", text) for point, text in enumerate(texts)}
        verdicts.append(replies)
    scoring = run.task.scoring.make()
    score = scoring.majority(sample, Answer("ok", ANSWER), verdicts)
    assert score.values["raw"] == {"0": True, "1": False, "2": True}
    assert score.extracted["2"]["segments"] == ["第一句。"]  # of the first with this verdict
    refused = scoring.majority(sample, Answer("refused", ""), verdicts)
    assert (refused.status, refused.points, refused.values) == ("refused", None, {"raw": None})


def test_rule_decides_on_a_whole_copy_of_which_a_record_has_200_characters():
    run = Run([record(questions=[question(rule="model_length:[300,300]")])])
    judge = judge_replying({0: extraction_reply("all")})
    score = run.score(run.responses("长" * 300), j=judge)["0"]
    assert (score["total"], score["extracted"]["0"]["segments"]) == (1.0, ["长" * 200])


def test_question_depends_on_earlier_turns():
    run = Run([decomposed_record(question(), question(dep=[0]))])
    part = "zh-decomposed"
    judge = judge_replying({0: NO, 1: YES})
    scores = run.score(run.responses(ANSWER, part), part=part, j=judge)
    assert scores["0/0"]["points"] == {"0": 0.0}
    assert (scores["0/1"]["raw"], scores["0/1"]["points"]) == ({"1": True}, {"1": 0.0})
    # a turn without a response leaves questions that depend on it without verdict
    scores = run.score(run.responses({"0/0": None, "0/1": ANSWER}, part), part=part, j=judge)
    assert (scores["0/0"]["status"], scores["0/1"]["status"]) == ("error", "invalid")
    assert scores["0/1"]["points"] == {"1": None}
