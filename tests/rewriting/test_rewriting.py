"""Prompts of rewriters, how their replies are read, and the simulated rewriter."""

import json
from itertools import chain
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.judging.rewriting import (
    CHATTER,
    RewriterSimulator,
    UnreadableError,
    language,
    read_rewrites,
    readable,
    rewriting_prompt,
    same_language,
)

TWO = {"count": 2}


@pytest.mark.parametrize(
    ("reply", "texts"),
    [
        ('["Go.", "Leave."]', ["Go.", "Leave."]),
        ('Here you are:\n```json\n["Go.", "Leave."]\n```\nAnything else?', ["Go.", "Leave."]),
        ('\n[\n"Go.",\n"Leave."\n]\n', ["Go.", "Leave."]),
        ('["Go\nnow.", "Leave."]', ["Go\nnow.", "Leave."]),
    ],
)
def test_list_is_read_within_prose_and_code_blocks(reply, texts):
    assert read_rewrites(reply, TWO) == texts


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "no list"),
        ("1. Go.\n2. Leave.", "no list"),
        ("] Go. [", "no list"),
        ('["Go.", "Lea', "no list"),  # cut
        ('["Go.", "Leave."', "no list"),
        ('["Go." "Leave."]', "not valid JSON"),
        ('["Go.", ["Leave."]]', "items that are not strings"),
        ('["Go.", 2]', "items that are not strings"),
        ('["Go."]', "has 1 rewrites, not 2"),
        ('["a", "b", "c", "d", "e"]', "has 5 rewrites, not 2"),
        ('["Go.", "\\ud800"]', "invalid Unicode"),
        ("[" * 2000 + "]" * 2000, "nested too deep"),
        (f'["Go.", {"9" * 10_000}]', "not valid JSON"),
        (f'["Go.", "{"a" * 300_000}"]', "200,000 characters"),
    ],
)
def test_invalid_reply_has_a_reason(reply, reason):
    with pytest.raises(UnreadableError, match=reason):
        read_rewrites(reply, TWO)
    assert not readable(TWO, reply, "original")


@pytest.mark.parametrize(("count", "is_readable"), [(1, False), (2, True), (4, True), (5, False)])
def test_one_to_two_times_the_requested_number_is_read(count, is_readable):
    assert readable(TWO, json.dumps(["a"] * count), "") is is_readable


def test_reply_has_200_000_characters_and_32_brackets_within_each_other_at_most():
    def is_read(text: str) -> bool:
        return readable(TWO, json.dumps(["Go.", text]), "")

    most = 200_000 - len(json.dumps(["Go.", ""]))
    assert is_read("a" * most) and not is_read("a" * (most + 1))
    assert is_read("[" * 31) and not is_read("[" * 32)
    assert is_read("[]" * 40)


@given(st.text() | st.text(alphabet='[]{}",\\ \n0au'))
def test_any_reply_is_read_or_refused(reply):
    try:
        texts = read_rewrites(reply, TWO)
    except UnreadableError:
        assert not readable(TWO, reply, "")
    else:
        assert 2 <= len(texts) <= 4
        assert all(isinstance(text, str) for text in texts)


@given(st.lists(st.text(), min_size=2, max_size=4), st.text(alphabet="ab `\n", max_size=9))
def test_texts_are_read_as_written(texts, prose):
    assert read_rewrites(f"{prose}{json.dumps(texts)}{prose}", TWO) == texts


@pytest.mark.parametrize("reply", ["[" + "[]" * 99_999 + "]", '["' + "\\" * 199_996 + '"]'])
def test_longest_reply_is_read_in_bounded_time(reply, cpu_limit):
    assert not readable(TWO, reply, "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is the next entry of the list?", "en"),
        ("Quelle est la ligne qui suit dans la liste ?", "fr"),
        ("Welche Zeile steht nach der genannten und was ist das?", "de"),
        ("下一个条目是什么", "CJK"),
        ("Какая строка идёт дальше", "CYRILLIC"),
        ("Entry", None),
        ("123 !", None),
    ],
)
def test_language_follows_from_frequent_words_or_the_script(text, expected):
    assert language(text) == expected


def test_text_of_unclear_language_matches_any_language():
    assert same_language("Entry", "What is the next entry?")
    assert not same_language("Quelle est la ligne ?", "What is the next entry?")


# --- prompts and simulated rewriters ----------------------------------------------------------

ORIGINAL = 'Label all {candidates} by {rules}, like {{"doc1": "{candidates[0]}"}}.'


def prompt_for(count):
    return rewriting_prompt("MB", ORIGINAL, ["{candidates}", "{rules}"], count)


def test_prompt_has_the_original_once_the_count_and_parts_to_keep():
    prompt = prompt_for(20)
    (request,) = prompt.requests
    text = prompt.head + prompt.answer + request.tail
    assert text.count(ORIGINAL) == 1
    assert "- {rules}\n" in text
    assert "20 strings" in text
    assert "{{" not in prompt.head + request.tail
    assert request.expected == {"count": 20}
    assert request.max_tokens == 4096
    assert request.reminder


def test_reference_rewriter_gives_distinct_texts_around_the_original():
    prompt = prompt_for(50)
    reply = RewriterSimulator().reference(prompt, prompt.requests[0])
    texts = read_rewrites(reply, {"count": 50})
    assert len(texts) == len(set(texts)) == 50
    assert all(ORIGINAL in text and text != ORIGINAL for text in texts)
    assert RewriterSimulator().reference(prompt, prompt.requests[0]) == reply


def simulated_reply(seed, **settings):
    prompt = prompt_for(20)
    return RewriterSimulator().simulated(prompt, prompt.requests[0], settings, Random(seed))


def test_simulated_rewriters_differ_by_seed():
    assert simulated_reply(1) == simulated_reply(1, slip=0.0) != simulated_reply(2)
    texts = read_rewrites(simulated_reply(1), {"count": 20})
    assert all(ORIGINAL in text for text in texts)


def test_spoilt_replies_have_prose_half_of_the_list_or_none():
    reasons = set()
    for seed in range(30):
        reply = simulated_reply(seed, slip=1 / CHATTER)
        try:
            read_rewrites(reply, {"count": 20})
        except UnreadableError as error:
            reasons.add(str(error).partition(" (")[0])
        else:
            assert reply.startswith("Here are the rewrites:\n```json\n[")
    assert reasons == {
        "the reply has 10 rewrites, not 20",
        "the reply has no list from [ to ]",
        "the list is not valid JSON",  # cut after a bracket in a rewrite
    }


def test_simulated_rewriter_errs_by_slip():
    lists = []
    for seed in range(40):
        reply = simulated_reply(seed, slip=0.5)
        if readable({"count": 20}, reply, ""):
            lists.append(read_rewrites(reply, {"count": 20}))
    # Of 40 replies, 0.5 × 0.25 are spoilt; three of the four ways to spoil make them unreadable.
    assert 32 <= len(lists) < 40
    texts = list(chain(*lists))
    slips = [text for text in texts if ORIGINAL not in text]
    assert 0.2 < len(slips) / len(texts) < 0.6
    assert any("{candidates}" not in text for text in slips)
    assert any("{{" not in text for text in slips)
    assert any(len(set(rewrites)) < len(rewrites) for rewrites in lists)
