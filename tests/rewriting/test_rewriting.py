import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.judging.rewriting import (
    RewriterSimulator,
    UnreadableError,
    language,
    read,
    readable,
    rewriting_prompt,
    same_language,
)

TWO = {"count": 2}
READER = {"slip": 0.0, "seed": 1}


@pytest.mark.parametrize(
    "reply",
    [
        '["Go.", "Leave."]',
        'Of course! Here they are:\n```json\n["Go.", "Leave."]\n```\nAnything else?',
        '\n[\n"Go.",\n"Leave."\n]\n',
    ],
)
def test_prose_and_fences_around_a_list_make_no_difference(reply):
    assert read(reply, TWO) == ["Go.", "Leave."]


def test_a_line_break_within_a_string_stays():
    assert read('["Go\nnow.", "Leave."]', TWO) == ["Go\nnow.", "Leave."]


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
def test_what_is_no_list_of_rewrites_has_a_reason(reply, reason):
    with pytest.raises(UnreadableError, match=reason):
        read(reply, TWO)
    assert not readable(TWO, reply, "original")


@pytest.mark.parametrize(("texts", "kept"), [(1, False), (2, True), (4, True), (5, False)])
def test_once_to_twice_as_many_as_asked_for_are_taken(texts, kept):
    assert readable(TWO, json.dumps(["a"] * texts), "") is kept


@given(st.text() | st.text(alphabet='[]{}",\\ \n0au'))
def test_any_reply_is_read_or_refused(reply):
    try:
        texts = read(reply, TWO)
    except UnreadableError:
        assert not readable(TWO, reply, "")
    else:
        assert 2 <= len(texts) <= 4
        assert all(isinstance(text, str) for text in texts)


@given(st.lists(st.text(), min_size=2, max_size=4), st.text(alphabet="ab `\n", max_size=9))
def test_any_texts_come_back_as_they_were_written(texts, prose):
    assert read(f"{prose}{json.dumps(texts)}{prose}", TWO) == texts


@pytest.mark.parametrize("reply", ["[" + "[]" * 99_999 + "]", '["' + "\\" * 199_996 + '"]'])
def test_the_longest_reply_is_read(reply, cpu_limit):
    assert not readable(TWO, reply, "")


@pytest.mark.parametrize(
    ("text", "found"),
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
def test_a_language_is_known_by_its_frequent_words_or_its_script(text, found):
    assert language(text) == found


def test_a_text_that_tells_nothing_is_in_no_other_language():
    assert same_language("Entry", "What is the next entry?")
    assert not same_language("Quelle est la ligne ?", "What is the next entry?")


# --- what is asked, and simulated models
# ---------------------------------------------------------------

ORIGINAL = 'Label all {candidates} by {rules}, like {{"doc1": "{candidates[0]}"}}.'


def asked(count=20):
    return rewriting_prompt("MB", ORIGINAL, ["{candidates}", "{rules}"], count)


def test_a_request_holds_the_original_once_the_count_and_what_to_keep():
    prompt = asked()
    (request,) = prompt.requests
    whole = prompt.head + prompt.answer + request.tail
    assert whole.count(ORIGINAL) == 1
    assert "- {rules}\n" in whole
    assert "20 strings" in whole
    assert "{{" not in prompt.head + request.tail
    assert request.expected == {"count": 20}
    assert request.max_tokens == 4096
    assert request.reminder


def test_the_reference_rewriter_gives_as_many_distinct_texts_that_keep_the_original():
    prompt = asked(50)
    reply = RewriterSimulator().reference(prompt, prompt.requests[0])
    texts = read(reply, {"count": 50})
    assert len(texts) == len(set(texts)) == 50
    assert all(ORIGINAL in text and text != ORIGINAL for text in texts)
    assert RewriterSimulator().reference(prompt, prompt.requests[0]) == reply


def test_simulated_rewriters_differ_from_each_other_and_slip_as_often_as_they_are_told():
    prompt = asked()
    simulator = RewriterSimulator()

    def reply(seed, slip):
        return simulator.simulated(prompt, prompt.requests[0], {"slip": slip}, Random(seed))

    assert reply(1, 0.0) == reply(1, 0.0) != reply(2, 0.0)
    texts = read(reply(1, 0.0), {"count": 20})
    assert all(ORIGINAL in text for text in texts)
    replies = [reply(seed, 0.5) for seed in range(40)]
    spoilt = [one for one in replies if not readable({"count": 20}, one, "")]
    assert 0 < len(spoilt) < 20
    whole = [read(one, {"count": 20}) for one in replies if one not in spoilt]
    slips = [text for texts in whole for text in texts if ORIGINAL not in text]
    assert 0.2 < len(slips) / sum(map(len, whole)) < 0.6
    assert any("{candidates}" not in text for text in slips)
    assert any("{{" not in text for text in slips)
    assert any(len(set(texts)) < len(texts) for texts in whole)
