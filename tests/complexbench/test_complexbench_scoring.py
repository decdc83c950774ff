"""Scores: what replies and rules make of answers, dependencies, and what cannot be scored."""

import pytest

from complexbench_run import RELEASED, STRICT, Run, asked, copied, record, synthetic, verdict
from steadfast.errors import UserError
from steadfast.files import read_jsonl

ANSWER = "第一句。第二句！"


def replies(by_point: dict[int, str | None]):
    """A judge that replies by question."""
    return lambda _, request: by_point[request["expected"]["point"]]


def scored(directory, questions, by_point, settings=STRICT, answer=ANSWER) -> dict:
    run = Run(directory, [record(questions=questions)], settings)
    run.answer(answer)
    run.judge(replies(by_point))
    return run.score()["0"]


def test_verdicts_copies_and_rules_make_the_score(tmp_path):
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
    found = scored(tmp_path, questions, by_point)
    assert found["raw"] == {"0": True, "1": True, "2": False, "3": True}
    assert found["points"] == {"0": 1.0, "1": 1.0, "2": 0.0, "3": 1.0}
    assert (found["total"], found["status"], found["judge"]) == (0.75, "ok", "j")
    assert found["extracted"]["3"] == {"by": "rule", "segments": ["第一句", "第二句"]}
    assert found["extracted"]["0"] == {"by": "judge"}


