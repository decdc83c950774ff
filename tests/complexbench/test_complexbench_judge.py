"""Judge prompts: which template each question gets, what a judge sees, and readable replies."""

import pytest

from complexbench_run import Run, decomposed_record, question, record
from steadfast.base.errors import UserError
from steadfast.base.resources import resource
from steadfast.benchmarks.complexbench.judge import TEMPLATES, templates_in_use
from steadfast.benchmarks.complexbench.replies import readable
from steadfast.contract.components import JudgePrompt
from steadfast.contract.judge_template import boundary

QUESTIONS = [
    question("是否写了诗？"),
    question("诗是否以“春”开头？", rule="model_startswith:春"),
    question("每句是否七个字？", rule="model_length_each:[7,7]"),
    question("是否押韵？"),
    question("是否合乎旧例？", rule="model_unheard_of:[1]"),
]
POEM = "春眠不觉晓，处处闻啼鸟。"


def prompts_of(run: Run, answer: str = POEM, part: str = "zh") -> dict[str, JudgePrompt]:
    prompts = run.judge_prompts(part, run.responses(answer, part))
    assert len({prompt.template for prompt in prompts}) == len(prompts)
    return {prompt.template: prompt for prompt in prompts}


def points(prompt: JudgePrompt) -> list[int]:
    return [request.expected["point"] for request in prompt.requests]


def test_questions_with_a_rule_go_to_extraction_others_to_the_judge():
    prompts = prompts_of(Run([record(questions=QUESTIONS)]))
    assert list(prompts) == ["judge_zh", "extract_one_zh", "extract_each_zh"]
    # The last question's rule is invalid, so the judge decides it.
    assert points(prompts["judge_zh"]) == [0, 3, 4]
    assert points(prompts["extract_one_zh"]) == [1]
    assert points(prompts["extract_each_zh"]) == [2]
    assert prompts["judge_zh"].requests[0].expected["each"] is False
    (request,) = prompts["extract_each_zh"].requests
    assert (request.id, request.max_tokens) == ("0/2", 2048)
    assert "每句是否七个字？" in request.tail
    assert request.reminder.startswith("\n\n")
    # the released code extracts for rules of any kind
    prompts = prompts_of(Run([record(questions=QUESTIONS)], "released"))
    assert points(prompts["extract_one_zh"]) == [1, 4]


def test_plain_judging_and_english_use_the_judge_only():
    for mode, judging, part, template in (
        ("strict", "plain", "zh", "judge_zh"),
        ("strict", "rules", "en", "judge_en"),
        ("released", "rules", "en", "judge_zh"),
    ):
        prompts = prompts_of(Run([record(questions=QUESTIONS)], mode, judging), part=part)
        assert list(prompts) == [template] == templates_in_use([part], mode, judging), mode
        assert points(prompts[template]) == [0, 1, 2, 3, 4], mode


def test_response_is_between_two_boundary_lines():
    answer = f"{boundary('something else')}\n答案：是"
    line = boundary(answer)
    for prompt in prompts_of(Run([record(questions=QUESTIONS)]), answer).values():
        assert prompt.answer == answer
        assert prompt.head.endswith(f"\n{line}\n")
        assert "指令0" in prompt.head
        assert all(request.tail.startswith(f"\n{line}\n") for request in prompt.requests)


@pytest.mark.parametrize(("mode", "shown"), [("released", (6000, 4000)), ("strict", (7000, 5000))])
def test_released_cuts_long_instructions_and_responses(mode, shown):
    long_record = record(instruction="指" * 7000, questions=QUESTIONS[:2])
    for name, prompt in prompts_of(Run([long_record], mode), "答" * 5000).items():
        before_answer, _, _ = template(name).partition("{{answer}}")
        assert prompt.head.count("指") == before_answer.count("指") + shown[0]
        assert len(prompt.answer) == shown[1]


def test_judge_sees_all_turns_and_a_rule_only_its_own():
    ruled = question("字数对吗？", rule="model_length:[1,9]", dep=[0])
    run = Run([decomposed_record(question("选对了吗？"), ruled, question("连贯吗？"))])
    answers = run.responses({"0/0": "选甲", "0/1": "甲很好"}, "zh-decomposed")
    first, judged, extracted = run.judge_prompts("zh-decomposed", answers)
    assert (first.answer_id, first.answer) == ("0/0", "选甲")
    assert (judged.answer_id, judged.answer) == ("0/1", "[1]\n选甲\n\n[2]\n甲很好")
    assert "[1]\n第一步\n\n[2]\n第二步" in judged.head
    assert (extracted.answer_id, extracted.answer) == ("0/1", "甲很好")
    assert (judged.requests[0].id, extracted.requests[0].id) == ("0/1/2", "0/1/1")
    assert len(judged.requests) == len(extracted.requests) == 1


TEMPLATE = "{{instruction}}\n{{boundary}}\n{{answer}}\n{{boundary}}\n{{question}}"


def test_custom_template_needs_its_slots_in_order(tmp_path):
    custom = tmp_path / "own.txt"
    run = Run([record()])
    templates = run.task.judging.templates | {"judge_zh": str(custom)}
    custom.write_text(TEMPLATE)
    (prompt,) = run.judge_prompts("zh", run.responses("好"), templates)
    assert prompt.head.startswith("指令0\n")
    for text, message in (
        ("{{question}}\n{{instruction}}\n{{answer}}", "move it after"),
        (TEMPLATE.replace("question", "questoin"), "questoin"),
        (TEMPLATE.replace("{{instruction}}", ""), "instruction"),
    ):
        custom.write_text(text)
        with pytest.raises(UserError, match=message):
            run.judge_prompts("zh", run.responses("好"), templates)


def template(name: str) -> str:
    return resource(f"complexbench/judge/{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TEMPLATES)
def test_examples_of_templates_are_readable(name):
    prompt, _, reminder = template(name).partition("=== reminder ===")
    assert reminder.strip()
    assert prompt.count("{{boundary}}") == 3
    if name.startswith("judge"):
        yes, no = ("Answer: yes", "Answer: no") if name.endswith("en") else ("答案：是", "答案：否")
        assert f"\n{yes}\n" in prompt and f"\n{no}\n" in prompt
        return
    # Each worked example copies out of its own response.
    examples = prompt.split("\n例")[1:]
    assert len(examples) == (6 if name == "extract_one_zh" else 5)
    for example in examples:
        answer, _, behind = example.partition("回复：")[2].partition("\n评分问题：")
        reply = behind.partition("\n")[2].partition("\n\n下面")[0]
        expected = {"mode": "strict", "by": "rule", "each": "each" in name}
        assert readable(expected, reply, answer), example


@pytest.mark.parametrize("reply", ["", "这首诗很好。", "答案：是\n答案：否"])
def test_reply_of_another_form_is_unreadable_only_in_mode_strict(reply):
    judged = {"by": "judge", "each": False, "language": "zh"}
    extracted = {"by": "rule", "each": True, "language": "zh"}
    for expected in (judged, extracted):
        assert not readable({"mode": "strict"} | expected, reply, POEM)
        assert readable({"mode": "released"} | expected, reply, POEM) is bool(reply)
