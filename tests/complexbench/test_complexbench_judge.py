"""Judge prompts: what is asked how, what a judge is shown, and which replies can be read."""

import pytest

from complexbench_run import (
    JUDGE_TEMPLATES,
    RELEASED,
    STRICT,
    Run,
    asked,
    copied,
    record,
    synthetic,
    verdict,
)
from steadfast.complexbench.benchmark import readable
from steadfast.complexbench.ways import templates_in_use
from steadfast.errors import UserError
from steadfast.judging.boundary import boundary

QUESTIONS = [
    asked("是否写了诗？"),
    asked("诗是否以“春”开头？", rule="model_startswith:春"),
    asked("每句是否七个字？", rule="model_length_each:[7,7]"),
    asked("是否押韵？"),
    asked("是否合乎旧例？", rule="model_unheard_of:[1]"),
]
POEM = "春眠不觉晓，处处闻啼鸟。"


def records_of(run: Run, answer: str = POEM, part: str = "zh") -> dict[str, dict]:
    run.answer(answer, part=part)
    found = run.ask(part=part)
    assert len({r["template"] for r in found}) == len(found)
    return {r["template"]: r for r in found}


def points(found: dict) -> list[int]:
    return [request["expected"]["point"] for request in found["requests"]]


def test_questions_go_to_the_judge_and_those_with_a_rule_to_extraction(tmp_path):
    found = records_of(Run(tmp_path, [record(questions=QUESTIONS)]))
    assert list(found) == ["judge_zh", "extract_one_zh", "extract_each_zh"]
    # The last question's rule cannot be read, so a judge decides it.
    assert points(found["judge_zh"]) == [0, 3, 4]
    assert points(found["extract_one_zh"]) == [1]
    assert points(found["extract_each_zh"]) == [2]
    (request,) = found["extract_each_zh"]["requests"]
    assert request["sample_id"] == "0/2"
    assert "每句是否七个字？" in request["tail"]
    assert request["reminder"].startswith("\n\n")


def test_released_extracts_for_rules_of_any_kind(tmp_path):
    found = records_of(Run(tmp_path, [record(questions=QUESTIONS)], RELEASED))
    assert points(found["extract_one_zh"]) == [1, 4]


@pytest.mark.parametrize(
    ("settings", "part", "template"),
    [
        (STRICT | {"judging": "plain"}, "zh", "judge_zh"),
        (STRICT, "en", "judge_en"),
        (RELEASED, "en", "judge_zh"),
    ],
)
def test_plain_judging_and_english_leave_all_to_the_judge(tmp_path, settings, part, template):
    found = records_of(Run(tmp_path, [record(questions=QUESTIONS)], settings), part=part)
    assert list(found) == [template] == templates_in_use([part], settings)[:1]
    assert points(found[template]) == [0, 1, 2, 3, 4]


def test_the_answer_stands_between_two_lines_that_follow_from_it(tmp_path):
    answer = f"{boundary('something else')}\n答案：是"
    found = records_of(Run(tmp_path, [record(questions=QUESTIONS)]), answer)
    for one in found.values():
        line = boundary(answer)
        assert one["answer"] == answer
        assert one["head"].endswith(f"\n{line}\n")
        assert "指令0" in one["head"]
        assert all(request["tail"].startswith(f"\n{line}\n") for request in one["requests"])


def test_released_shows_the_beginning_of_long_texts(tmp_path):
    long = record(instruction="指" * 7000, questions=QUESTIONS[:2])
    answer = "答" * 5000
    for settings, seen in ((RELEASED, (6000, 4000)), (STRICT, (7000, 5000))):
        for one in records_of(Run(tmp_path, [long], settings), answer).values():
            rest = JUDGE_TEMPLATES[one["template"]].read_text(encoding="utf-8").count("指")
            assert one["head"].count("指") - seen[0] <= rest
            assert len(one["answer"]) == seen[1]


def test_answers_that_did_not_come_are_not_judged(tmp_path):
    run = Run(tmp_path, [record(0), record(1)])
    run.answer({"0": None, "1": "好"})
    assert [one["answer_id"] for one in run.ask()] == ["1"]


def test_an_output_that_is_missing_is_told(tmp_path):
    run = Run(tmp_path, [record(0)])
    run.answer("好").write_text("")
    with pytest.raises(UserError, match="no output for sample 0"):
        run.ask()


def turned() -> dict:
    questions = [asked("选对了吗？"), asked("字数对吗？", rule="model_length:[1,9]", dep=[0])]
    turns = [
        {"instruction": "第一步", "points": [0]},
        {"instruction": "第二步", "points": [1]},
    ]
    kinds = {"composition_types": ["Selection"], "category": "Selection_1"}
    return record(questions=questions, turns=turns, **kinds)