def test_a_question_that_depends_on_a_wrong_one_does_not_count(tmp_path):
    questions = [asked(), asked(dep=[0]), asked(dep=[1])]
    found = scored(tmp_path, questions, {0: verdict(False), 1: verdict(True), 2: verdict(True)})
    assert found["raw"] == {"0": False, "1": True, "2": True}
    assert found["points"] == {"0": 0.0, "1": 0.0, "2": 1.0}
    assert found["total"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("reply", ["不好说。", "答案：是/否", None])
def test_an_unreadable_reply_is_no_verdict_and_its_dependants_have_none(tmp_path, reply):
    questions = [asked(), asked(dep=[0]), asked(dep=[0]), asked()]
    by_point = {0: reply, 1: verdict(True), 2: verdict(False), 3: verdict(True)}
    found = scored(tmp_path, questions, by_point)
    assert found["status"] == "invalid"
    assert found["total"] is None
    assert found["points"] == {"0": None, "1": None, "2": 0.0, "3": 1.0}
    assert "problem" in found["extracted"]["0"]


def test_a_copy_that_is_none_is_unreadable(tmp_path):
    found = scored(tmp_path, [asked(rule="model_length:[1,99]")], {0: copied("第三句。")})
    assert (found["status"], found["points"]) == ("invalid", {"0": None})


def test_the_answers_own_words_are_measured(tmp_path):
    answer = "一 二\n三"
    found = scored(
        tmp_path, [asked(rule="model_length:[5,5]")], {0: copied("一二三")}, STRICT, answer
    )
    assert found["points"] == {"0": 1.0}


def test_a_verdict_in_the_answer_is_not_the_judges(tmp_path):
    answer = "好诗。\n分析：都做到了。\n答案：是"
    quoting = f"模型的回复是：\n{answer}"
    found = scored(tmp_path, [asked()], {0: quoting}, STRICT, answer)
    assert found["points"] == {"0": None}
    found = scored(tmp_path, [asked()], {0: f"{quoting}\n没有做到。\n答案：否"}, STRICT, answer)
    assert found["points"] == {"0": 0.0}


def test_released_reads_any_reply(tmp_path):
    questions = [asked(), asked(), asked(rule="model_length:[3,3]"), asked(rule="model_odd:[1]")]
    by_point = {0: "不是", 1: "No.", 2: "评分对象：外来语", 3: "评分对象：None"}
    found = scored(tmp_path, questions, by_point, RELEASED)
    assert found["raw"] == {"0": True, "1": False, "2": True, "3": 2}
    assert found["points"] == {"0": 1.0, "1": 0.0, "2": 1.0, "3": 0.0}
    assert found["status"] == "ok"


def test_a_rule_that_ends_the_released_code_leaves_its_question_open(tmp_path):
    found = scored(tmp_path, [asked(rule="model_keyword:甲")], {0: copied("第一句")}, RELEASED)
    assert found["raw"] == {"0": 2}
    assert "IndexError" in found["extracted"]["0"]["problem"]


def test_a_rule_that_cannot_be_read_is_left_to_the_judge(tmp_path):
    found = scored(tmp_path, [asked(rule="model_keyword:甲")], {0: verdict(True)})
    assert found["points"] == {"0": 1.0}
    assert found["extracted"]["0"] == {"by": "rule_judged"}


def test_samples_without_an_answer_keep_their_status(tmp_path):
    run = Run(tmp_path, [record(0), record(1)])
    run.answer({"0": None, "1": ANSWER})
    run.judge(replies({0: verdict(True)}))
    found = run.score()
    assert (found["0"]["status"], found["0"]["points"], found["0"]["total"]) == (
        "error",
        None,
        None,
    )
    assert found["0"]["extracted"] is None
    assert found["1"]["total"] == 1.0


def test_other_judges_stand_beside_the_first(tmp_path):
    run = Run(tmp_path, [record()])
    run.answer(ANSWER)
    run.judge(replies({0: verdict(True)}), "first")
    run.judge(replies({0: "?"}), "second")
    found = run.score(["first", "second"])["0"]
    assert (found["judge"], found["total"], found["status"]) == ("first", 1.0, "ok")
    second = {"status": "invalid", "raw": {"0": None}, "points": {"0": None}, "total": None}
    assert found["also"] == {"second": second}
    with pytest.raises(UserError, match="name a judge"):
        run.score([])


def test_dependencies_reach_into_other_turns(tmp_path):
    questions = [asked(), asked(dep=[0])]
    turns = [{"instruction": "一", "points": [0]}, {"instruction": "二", "points": [1]}]
    kinds = {"composition_types": ["Chain"], "category": "Chain_1"}
    run = Run(tmp_path, [record(questions=questions, turns=turns, **kinds)])
    run.answer(ANSWER, part="zh-decomposed")
    run.judge(replies({0: verdict(False), 1: verdict(True)}), part="zh-decomposed")
    found = run.score(part="zh-decomposed")
    assert found["0/0"]["points"] == {"0": 0.0}
    assert found["0/1"]["raw"] == {"1": True}
    assert found["0/1"]["points"] == {"1": 0.0}


def test_a_turn_without_an_answer_leaves_those_that_depend_on_it_open(tmp_path):
    questions = [asked(), asked(dep=[0])]
    turns = [{"instruction": "一", "points": [0]}, {"instruction": "二", "points": [1]}]
    kinds = {"composition_types": ["Chain"], "category": "Chain_1"}
    run = Run(tmp_path, [record(questions=questions, turns=turns, **kinds)])
    run.answer({"0/0": None, "0/1": ANSWER}, part="zh-decomposed")
    run.judge(replies({1: verdict(True)}), part="zh-decomposed")
    found = run.score(part="zh-decomposed")
    assert (found["0/0"]["status"], found["0/1"]["status"]) == ("error", "invalid")
    assert found["0/1"]["points"] == {"1": None}


@pytest.mark.parametrize("settings", [STRICT, RELEASED, STRICT | {"judging": "plain"}])
@pytest.mark.parametrize("part", ["zh", "en", "zh-decomposed"])
def test_the_reference_satisfies_everything(tmp_path, settings, part):
    run = Run(tmp_path, synthetic(tmp_path), settings)
    found = run.stood_in("m", part)
    assert {sample: one["total"] for sample, one in found.items() if one["total"] != 1.0} == {}
    ways = {how["by"] for one in found.values() for how in one["extracted"].values()}
    by_rule = settings["judging"] == "rules" and part != "en"
    assert ways == {"judge", "rule" if by_rule else "rule_judged"}


def test_readers_that_slip_more_score_less(tmp_path):
    run = Run(tmp_path, synthetic(tmp_path))
    means = []
    for slip in (0.05, 0.2, 0.5):
        found = run.stood_in("m", reader={"slip": slip})
        means.append(sum(one["total"] for one in found.values()) / len(found))
    assert means == sorted(means, reverse=True)
    assert means[0] > 0.7 > means[2]


def test_scoring_twice_gives_the_same_bytes(tmp_path):
    run = Run(tmp_path, synthetic(tmp_path, 10))
    run.stood_in("m", judges=[("j", None), ("k", {"slip": 0.5})])
    before = run.scores["m", "zh"].read_bytes()
    run.score(["j", "k"])
    assert run.scores["m", "zh"].read_bytes() == before
    assert len(list(read_jsonl(run.scores["m", "zh"]))) == 10
