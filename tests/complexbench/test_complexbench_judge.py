"""Judge prompts: what is asked how, what a judge is shown, and which replies can be read."""

import pytest

from complexbench_instances import asked
from complexbench_run import Run, record, turned
from steadfast.base.errors import UserError
from steadfast.base.resources import resource
from steadfast.benchmarks.complexbench.judge import TEMPLATES, templates_in_use
from steadfast.benchmarks.complexbench.replies import readable
from steadfast.contract.components import JudgePrompt
from steadfast.contract.judge_template import boundary

QUESTIONS = [
    asked("是否写了诗？"),
    asked("诗是否以“春”开头？", rule="model_startswith:春"),
    asked("每句是否七个字？", rule="model_length_each:[7,7]"),
    asked("是否押韵？"),
    asked("是否合乎旧例？", rule="model_unheard_of:[1]"),
]
POEM = "春眠不觉晓，处处闻啼鸟。"


def prompts_of(run: Run, answer: str = POEM, part: str = "zh") -> dict[str, JudgePrompt]:
    found = run.judge_prompts(part, run.given(answer, part))
    assert len({prompt.template for prompt in found}) == len(found)
    return {prompt.template: prompt for prompt in found}


def points(prompt: JudgePrompt) -> list[int]:
    return [request.expected["point"] for request in prompt.requests]


def test_questions_go_to_the_judge_and_those_with_a_rule_to_extraction():
    found = prompts_of(Run([record(questions=QUESTIONS)]))
    assert list(found) == ["judge_zh", "extract_one_zh", "extract_each_zh"]
    # The last question's rule cannot be read, so a judge decides it.
    assert points(found["judge_zh"]) == [0, 3, 4]
    assert points(found["extract_one_zh"]) == [1]
    assert points(found["extract_each_zh"]) == [2]
    (request,) = found["extract_each_zh"].requests
    assert request.id == "0/2"
    assert "每句是否七个字？" in request.tail
    assert request.reminder.startswith("\n\n")
    # the released code extracts for rules of any kind
    found = prompts_of(Run([record(questions=QUESTIONS)], "released"))
    assert points(found["extract_one_zh"]) == [1, 4]


def test_plain_judging_and_english_leave_all_to_the_judge():
    for mode, judging, part, template in (
        ("strict", "plain", "zh", "judge_zh"),
        ("strict", "rules", "en", "judge_en"),
        ("released", "rules", "en", "judge_zh"),
    ):
        found = prompts_of(Run([record(questions=QUESTIONS)], mode, judging), part=part)
        assert list(found) == [template] == templates_in_use([part], mode, judging)[:1], mode
        assert points(found[template]) == [0, 1, 2, 3, 4], mode


def test_the_answer_stands_between_two_lines_that_follow_from_it():
    answer = f"{boundary('something else')}\n答案：是"
    line = boundary(answer)
    for one in prompts_of(Run([record(questions=QUESTIONS)]), answer).values():
        assert one.answer == answer
        assert one.head.endswith(f"\n{line}\n")
        assert "指令0" in one.head
        assert all(request.tail.startswith(f"\n{line}\n") for request in one.requests)


@pytest.mark.parametrize(("mode", "seen"), [("released", (6000, 4000)), ("strict", (7000, 5000))])
def test_released_shows_the_beginning_of_long_texts(mode, seen):
    long = record(instruction="指" * 7000, questions=QUESTIONS[:2])
    for name, one in prompts_of(Run([long], mode), "答" * 5000).items():
        rest = template(name).count("指")
        assert one.head.count("指") - seen[0] <= rest
        assert len(one.answer) == seen[1]


def test_a_judge_of_a_turn_sees_those_before_it_and_a_rule_the_turn_alone():
    ruled = asked("字数对吗？", rule="model_length:[1,9]", dep=[0])
    run = Run([turned(asked("选对了吗？"), ruled, asked("连贯吗？"))])
    answers = run.given({"0/0": "选甲", "0/1": "甲很好"}, "zh-decomposed")
    first, judged, extracted = run.judge_prompts("zh-decomposed", answers)
    assert (first.answer_id, first.answer) == ("0/0", "选甲")
    assert (judged.answer_id, extracted.answer_id) == ("0/1", "0/1")
    assert judged.answer == "[1]\n选甲\n\n[2]\n甲很好"
    assert "[1]\n第一步\n\n[2]\n第二步" in judged.head
    assert extracted.answer == "甲很好"
    assert [request.id for one in (judged, extracted) for request in one.requests] == [
        "0/1/2",
        "0/1/1",
    ]


TEMPLATE = "{{instruction}}\n{{boundary}}\n{{answer}}\n{{boundary}}\n{{question}}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{{question}}\n{{instruction}}\n{{answer}}", "move it after"),
        (TEMPLATE.replace("question", "questoin"), "questoin"),
        (TEMPLATE.replace("{{instruction}}", ""), "instruction"),
        (TEMPLATE.replace("{{answer}}", ""), "answer"),
    ],
)
def test_a_template_of_ones_own_must_have_its_slots_in_place(tmp_path, text, complaint):
    own = tmp_path / "own.txt"
    run = Run([record()])
    templates = run.task.judging.templates | {"judge_zh": str(own)}
    own.write_text(TEMPLATE)
    (one,) = run.judge_prompts("zh", run.given("好"), templates)
    assert one.head.startswith("指令0\n")
    own.write_text(text)
    with pytest.raises(UserError, match=complaint):
        run.judge_prompts("zh", run.given("好"), templates)


def template(name: str) -> str:
    return resource(f"complexbench/judge/{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_templates_show_the_form_that_is_read(name):
    prompt, _, reminder = template(name).partition("=== reminder ===")
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


@pytest.mark.parametrize("reply", ["", "这首诗很好。", "答案：是\n答案：否"])
def test_replies_of_another_form_are_unreadable_in_mode_strict_alone(reply):
    judged = {"by": "judge", "each": False, "language": "zh"}
    extracted = {"by": "rule", "each": True, "language": "zh"}
    for expected in (judged, extracted):
        assert not readable({"mode": "strict"} | expected, reply, POEM)
        assert readable({"mode": "released"} | expected, reply, POEM) is bool(reply)