def test_a_judge_of_a_turn_sees_those_before_it_and_a_rule_the_turn_alone(tmp_path):
    made = turned()
    made["scoring_questions"].append(asked("连贯吗？"))
    made["turns"][1]["points"] = [1, 2]
    run = Run(tmp_path, [made])
    run.answer({"0/0": "选甲", "0/1": "甲很好"}, part="zh-decomposed")
    first, judged, extracted = run.ask(part="zh-decomposed")
    assert (first["answer_id"], first["answer"]) == ("0/0", "选甲")
    assert (judged["answer_id"], extracted["answer_id"]) == ("0/1", "0/1")
    assert judged["answer"] == "[1]\n选甲\n\n[2]\n甲很好"
    assert "[1]\n第一步\n\n[2]\n第二步" in judged["head"]
    assert extracted["answer"] == "甲很好"
    assert [r["sample_id"] for r in judged["requests"] + extracted["requests"]] == [
        "0/1/2",
        "0/1/1",
    ]


TEMPLATE = "{{instruction}}\n{{boundary}}\n{{answer}}\n{{boundary}}\n{{question}}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{{question}}\n{{instruction}}\n{{answer}}", "put it behind"),
        (TEMPLATE.replace("question", "questoin"), "questoin"),
        (TEMPLATE.replace("{{instruction}}", ""), "instruction"),
        (TEMPLATE.replace("{{answer}}", ""), "answer"),
    ],
)
def test_a_template_of_ones_own_must_have_its_slots_in_place(tmp_path, text, complaint):
    own = tmp_path / "own.txt"
    run = Run(tmp_path, [record()])
    run.answer("好")
    own.write_text(TEMPLATE)
    (one,) = run.ask(templates=JUDGE_TEMPLATES | {"judge_zh": own})
    assert one["head"].startswith("指令0\n")
    own.write_text(text)
    with pytest.raises(UserError, match=complaint):
        run.ask(templates=JUDGE_TEMPLATES | {"judge_zh": own})


@pytest.mark.parametrize("name", sorted(JUDGE_TEMPLATES))
def test_the_templates_show_the_form_that_is_read(name, tmp_path):
    text = JUDGE_TEMPLATES[name].read_text(encoding="utf-8")
    prompt, _, reminder = text.partition("=== reminder ===")
    assert reminder.strip()
    assert prompt.count("{{boundary}}") == 3
    if name.startswith("judge"):
        forms = ("Answer: yes", "Answer: no") if name.endswith("en") else ("答案：是", "答案：否")
        assert all(f"\n{form}\n" in prompt for form in forms)
    else:
        # Each worked example is a reply that can be read, a copy out of its own answer.
        examples = prompt.split("\n例")[1:]
        assert len(examples) == (6 if name == "extract_one_zh" else 5)
        for example in examples:
            answer, _, rest = example.partition("回复：")[2].partition("\n评分问题：")
            shown = rest.partition("\n")[2].partition("\n\n下面")[0]
            expected = {"mode": "strict", "by": "rule", "each": "each" in name}
            assert readable(expected, shown, answer), example


def test_stand_in_judges_keep_to_the_form_and_simulated_ones_slip(tmp_path):
    run = Run(tmp_path, synthetic(tmp_path))
    unread = {}
    for name, reader in (("steady", None), ("slipping", {"slip": 1.0})):
        scores = run.stood_in("m", judges=[(name, reader)])
        found = [how for one in scores.values() for how in one["extracted"].values()]
        unread[name] = sum("problem" in how for how in found) / len(found)
    assert unread["steady"] == 0
    assert 0.05 < unread["slipping"] < 0.6


def test_of_an_answer_without_an_account_the_stand_in_knows_nothing(tmp_path):
    run = Run(tmp_path, [record(questions=QUESTIONS[:3])])
    run.answer(POEM)
    run.ask()
    run.judge()
    assert run.score()["0"]["raw"] == {"0": None, "1": None, "2": None}


MISBEHAVED = [
    "",
    "这首诗很好。",
    "I cannot assist with that.",
    "output ['YES', 'YES']",
    "YES\nYES",
    '{"verdict": "是"}',
    "是",
    "答案：是\n答案：否",
    f"{verdict(True)}\n{verdict(True)}",
]


@pytest.mark.parametrize("reply", MISBEHAVED)
def test_replies_of_another_form_are_unreadable_in_mode_strict_alone(reply):
    judged = {"by": "judge", "each": False, "language": "zh"}
    extracted = {"by": "rule", "each": True, "language": "zh"}
    for expected in (judged, extracted):
        assert not readable({"mode": "strict"} | expected, reply, POEM)
        assert readable({"mode": "released"} | expected, reply, POEM) is bool(reply)


def test_readable_replies():
    judged = {"mode": "strict", "by": "judge", "each": False, "language": "zh"}
    assert readable(judged, verdict(False), POEM)
    extracted = {"mode": "strict", "by": "rule", "each": False, "language": "zh"}
    assert readable(extracted, copied("处处闻啼鸟"), POEM)
    assert not readable(extracted, copied("处处闻鸟啼"), POEM)
