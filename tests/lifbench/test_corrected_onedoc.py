"""Corrected rubric of the OneDoc scenario, one behaviour at a time."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifbench_samples import ONEDOC_CONTEXT, SENTENCES, samples
from lifbench_samples import corrected_points as points
from steadfast.benchmarks.lifbench.rubric import score

OR = samples("OR")[2]
OQ = samples("OQ")
OE = samples("OE")
SEPARATOR = OR[0]["variables"]["sep"]
TRUE = [(text, name) for name, _, _, fake, text in SENTENCES if not fake]
FAKE = [(text, name) for name, _, _, fake, text in SENTENCES if fake]


def rows(pairs) -> str:
    return "\n".join(f"{text} {SEPARATOR} {name}" for text, name in pairs)


@given(st.permutations(TRUE))
def test_any_true_sentences_in_any_order_are_right(pairs):
    assert set(points(OR, rows(pairs[:4])).values()) == {1}


@given(st.lists(st.sampled_from(TRUE + FAKE), max_size=5), st.sampled_from(FAKE), st.data())
def test_a_fake_sentence_more_is_never_more_correct(pairs, fake, data):
    place = data.draw(st.integers(0, len(pairs)))
    more = [*pairs[:place], fake, *pairs[place:]]
    before = points(OR, rows(pairs))
    after = points(OR, rows(more))
    assert after["correct"] <= before["correct"] and after["hit"] <= before["hit"]


def test_slips_cost_the_origin_and_misspelt_fakes_stay_fakes():
    text, name = FAKE[0]
    assert points(OR, rows([(text.replace("kind", "sort"), name)]))["correct"] == 0
    text, name = TRUE[0]
    got = points(OR, rows([(text.replace("question", "query"), name)]))
    assert (got["correct"], got["hit"], got["ori"]) == (0.25, 0.25, 0)


def test_more_sentences_or_types_than_asked_for_and_repeated_ones_cost():
    got = points(OR, rows(TRUE))
    assert got["hit"] == got["correct"] == pytest.approx(4 / 7)
    names = "#Topic# @argument@ !Transition! *Evidence* -Concession-"
    assert points(OR, rows([(TRUE[0][0], names)]))["correct"] == 0
    got = points(OR, rows(TRUE[:1] * 4))
    assert got["correct"] == got["hit"] == 0.25


def test_sentences_are_from_the_document_where_they_stand_in_it():
    context = ONEDOC_CONTEXT | {"text": ONEDOC_CONTEXT["text"] + " Nobody had counted the gardens."}
    sample = (OR[0], context, OR[2])
    got = points(sample, rows([("Nobody had counted the gardens.", "#Topic#"), ("and", "#Topic#")]))
    assert (got["ori"], got["correct"]) == (0.5, 0)
    assert points(OE[0], json.dumps([*TOPICS, "Made up entirely, from the start."]))["ori"] == (
        pytest.approx(2 / 3)
    )


def test_separators_and_options_of_any_script_are_found_where_they_are_meant():
    text = "They said [sep] and meant it."
    sentences = [*ONEDOC_CONTEXT["key_sentences"]]
    sentences.append({"type": "#Topic#", "id": 3, "index": 11, "fake": False, "text": text})
    sample = (OR[0], ONEDOC_CONTEXT | {"key_sentences": sentences}, OR[2])
    assert set(points(sample, rows([*TRUE[:3], (text, "#Topic#")])).values()) == {1}
    prompt, *rest = question("true", 0)
    prompt = prompt | {"variables": prompt["variables"] | {"options": ["是", "否"]}}
    assert points((prompt, *rest), "答案是。")["correct"] == 1


def question(kind: str, options: int):
    return OQ[{"true": 0, "fake": 4, "ordinary": 8}[kind] + options]


@pytest.mark.parametrize("kind", ["true", "fake", "ordinary"])
@pytest.mark.parametrize("options", range(4))
def test_the_right_option_alone_is_right(kind, options):
    sample = question(kind, options)
    yes, no = sample[0]["variables"]["options"]
    right, wrong = (yes, no) if kind == "true" else (no, yes)
    assert points(sample, right) == {"correct": 1, "format": 1}
    assert points(sample, wrong) == {"correct": 0, "format": 0}


def test_the_option_counts_on_which_an_answer_settles():
    for response, correct, form in (
        ("YES.", 1, 0.75),
        ("“Yes”", 1, 0.75),
        ("yes, because it has two tags that agree", 1, 0.5),
        ("Yes. No other tag fits.", 1, 0.5),
        ("There is no doubt: Yes.", 1, 0.5),
        ("The answer is not No. It is Yes.", 1, 0.25),
        ("Yes. (No would be wrong here.)", 1, 0.25),
        ("No. Wait, its tags agree: Yes.", 1, 0.25),
        ("Nicht No, sondern Yes.", 1, 0.25),
        ("Yes. Wait, its tags differ: No.", 0, 0),
        ("Yes or No", 0, 0),
        ("It might be Yes, or it might be No.", 0, 0),
        ("I have no idea.", 0, 0),
        ("Nobody knows", 0, 0),
        ("Yesterday", 0, 0),
        ("???", 0, 0),
    ):
        assert points(question("true", 0), response) == {"correct": correct, "format": form}


TOPICS = [text for text, name in TRUE if name == "#Topic#"]


@pytest.mark.parametrize(
    ("texts", "correct", "order"),
    [
        (TOPICS, 1, 1),
        (TOPICS[::-1], 1, 0),
        (TOPICS[:1], (3.5 / 2 + 0.5) / 4, 1 / 2),
        ([*TOPICS, TRUE[2][0]], (3.5 * 2 / 3 + 0.5) / 4, 2 / 3),
        ([*TOPICS, FAKE[0][0]], 3.5 * 2 / 3 / 4, 2 / 3),
        ([TOPICS[0].replace("real", "rea1"), TOPICS[1]], (3.5 * 3 / 4 + 0.5) / 4, 3 / 4),
        ([TRUE[2][0]], 0, 0),
        ([], 0, 0),
    ],
    ids=["all", "reversed", "one", "another type", "the fake", "a slip", "another alone", "none"],
)
def test_sentences_of_a_type(texts, correct, order):
    got = points(OE[0], json.dumps(texts))
    assert (got["correct"], got["order"]) == (pytest.approx(correct), pytest.approx(order))


@pytest.mark.parametrize("name", ["|Summary|", "%Any%"])
def test_an_absent_type_is_answered_by_an_empty_list(name):
    prompt, *rest = OE[0]
    sample = (prompt | {"variables": {"type": f"<{name}>"}}, *rest)
    assert set(points(sample, "[]").values()) == {1}
    assert set(points(sample, json.dumps(TOPICS)).values()) == {0, 1}
    assert points(sample, "There are none: []") == {"format": 0.75} | dict.fromkeys(
        ("correct", "order", "ori"), 1
    )


def test_an_absent_type_may_be_said_to_be_absent():
    for response, total in (
        ("There are no such sentences.", 10 / 14),
        ("Es gibt keine.", 10 / 14),
        ("[[]]", 13 / 14),
        ("Granted, the winters were mild, no?", 2 / 14),
        ("I'm sorry, but no.", 0),
        ("Give an empty list if there are none. Example 1: [A, B] Example 2: []", 3 / 14),
    ):
        sample = (OE[0][0] | {"variables": {"type": "<|Summary|>"}}, *OE[0][1:])
        assert score(*sample, response, "corrected").total == pytest.approx(total), response


def test_a_type_with_nothing_but_a_fake_is_absent():
    sentences = [s for s in ONEDOC_CONTEXT["key_sentences"] if s["type"] != "#Topic#" or s["fake"]]
    sample = (OE[0][0], ONEDOC_CONTEXT | {"key_sentences": sentences}, OE[0][2])
    assert set(points(sample, "[]").values()) == {1}
