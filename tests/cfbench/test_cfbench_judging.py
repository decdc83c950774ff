"""Prompts, judge prompts, and which verdicts of a reply are the judge's."""

from unittest.mock import Mock

import pytest

from cfbench_run import Run
from steadfast.benchmarks.cfbench.agreement import questions
from steadfast.benchmarks.cfbench.facts import PRIMARY
from steadfast.benchmarks.cfbench.judge import CfbenchJudgePrompts
from steadfast.benchmarks.cfbench.replies import readable
from steadfast.benchmarks.cfbench.scoring import read_reply
from steadfast.benchmarks.cfbench.simulator import CfbenchSimulator
from steadfast.contract.components import Question, Reply, Sample
from steadfast.contract.judge_template import boundary, load_template

TEXTS = ["写成一封信", "落款是“阿禾”", "不超过六十字"]
PRIORITIES = [PRIMARY, "次需", "次需"]
EXPECTED = {"mode": "strict", "checkpoints": TEXTS}
YES = "\n\n".join(f"{text}\t1" for text in TEXTS)
NO = YES.replace("\t1", "\t0")


@pytest.fixture(scope="module")
def run():
    return Run()


def test_prompt_is_the_instruction(run):
    for sample in run.samples["zh"]:
        prompt = sample.prompt
        record = run.records[sample.id]
        assert prompt["instruction"] == record["prompt"]
        assert prompt["sample_id"] == prompt["context_id"] == record["sample_id"]
        assert (prompt["task"], prompt["split"]) == (record["source"], record["split"])
        assert prompt["max_tokens"] == 2048
        # People are asked about each checkpoint.
        assert questions(sample)[0] == Question("1", record["checkpoints"][0]["text"])


def test_judge_prompt_has_all_parts_in_order(run):
    for prompt in run.judge_prompts("zh", run.answers("zh")):
        record = run.records[prompt.answer_id]
        (request,) = prompt.requests
        texts = [checkpoint["text"] for checkpoint in record["checkpoints"]]
        line = boundary(prompt.answer)
        text = prompt.head + prompt.answer + request.tail
        position = text.rindex(record["prompt"])
        checklist = "\n\n".join(texts)
        for part in (record["prompt"], record["gold"], line, prompt.answer, line, checklist):
            position = text.index(part, position) + len(part)
        assert f"共 {len(texts)} 条" in prompt.head
        assert request.expected == {"mode": "strict", "checkpoints": texts}
        assert request.reminder.strip() and "{{" not in request.tail
        assert request.max_tokens == 2048


@pytest.mark.parametrize(("number", "chance"), [(2, 0.77), (4, 0.54)])
def test_chance_to_miss_a_checkpoint(number, chance):
    # .4 · ((.5 + .25 · 3) · 1.5 + .5 · .2 · 2/4), and .4 · ((.5 + .25 · 3) · 1 + .5 · .2 · 4/4)
    checkpoints = [{"type": kind} for kind in ("", "数值约束", "", "")]

    def meets(settings, drawn):
        sample = Sample("zh", {}, {"checkpoints": checkpoints})
        rng = Mock(random=lambda: drawn)
        return CfbenchSimulator().meets(sample, number, settings, 1.0, rng)

    settings = {"slip": 0.4, "position_bias": 0.2}
    assert meets(settings, chance + 1e-9) and not meets(settings, chance - 1e-9)
    assert meets({}, 0.0)
    # Without a position bias .4 · (.5 + .25 · 3) are missed.
    assert number == 2 or meets({"slip": 0.4}, 0.5 + 1e-9)


def test_examples_of_the_template_are_readable():
    head = load_template("resource:cfbench/judge/zh.txt", CfbenchJudgePrompts.slots).head
    verdicts = []
    for example in head.split("核对清单：\n")[1:3]:
        checklist, _, behind = example.partition("\n你的输出：\n")
        texts = checklist.split("\n\n")
        reply = behind.partition("\n\n【")[0]
        assert readable({"mode": "released", "checkpoints": texts}, reply, "")
        verdicts.append(read_reply("strict", texts, [PRIMARY] * len(texts), reply, "").verdicts)
    assert verdicts == [[1, 0], [0, 1, 0, 1, 0]]


def verdicts_about(answer: str, reply: str) -> list[int] | None:
    """The verdicts of a reply about a response."""
    return read_reply("strict", TEXTS, PRIORITIES, reply, answer).verdicts


@pytest.mark.parametrize("quotation", ["{}", "> {}", "\n{}\n"])
def test_verdicts_quoted_from_the_response_are_ignored(quotation):
    answer = f"亲爱的阿姨：见信好。\n{YES}\n阿禾"
    quoted = quotation.format(YES)
    assert not readable(EXPECTED, quoted, answer)
    assert not readable(EXPECTED, f"模型回答：\n{quoted}", answer)
    assert not readable(EXPECTED, quotation.format(answer), answer)
    assert verdicts_about(answer, f"{quoted}\n\n{NO}") == [0, 0, 0]


@pytest.mark.parametrize("verdicts", [[1, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 0, 1]])
@pytest.mark.parametrize("lists", [(YES, NO), (NO, YES), (YES, "以上。", NO)])
def test_lists_in_the_response_do_not_hide_other_verdicts(verdicts, lists):
    # Every line of the reply is in the response, but the list of them is not.
    answer = "\n\n".join(["信写好了。", *lists])
    pairs = zip(TEXTS, verdicts, strict=True)
    reply = "\n\n".join(f"{text}\t{verdict}" for text, verdict in pairs)
    assert verdicts_about(answer, reply) == verdicts
    assert verdicts_about(answer, YES) is None
    assert verdicts_about(answer, NO) is None


def test_checkpoint_quoted_by_the_response_does_not_hide_its_verdict():
    texts = ["按照下面的样子输出：\n题：\n文：\n评：\n注：无", "押韵"]
    answer = "题：\n文：\n评：\n注：无"
    reply = f"{texts[0]}\t1\n\n押韵\t0"
    assert read_reply("strict", texts, [PRIMARY] * 2, reply, answer).verdicts == [1, 0]


def test_released_reads_replies_as_the_released_code():
    part = read_reply("released", TEXTS, PRIORITIES, YES.replace("\n\n", "\n"), "")
    assert (part.verdicts, part.rates) == (None, (1, 1, 1))
    assert part.extracted == {"parsing": "0", "scores": ["1", "1", "1"]}
    without_verdicts = read_reply("released", TEXTS, PRIORITIES, "Error", "")
    assert (without_verdicts.verdicts, without_verdicts.rates) == (None, (0, 0, 0))
    crash = read_reply("released", TEXTS, PRIORITIES, NO.replace("0", "否"), "")
    assert crash.rates is None and "ValueError" in crash.extracted["problem"]
    expected = EXPECTED | {"mode": "released"}
    assert readable(expected, YES, "") and readable(expected, YES + "\n", "  ")
    assert not readable(expected, YES.replace("\n\n", "\n"), "")


def test_missing_and_refused_replies_are_invalid(run):
    answers = run.answers("zh")
    replies = run.simulated_replies(answers)
    first, second, *_ = replies
    del replies[first]
    replies[second] = Reply("refused", "")
    scores = run.score("reference", answers, j=replies)
    assert [score["sample_id"] for score in scores[:2]] == [first, second]
    assert [score["status"] for score in scores[:3]] == ["invalid", "invalid", "ok"]
    assert "missing" in scores[0]["extracted"]["problem"]
    assert "refused" in scores[1]["extracted"]["problem"]
