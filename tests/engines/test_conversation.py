"""Conversations of several turns, and responses that are re-requested, at a real server."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts import Part, column, items
from servers import error
from steadfast.base.errors import UserError
from steadfast.contract.components import JudgePrompt, JudgeRequest
from steadfast.contract.part_files import judge_items
from steadfast.contract.request import Item, repeat_key
from steadfast.engines.sending.requests import turns_of


def turn(number, follows=None, conversation="a"):
    name = f"{conversation}/{number}"
    head = f"Step {number} of {conversation}."
    return Item(name, conversation, head, "", "", 20, follows=follows)


TURNS = [turn(1), turn(2, "a/1"), turn(3, "a/2"), turn(1, conversation="b")]


def test_turn_is_sent_and_hashed_with_its_conversation(part, server):
    records = part.run(TURNS)
    messages = {body["messages"][-1]["content"]: body["messages"] for body in server.bodies}
    third = messages["Step 3 of a."]
    assert column(third, "role") == ["user", "assistant", "user", "assistant", "user"]
    assert column(third[1:], "content") == [
        records[0]["response"], "Step 2 of a.", records[1]["response"], "Step 3 of a."
    ]  # fmt: skip
    assert len(messages["Step 1 of b."]) == 1
    hashes = set(column(records, "request_hash"))
    assert len(hashes) == 4
    assert part.run([turn(2)])[0]["request_hash"] not in hashes


def test_base_model_gets_the_conversation_as_one_text(part, server):
    part.answers["template"] = "base"
    records = part.run(TURNS[:2])
    assert server.bodies[-1]["prompt"] == (
        f"Step 1 of a.\nOutput: {records[0]['response']}\n\nStep 2 of a.\nOutput: "
    )


def test_judge_repeats_cover_each_repeat_of_a_response(part):
    judge_prompts = []
    for name in ("a", "a#1"):  # two responses to one sample
        request = JudgeRequest(name, "?", {}, "", 20)
        judge_prompts.append(JudgePrompt(name, "checklist", "Judge: ", name, [request]))
    records = part.run(judge_items(judge_prompts, repeats=2))
    assert column(records, "sample_id") == ["a", "a#1", "a", "a#1"]
    assert column(records, "repeat") == [0, 0, 1, 1]
    responses = ["You said: Judge: a?", "You said: Judge: a#1?"]
    assert column(records, "response") == responses * 2


NAMES = st.lists(st.sampled_from(["x", "#", "#0", "#1"]), min_size=1, max_size=3).map("".join)


@given(st.lists(st.tuples(NAMES, st.integers(0, 2)), unique=True))
def test_repeat_keys_are_unique(repeats):
    assert len({repeat_key(*repeat) for repeat in repeats}) == len(repeats)


def test_failed_conversation_resumes_at_its_turn(part, server):
    server.faults["Step 3 of a."].extend([error(500)] * 4)
    with pytest.raises(UserError, match="1 of 4 requests"):
        part.run(TURNS)
    part.run(TURNS)
    assert sorted(server.requested.values()) == [1, 1, 1, 5]


def test_turn_after_a_missing_response_is_not_requested(part, server):
    server.faults["Step 2 of a."].append(error(400, code="content_filter", message="no"))
    server.faults["Step 2 of a."].extend([error(500)] * 9)
    records = part.run(TURNS, allowed_failures=1.0)
    first, second, third, other = column(records, "status")
    assert first == other == "ok"
    assert second == third != "ok"
    assert "the previous turn, a/2, has no response" in records[2]["error"]
    assert not any("Step 3" in prompt for prompt in server.requested)


def test_turn_after_an_unknown_one_is_refused():
    with pytest.raises(UserError, match="a/2 follows 'a/1', which is not among the prompts"):
        turns_of([turn(2, "a/1"), turn(1)])


def test_unreadable_response_is_rerequested_with_a_reminder(part, server):
    reminded = [replace(item, reminder="\nOne word!") for item in items(1, 3)]
    records = part.run(reminded, readable=lambda _, text: text.endswith("One word!"), tries=3)
    assert column(records, "attempts") == [2, 2, 2]
    assert sorted(server.requested.values()) == [1] * 6
    log = part.log.read_text("utf-8")
    assert "echo: 3 requests, 0 cached, 3 to send" in log
    assert "echo: 3 unreadable responses, re-requested, 0 cached, 3 to send" in log


def test_attempts_are_counted_only_where_responses_must_be_readable(part, server):
    assert "attempts" not in part.run(items(1, 1))[0]


def test_unreadable_response_is_rerequested_up_to_the_limit(part, server):
    records = part.run(items(1, 2), readable=lambda *_: False, tries=3)
    assert column(records, "attempts") == [3, 3]
    assert len(set(column(records, "request_hash"))) == 2
    assert sum(server.requested.values()) == 6


def test_finished_run_rerequests_nothing(part, server):
    def run():
        return part.run(items(1, 3), readable=lambda _, text: "0.0" in text, tries=2)

    assert run() == run()
    assert sum(server.requested.values()) == 5


def test_unreadable_response_of_a_simulated_model_is_rerequested(tmp_path):
    part = Part(tmp_path)
    part.answers = {"engine": "simulated", "span": 7, "seed": 1}
    texts = []

    def readable(sample_id, text):
        texts.append(text)
        return len(texts) == 2

    (record,) = part.run(items(1, 1), readable=readable, tries=5)
    assert record["attempts"] == len(set(texts)) == 2
