"""Released instances and answers: the example, the sample instances, three models' generations."""

import json
from functools import cache

import pytest

from complexbench_instances import data_file
from complexbench_run import RELEASED, STRICT, Run, copied, verdict
from steadfast.complexbench import benchmark
from steadfast.complexbench.extraction import strict_segments
from steadfast.complexbench.rules.decide import usable
from steadfast.complexbench.rules.decide import verdict as decide
from steadfast.complexbench.verdicts import strict_verdict
from steadfast.files import read_jsonl

MODELS = ("gpt4_1106", "llama3_8b", "qwen1.5_72b")


@cache
def generations(model: str) -> dict[str, str | None]:
    path = data_file(f"generations/{model}.jsonl")
    return {str(row["main_id"]): row["generated"] for row in read_jsonl(path)}


def instances(directory, file="sample_instances.json") -> list[dict]:
    source = {"source": "local", "directory": str(data_file(file).parent), "file": file}
    out = directory / "data.jsonl"
    benchmark.write_data(source | {"extra": None}, "zh", out)
    return list(read_jsonl(out))


def yes_and_all(_, request: dict) -> str:
    """A judge that is content with everything and copies the whole answer."""
    return copied("all") if request["expected"]["by"] == "rule" else verdict(True)


def scores(directory, model: str, settings=STRICT, reply=yes_and_all) -> dict[str, dict]:
    run = Run(directory, instances(directory), settings)
    run.answer(generations(model))
    run.judge(reply)
    return run.score()


def test_every_rule_of_the_sample_can_be_read(tmp_path):
    rules = [
        question["rule"]
        for file in ("sample_instances.json", "example.json")
        for instance in instances(tmp_path, file)
        for question in instance["scoring_questions"]
        if question["rule"]
    ]
    assert len(rules) == 10
    assert all(usable(rule, "strict") for rule in rules)


# Of the rules on the whole answer: key words, JSON and length are met by all or most of it.
KEPT = {
    "gpt4_1106": {"856/1", "857/2", "899/4", "1148/3", "1149/1"},
    "qwen1.5_72b": {"856/1", "857/2", "899/4", "1148/3", "1149/1"},
    "llama3_8b": {"856/1", "857/2", "899/4", "1148/3"},
}


@pytest.mark.parametrize("settings", [STRICT, RELEASED])
@pytest.mark.parametrize("model", MODELS)
def test_rules_decide_on_released_answers(tmp_path, model, settings):
    found = scores(tmp_path, model, settings)
    kept = {
        f"{sample}/{point}"
        for sample, one in found.items()
        for point, how in one["extracted"].items()
        if how["by"] == "rule" and one["raw"][point]
    }
    assert kept == KEPT[model]
    assert all(one["status"] == "ok" for one in found.values())


def test_an_answer_that_does_as_told_fails_a_rule_that_wants_other_words(tmp_path):
    """main_id 856: the instruction says input, the question and its rule say enter."""
    for model in MODELS:
        answer = generations(model)["856"]
        wanted = "Judgment complete,please {} the next resume."
        assert not decide(f"model_endswith:{wanted.format('enter')}", [answer], "strict")
    told = f"{{}}\n{wanted.format('input')}"
    assert not decide(f"model_endswith:{wanted.format('enter')}", [told], "strict")


def test_the_example_with_a_wrong_branch(tmp_path):
    """main_id 899: what depends on the judgement about country A falls with it."""

    def reply(record: dict, request: dict) -> str:
        if request["expected"]["point"] == 0:
            return verdict(False)
        return yes_and_all(record, request)

    found = scores(tmp_path, "gpt4_1106", reply=reply)["899"]
    assert found["raw"]["4"] is True
    assert [point for point, value in found["points"].items() if value] == ["1", "6", "7"]
    assert found["total"] == pytest.approx(3 / 9)


@pytest.mark.parametrize("model", MODELS)
def test_all_released_answers_can_be_judged(tmp_path, model):
    """A judge that points at the whole answer, or quotes it before its verdict, is understood."""
    answers = [answer for answer in generations(model).values() if answer and answer.strip()]
    assert len(answers) > 1100
    quoted = 0
    for answer in answers:
        assert strict_segments(answer, copied("all"), each=False) == [answer]
        assert strict_segments(answer, copied("None"), each=True) == []
        assert strict_verdict(verdict(True), answer, "zh") is True
        reply = f"模型的回复是：\n{answer}\n\n分析：没有做到。\n答案：否"
        quoted += strict_verdict(reply, answer, "zh") is False
    # An answer with a verdict line of its own, repeated whole, is left out of the reply first.
    assert quoted == len(answers)


@pytest.mark.parametrize("model", MODELS)
def test_a_paragraph_can_be_copied_out_of_any_released_answer(model):
    for answer in generations(model).values():
        parts = [part.strip() for part in (answer or "").split("\n\n") if part.strip()]
        parts = [part for part in parts if "||" not in part]
        if not parts:
            continue
        found = strict_segments(answer, copied("||".join(parts)), each=True)
        assert found == parts


def test_the_reference_of_the_sample_satisfies_everything(tmp_path):
    for file in ("sample_instances.json", "example.json"):
        run = Run(tmp_path, instances(tmp_path, file))
        for one in run.stood_in("m").values():
            assert one["total"] == 1.0, json.dumps(one["extracted"], ensure_ascii=False)
