"""Corrected rubric of the OneDoc scenario, one behaviour at a time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifbench_samples import ONEDOC_CONTEXT, SENTENCES, samples
from steadfast.lifbench.rubric import score

OR, OQ, OE = samples("OR")[2], samples("OQ"), samples("OE")
SEPARATOR = OR[0]["variables"]["sep"]
TRUE = [(text, name) for name, _, _, fake, text in SENTENCES if not fake]
FAKE = [(text, name) for name, _, _, fake, text in SENTENCES if fake]


def points(sample, response: str) -> dict[str, float]:
    return score(*sample, response, "corrected").points


def rows(pairs) -> str:
    return "\n".join(f"{text} {SEPARATOR} {name}" for text, name in pairs)


@given(st.permutations(TRUE))
def test_any_true_sentences_in_any_order_are_right(pairs):
    assert set(points(OR, rows(pairs[:4])).values()) == {1}


@given(st.lists(st.sampled_from(TRUE + FAKE), max_size=5), st.sampled_from(FAKE), st.data())
def test_a_fake_sentence_more_is_never_more_correct(pairs, fake, data):
    place = data.draw(st.integers(0, len(pairs)))
    more = [*pairs[:place], fake, *pairs[place:]]
    before, after = points(OR, rows(pairs)), points(OR, rows(more))
    assert after["correct"] <= before["correct"] and after["hit"] <= before["hit"]


def test_fakes_alone_are_from_the_document_and_nothing_else():
    got = points(OR, rows(FAKE))
    assert (got["ori"], got["hit"], got["correct"]) == (1, 0, 0)


def test_a_misspelt_fake_stays_a_fake():
    text, name = FAKE[0]
    assert points(OR, rows([(text.replace("kind", "sort"), name)]))["correct"] == 0


def test_a_slip_in_a_true_sentence_is_right_but_no_hit():
    text, name = TRUE[0]
    got = points(OR, rows([(text.replace("question", "query"), name)]))
    assert (got["correct"], got["hit"], got["ori"]) == (1, 0, 0)


def test_a_sentence_of_another_type_is_wrong():
    assert points(OR, rows([(TRUE[0][0], "*Evidence*")]))["correct"] == 0


def test_naming_every_type_names_none():
    names = "#Topic# @argument@ !Transition! *Evidence* -Concession-"
    assert points(OR, rows([(TRUE[0][0], names)]))["correct"] == 0


def test_a_sentence_that_is_repeated_counts_once():
    got = points(OR, rows(TRUE[:1] * 4))
    assert got["correct"] == got["hit"] == 0.25


def test_ordinary_sentences_are_from_the_document_but_single_words_are_not():
    context = ONEDOC_CONTEXT | {"text": ONEDOC_CONTEXT["text"] + " Nobody had counted the gardens."}
    sample = (OR[0], context, OR[2])
    got = points(sample, rows([("Nobody had counted the gardens.", "#Topic#"), ("and", "#Topic#")]))
    assert (got["ori"], got["correct"]) == (0.5, 0)


def test_a_separator_within_a_sentence_is_no_separator():
    text = "They said [sep] and meant it."
    sentences = [*ONEDOC_CONTEXT["key_sentences"]]
    sentences.append({"type": "#Topic#", "id": 3, "index": 11, "fake": False, "text": text})
    sample = (OR[0], ONEDOC_CONTEXT | {"key_sentences": sentences}, OR[2])
    assert set(points(sample, rows([*TRUE[:3], (text, "#Topic#")])).values()) == {1}


def question(kind: str, options: int):
    return OQ[{"true": 0, "fake": 4, "ordinary": 8}[kind] + options]


@pytest.mark.parametrize("kind", ["true", "fake", "ordinary"])
@pytest.mark.parametrize("options", range(4))
def test_the_right_option_alone_is_right(kind, options):
    sample = question(kind, options)
    yes, no = sample[0]["variables"]["options"]
    right, wrong = (yes, no) if kind == "true" else (no, yes)
    assert points(sample, right) == {"correct": 1, "format": 1}
    assert points(sample, wrong) == {"correct": 0, "format": 1}


@pytest.mark.parametrize(
    ("response", "correct", "form"),
    [
        ("Yes.", 1, 0.75),
        ('"Yes"', 1, 0.75),
        ("Yes, because it has two tags that agree.", 1, 0.5),
        ("Yes or No", pytest.approx(1 / 6), 0.25),
        ("Nobody knows", 0, 0),
        ("Yesterday", 0, 0),
        ("???", 0, 0),
    ],
)
def test_an_option_is_a_word_and_its_length_counts_if_it_is_there(response, correct, form):
    assert points(question("true", 0), response) == {"correct": correct, "format": form}


def test_options_of_a_script_without_blanks_are_found():
    prompt, *rest = question("true", 0)
    prompt = prompt | {"variables": prompt["variables"] | {"options": ["是", "否"]}}
    assert points((prompt, *rest), "答案是。")["correct"] == 1


TOPICS = [text for text, name in TRUE if name == "#Topic#"]


@pytest.mark.parametrize(
    ("texts", "correct", "order"),
    [
        (TOPICS, 1, 1),
        (TOPICS[::-1], 1, 0),
        (TOPICS[:1], (3.5 / 2 + 0.5) / 4, 1),
        ([*TOPICS, TRUE[2][0]], (3.5 * 2 / 3 + 0.5) / 4, 1),
        ([*TOPICS, FAKE[0][0]], 3.5 * 2 / 3 / 4, 1),
        ([TRUE[2][0]], 0, 0),
        ([], 0, 0),
    ],
    ids=["all", "reversed", "one", "another type", "the fake", "another alone", "none"],
)
def test_sentences_of_a_type(texts, correct, order):
    got = points(OE[0], json.dumps(texts))
    assert got["correct"] == pytest.approx(correct) and got["order"] == order


def test_the_share_of_sentences_that_are_from_the_document():
    assert points(OE[0], json.dumps([*TOPICS, "Made up entirely, from the start."]))["ori"] == (
        pytest.approx(2 / 3)
    )


@pytest.mark.parametrize("name", ["|Summary|", "%Any%"])
def test_an_absent_type_is_answered_by_an_empty_list(name):
    prompt, *rest = OE[0]
    sample = (prompt | {"variables": {"type": f"<{name}>"}}, *rest)
    assert set(points(sample, "[]").values()) == {1}
    assert set(points(sample, json.dumps(TOPICS)).values()) == {0, 1}
    assert points(sample, "There are none: []") == {"format": 0.75} | dict.fromkeys(
        ("correct", "order", "ori"), 1
    )


def test_a_type_with_nothing_but_a_fake_is_absent():
    sentences = [s for s in ONEDOC_CONTEXT["key_sentences"] if s["type"] != "#Topic#" or s["fake"]]
    sample = (OE[0][0], ONEDOC_CONTEXT | {"key_sentences": sentences}, OE[0][2])
    assert set(points(sample, "[]").values()) == {1}
