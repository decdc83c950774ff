"""Answers, from the records of outputs; requests to a judge, and the order of requests."""

import pytest

from steadfast.contract.components import Component, JudgePrompt, JudgeRequest
from steadfast.contract.part_files import answer_of, judge_items
from steadfast.contract.request import Request, ordered


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
