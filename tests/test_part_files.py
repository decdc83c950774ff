"""Data and answers, from files of data and outputs; requests to a judge, and their order."""

from pathlib import Path

import pytest

from steadfast.base.errors import UserError
from steadfast.base.files import write_json, write_jsonl
from steadfast.contract.components import Component, JudgePrompt, JudgeRequest, Reply, Sample
from steadfast.contract.part_files import (
    answer_of,
    judge_items,
    read_answers,
    read_data,
    read_repeats,
    read_replies,
    sources_by_part,
)
from steadfast.contract.request import Request, ordered


def test_data_files_are_read_part_after_part(tmp_path):
    write_jsonl(tmp_path / "a.jsonl", [{"id": 1}, {"id": 2}])
    write_json(tmp_path / "b.json", {"id": 3})
    files = [str(tmp_path / name) for name in ("a.jsonl", "b.json", "a.jsonl")]
    keys = {"4k": [("contexts", "x"), ("expressions", "y")], "8k": [("contexts", "z")]}
    parts = sources_by_part(keys, files)
    assert parts["8k"] == [("contexts", "z", Path(files[2]))]
    assert read_data(parts["4k"]) == {
        "contexts": {"x": [{"id": 1}, {"id": 2}]}, "expressions": {"y": {"id": 3}}
    }  # fmt: skip


def sample(name: str, before: Sample | None = None, repeat: int = 0) -> Sample:
    return Sample("p", {"sample_id": name, "task": "T"}, {}, before, repeat)


def test_answer_is_that_of_the_repeat_and_knows_the_turn_before(tmp_path):
    outputs = tmp_path / "o.jsonl"
    records = []
    for name, repeat in (("a", 0), ("b", 0), ("a", 1)):
        records.append({"sample_id": name, "repeat": repeat, "status": "ok"})
        records[-1]["response"] = f"{name}{repeat}"
    write_jsonl(outputs, records)
    first = sample("a")
    answers = read_answers(outputs, [first, sample("b", first), sample("a", repeat=1)])
    assert {key: answer.text for key, answer in answers.items()} == {
        "a": "a0", "b": "b0", "a#1": "a1"
    }  # fmt: skip
    assert (answers["b"].before, answers["a"].before) == (answers["a"], None)
    with pytest.raises(UserError, match="no output for sample c; remove"):
        read_answers(outputs, [sample("c")])
    write_jsonl(outputs, [records[0] | {"status": "good"}])
    with pytest.raises(UserError, match="sample a has status 'good', not one of ok, length"):
        read_answers(outputs, [first])


def test_replies_of_a_judge_are_by_repeat(tmp_path):
    verdicts = tmp_path / "v.jsonl"
    record = {"sample_id": "a", "status": "ok", "repeat": 0, "response": "yes", "attempts": 2}
    write_jsonl(verdicts, [record, record | {"repeat": 1, "response": "no"}])
    assert {n: reply["a"].text for n, reply in read_repeats(verdicts).items()} == {
        0: "yes",
        1: "no",
    }
    assert read_replies(verdicts)["a"] == Reply("ok", "yes", 2)
    write_jsonl(verdicts, [record | {"repeat": 1}])
    assert read_replies(verdicts) == {}


def request(prefix: str, prompt_tokens: int | None, max_tokens: int) -> Request:
    group = ("", prefix[0])
    return Request(prefix, "c", group, prefix, "?", max_tokens, prompt_tokens, 0, 1.0, None, prefix)


def test_contexts_with_the_largest_request_come_first():
    # Of 7, 8 (5 of its prompt) and 6 tokens; in a context the longest prefix is first.
    groups = [[request("a", None, 7)], [request("b", 0, 1), request("bb", 5, 3)]]
    groups.append([request("c", 5, 1)])
    assert [item.sample_id for item in ordered(groups)] == ["bb", "b", "a", "c"]


@pytest.mark.parametrize(("tokens", "truncated"), [(None, False), (0, False), (1, True)])
def test_prompt_is_truncated_where_tokens_were_left_out(tokens, truncated):
    output = {"status": "ok", "response": "a", "prompt_truncated_tokens": tokens}
    assert answer_of(output).prompt_truncated is truncated


def test_schema_is_sent_in_its_order_and_characters_with_every_repeat():
    """Hashes of requests contain it, so that a change would pay for all verdicts anew."""
    request = JudgeRequest("zh/1", "清单", {"checkpoints": ["押韵"]}, "重复", 9)
    prompt = JudgePrompt("zh/1", "zh", "题目", "回答", [request])
    schema = Component("steadfast.benchmarks.cfbench.replies:schema")
    first, second = judge_items([prompt], schema, repeats=2)
    assert '{"checkpoint": {"type": "string", "enum": ["押韵"]}, "verdict": ' in first.schema
    assert first.schema == second.schema
    assert (first.repeat, second.repeat) == (0, 1)
    (without,) = judge_items([prompt])
    assert without.schema == ""
