"""Published instances with the published responses of three models."""

from functools import cache

import pytest

from complexbench_run import MODES, Run, data_file, extraction_reply, verdict_reply
from steadfast.base.files import read_jsonl
from steadfast.benchmarks.complexbench.data import local
from steadfast.benchmarks.complexbench.replies import strict_segments, strict_verdict
from steadfast.contract.components import JudgePrompt, JudgeRequest

# Rules on the whole response that hold: of key words, JSON and length.
SATISFIED = {
    "gpt4_1106": {"856/1", "857/2", "899/4", "1148/3", "1149/1"},
    "qwen1.5_72b": {"856/1", "857/2", "899/4", "1148/3", "1149/1"},
    "llama3_8b": {"856/1", "857/2", "899/4", "1148/3"},
}
ALL_MODELS = pytest.mark.parametrize("model", SATISFIED)


@cache
def generations(model: str) -> dict[str, str | None]:
    path = data_file(f"generations/{model}.jsonl")
    return {str(row["main_id"]): row["generated"] for row in read_jsonl(path)}


def approving_judge(_: JudgePrompt, request: JudgeRequest) -> str:
    """A judge that says yes to all questions and extracts the whole response."""
    return extraction_reply("all") if request.expected["by"] == "rule" else verdict_reply(True)


@pytest.mark.parametrize("mode", MODES)
@ALL_MODELS
def test_rules_decide_on_published_responses(model, mode):
    run = Run(local({}, "zh", None, str(data_file("sample_instances.json"))), mode)
    satisfied = set()
    for sample, score in run.score(run.responses(generations(model)), j=approving_judge).items():
        assert score["status"] == "ok"
        for point, extraction in score["extracted"].items():
            if extraction["by"] == "rule" and score["raw"][point]:
                satisfied.add(f"{sample}/{point}")
    assert satisfied == SATISFIED[model]


@ALL_MODELS
def test_replies_about_published_responses_are_readable(model):
    """Also where the judge extracts the whole response or quotes it before its verdict."""
    answers = [answer for answer in generations(model).values() if answer and answer.strip()]
    assert len(answers) > 1100
    for answer in answers:
        assert strict_segments(answer, extraction_reply("all"), each=False) == [answer]
        assert strict_segments(answer, extraction_reply("None"), each=True) == []
        assert strict_verdict(verdict_reply(True), answer) is True
        # A verdict line of the response itself is in the quotation and does not count.
        reply = f"模型的回复是：\n{answer}\n\n分析：没有做到。\n答案：否"
        assert strict_verdict(reply, answer) is False


@ALL_MODELS
def test_paragraphs_of_published_responses_can_be_extracted(model):
    for answer in generations(model).values():
        paragraphs = [part.strip() for part in (answer or "").split("\n\n")]
        segments = [part for part in paragraphs if part and "||" not in part]
        if segments:
            reply = extraction_reply("||".join(segments))
            assert strict_segments(answer, reply, each=True) == segments
