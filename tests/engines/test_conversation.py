"""Turns that follow one another, and answers that are asked for again, through a real server."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts import Part, items
from servers import echo, error
from steadfast.base.errors import UserError
from steadfast.contract.components import JudgePrompt, JudgeRequest
from steadfast.contract.part_files import judge_items
from steadfast.contract.request import Item, repeat_key
from steadfast.engines.asking.requests import turns_of


def turn(number, follows=None, conversation="a"):
    return Item(
        sample_id=f"{conversation}/{number}",
        context_id=conversation,
        head=f"Step {number} of {conversation}.",
        context="",
        tail="",
        max_tokens=20,
        follows=follows,
    )


CHAIN = [turn(1), turn(2, "a/1"), turn(3, "a/2"), turn(1, conversation="b")]


def test_a_turn_is_requested_and_known_by_what_was_said(part, server):
    records = part.run(CHAIN)
    messages = {body["messages"][-1]["content"]: body["messages"] for body in server.bodies}
    third = messages["Step 3 of a."]
    assert [message["role"] for message in third] == ["user", "assistant"] * 2 + ["user"]
    assert third[1]["content"] == records[0]["response"]
    assert third[2]["content"] == "Step 2 of a."
    assert third[3]["content"] == records[1]["response"]
    assert len(messages["Step 1 of b."]) == 1
    hashes = {record["request_hash"] for record in records}
    assert len(hashes) == 4
    assert part.run([turn(2)])[0]["request_hash"] not in hashes


def test_a_base_model_reads_the_conversation_as_one_text(part, server):
    part.answers = {**part.answers, "template": "base"}
    records = part.run(CHAIN[:2])
    assert server.bodies[-1]["prompt"] == (
        f"Step 1 of a.\nOutput: {records[0]['response']}\n\nStep 2 of a.\nOutput: "
    )


def test_each_draw_of_a_judge_about_each_draw_of_an_answer_has_a_reply(part):
    requests = [
        JudgePrompt(name, "checklist", "Judge: ", name, [JudgeRequest(name, "?", {}, "", 20)])
        for name in ("a", "a#1")  # the first and the second answer to one sample
    ]
    records = part.run(judge_items(requests, repeats=2))
    asked = [(name, repeat) for repeat in (0, 1) for name in ("a", "a#1")]
    assert [(record["sample_id"], record["repeat"]) for record in records] == asked
    assert [record["response"] for record in records] == [
        echo(f"Judge: {name}?") for name, _ in asked
    ]


NAMES = st.lists(st.sampled_from(["x", "#", "#0", "#1"]), min_size=1, max_size=3).map("".join)


@given(st.lists(st.tuples(NAMES, st.integers(0, 2)), unique=True))
def test_no_two_draws_are_named_alike(repeats):
    assert len({repeat_key(*repeat) for repeat in repeats}) == len(repeats)


def test_a_conversation_resumes_where_it_broke(part, server):
    server.faults["Step 3 of a."].extend([error(500)] * 4)
    with pytest.raises(UserError, match="1 of 4 requests"):
        part.run(CHAIN)
    part.run(CHAIN)
    assert sorted(server.asked.values()) == [1, 1, 1, 5]


def test_behind_a_turn_without_an_answer_nothing_is_asked(part, server):
    server.faults["Step 2 of a."].append(error(400, code="content_filter", message="no"))
    server.faults["Step 2 of a."].extend([error(500)] * 9)
    records = part.run(CHAIN, allowed_failures=1.0)
    statuses = [record["status"] for record in records]
    assert statuses[0] == statuses[3] == "ok"
    assert statuses[1] == statuses[2] != "ok"
    assert "the previous turn, a/2, has no response" in records[2]["error"]
    assert not any("Step 3" in prompt for prompt in server.asked)


def test_a_turn_that_follows_nothing_is_named():
    with pytest.raises(UserError, match="a/2 follows 'a/1', which is not among the prompts"):
        turns_of([turn(2, "a/1"), turn(1)])


def test_an_unreadable_answer_is_asked_for_again_with_a_reminder(part, server):
    asked = [replace(item, reminder="\nOne word!") for item in items(1, 3)]
    records = part.run(asked, readable=lambda _, text: text.endswith("One word!"), tries=3)
    assert [record["attempts"] for record in records] == [2, 2, 2]
    assert sorted(server.asked.values()) == [1] * 6


def test_it_is_asked_for_no_more_than_so_often(part, server):
    records = part.run(items(1, 2), readable=lambda *_: False, tries=3)
    assert [record["attempts"] for record in records] == [3, 3]
    assert len({record["request_hash"] for record in records}) == 2
    assert sum(server.asked.values()) == 6


def test_a_finished_run_asks_nothing_again(part, server):
    def run_again():
        return part.run(items(1, 3), readable=lambda _, text: "0.0" in text, tries=2)

    assert run_again() == run_again()
    assert sum(server.asked.values()) == 5


def test_without_a_model_unreadable_answers_are_asked_for_again_too(tmp_path):
    part = Part(tmp_path)
    part.answers = {"engine": "simulated", "span": 7, "seed": 1}

    texts = []

    def readable(sample_id, text):
        texts.append(text)
        return len(texts) == 2

    (record,) = part.run(items(1, 1), readable=readable, tries=5)
    assert record["attempts"] == len(set(texts)) == 2
