"""Released instances and answers: the example, the sample instances, three models' generations."""

from functools import cache

import pytest

from complexbench_instances import data_file
from complexbench_run import MODES, Run, copied, verdict
from steadfast.base.files import read_jsonl
from steadfast.benchmarks.complexbench.data import local
from steadfast.benchmarks.complexbench.replies import strict_segments, strict_verdict
from steadfast.contract.components import JudgePrompt, JudgeRequest

MODELS = ("gpt4_1106", "llama3_8b", "qwen1.5_72b")
FILES = ("sample_instances.json", "example.json")


@cache
def generations(model: str) -> dict[str, str | None]:
    path = data_file(f"generations/{model}.jsonl")
    return {str(row["main_id"]): row["generated"] for row in read_jsonl(path)}


@cache
def instances(file: str = "sample_instances.json") -> list[dict]:
    return local({}, "zh", None, str(data_file(file)))


def yes_and_all(_: JudgePrompt, request: JudgeRequest) -> str:
    """A judge that is content with everything and copies the whole answer."""
    return copied("all") if request.expected["by"] == "rule" else verdict(True)


def scores(model: str, mode: str = "strict", reply=yes_and_all) -> dict[str, dict]:
    run = Run(instances(), mode)
    return run.score(run.given(generations(model)), j=reply)


# Of the rules on the whole answer: key words, JSON and length are met by all or most of it.
KEPT = {
    "gpt4_1106": {"856/1", "857/2", "899/4", "1148/3", "1149/1"},
    "qwen1.5_72b": {"856/1", "857/2", "899/4", "1148/3", "1149/1"},
    "llama3_8b": {"856/1", "857/2", "899/4", "1148/3"},
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("model", MODELS)
def test_rules_decide_on_released_answers(model, mode):
    found = scores(model, mode)
    kept = {
        f"{sample}/{point}"
        for sample, one in found.items()
        for point, how in one["extracted"].items()
        if how["by"] == "rule" and one["raw"][point]
    }
    assert kept == KEPT[model]
    assert all(one["status"] == "ok" for one in found.values())


@pytest.mark.parametrize("model", MODELS)
def test_all_released_answers_can_be_judged(model):
    """A judge that points at the whole answer, or quotes it before its verdict, is understood."""
    answers = [answer for answer in generations(model).values() if answer and answer.strip()]
    assert len(answers) > 1100
    quoted = 0
    for answer in answers:
        assert strict_segments(answer, copied("all"), each=False) == [answer]
        assert strict_segments(answer, copied("None"), each=True) == []
        assert strict_verdict(verdict(True), answer) is True
        reply = f"模型的回复是：\n{answer}\n\n分析：没有做到。\n答案：否"
        quoted += strict_verdict(reply, answer) is False
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


@pytest.mark.parametrize("file", FILES)
def test_the_reference_of_the_sample_satisfies_everything(file):
    run = Run(instances(file))
    assert {one["total"] for one in run.score(run.read()).values()} == {1.0}


@pytest.mark.parametrize("model", MODELS)
def test_a_stand_in_judge_gives_no_verdict_on_what_no_stand_in_wrote(model):
    run = Run(instances())
    assert run.score(run.given(generations(model)), "real")
    (summary,) = run.metrics()["summary"].to_dict("records")
    assert (summary["n"], summary["expected"]) == (0, 43)
