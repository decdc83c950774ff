"""Thoughts that servers give in fields of their own, and what they count of them."""

import pytest

from steadfast.contract.request import Response
from steadfast.engines.api.replies import Retry, completion

THOUGHT, ANSWER = "2+2", "4"
DETAILS = [
    {"type": "reasoning.text", "text": THOUGHT, "signature": None},
    {"type": "reasoning.encrypted", "data": "AAA"},
]
LISTED = [
    {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
    {"type": "text", "text": ANSWER},
]
BOTH = [
    {"type": "reasoning.summary", "summary": "First."},
    {"type": "reasoning.text", "text": "Then."},
]


def read(message, reason="stop", **usage):
    choice = {"finish_reason": reason, "message": message}
    return completion({"choices": [choice], "usage": usage})


@pytest.mark.parametrize(
    ("message", "thought"),
    [
        ({"content": ANSWER, "reasoning_content": THOUGHT}, THOUGHT),
        ({"content": ANSWER, "reasoning": THOUGHT}, THOUGHT),
        ({"content": ANSWER, "reasoning_content": "", "reasoning": THOUGHT}, THOUGHT),
        ({"content": ANSWER, "reasoning_content": None, "reasoning": THOUGHT}, THOUGHT),
        ({"content": ANSWER, "reasoning_content": "a", "reasoning": "b"}, "a"),
        ({"content": ANSWER, "reasoning": THOUGHT, "reasoning_details": DETAILS}, THOUGHT),
        ({"content": ANSWER, "reasoning_details": DETAILS}, THOUGHT),
        ({"content": ANSWER, "reasoning_details": BOTH}, "First.\nThen."),
        ({"content": ANSWER, "reasoning_details": DETAILS[1:]}, None),
        ({"content": LISTED}, THOUGHT),
        ({"content": [{"type": "thinking", "thinking": THOUGHT}, LISTED[1]]}, THOUGHT),
        ({"content": [{"type": "text", "text": ANSWER}]}, None),
        ({"content": ANSWER, "reasoning_content": "\n"}, None),
        ({"content": ANSWER, "reasoning": {"effort": "low"}}, None),
    ],
)
def test_the_first_field_that_holds_a_thought_is_taken(message, thought):
    response = read(message)
    assert (response.status, response.text, response.thought) == ("ok", ANSWER, thought)


def test_tags_in_the_content_are_left_to_be_told_apart():
    assert read({"content": "<think>2+2</think>4"}).text == "<think>2+2</think>4"


@pytest.mark.parametrize("reason", ["stop", "length"])
def test_a_thought_without_an_answer_is_a_reply_without_text(reason):
    response = read({"content": None, "reasoning": "2+2 is"}, reason)
    assert (response.text, response.thought) == ("", "2+2 is")
    assert response.status == {"stop": "ok", "length": "length"}[reason]


@pytest.mark.parametrize("content", ["", None])
def test_a_hidden_thought_that_used_up_the_limit(content):
    usage = {"completion_tokens": 300, "completion_tokens_details": {"reasoning_tokens": 300}}
    response = read({"content": content}, "length", **usage)
    assert (response.status, response.text, response.thought) == ("length", "", None)
    assert response.thought_tokens == 300


def test_a_hidden_thought_without_an_answer_is_a_reply_and_nothing_at_all_is_none():
    hidden = {"completion_tokens_details": {"reasoning_tokens": 64}}
    assert (read({"content": None}, **hidden).status, read({"content": None}, **hidden).text) == (
        "ok",
        "",
    )
    nothing = {"completion_tokens_details": {"reasoning_tokens": 0}}
    assert read({"content": None}, **nothing) == Retry("a body without content")


@pytest.mark.parametrize(
    ("message", "usage", "tokens"),
    [
        ({"content": "4"}, {"completion_tokens_details": {"reasoning_tokens": 64}}, 64),
        ({"content": "4"}, {"reasoning_tokens": 64}, 64),
        (
            {"content": "4"},
            {"reasoning_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 0}},
            9,
        ),
        ({"content": "4"}, {"completion_tokens_details": {"reasoning_tokens": 0}}, 0),
        (
            {"content": "4", "reasoning": "2+2"},
            {"completion_tokens_details": {"reasoning_tokens": 0}},
            None,
        ),
        ({"content": "4"}, {"completion_tokens_details": {"reasoning_tokens": -1}}, None),
        ({"content": "4"}, {"completion_tokens_details": None}, None),
    ],
)
def test_the_tokens_of_a_thought(message, usage, tokens):
    assert read(message, **usage).thought_tokens == tokens


def test_a_thought_that_only_the_total_counts_belongs_to_the_completion():
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 115}
    assert read({"content": "4"}, **usage).completion_tokens == 105
    assert read({"content": "4"}, **usage | {"total_tokens": 15}).completion_tokens == 5
    assert read({"content": "4"}, **usage | {"total_tokens": 0}).completion_tokens == 5


def test_a_refusal_has_no_thought_and_no_text():
    response = read({"content": "Half", "reasoning": "Hm.", "refusal": "I cannot."})
    assert response == Response("refused", finish_reason="stop")
