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
def test_any_true_sentences_in_any_order_are_correct(pairs):
    assert set(points(OR, rows(pairs[:4])).values()) == {1}


@given(st.lists(st.sampled_from(TRUE + FAKE), max_size=5), st.sampled_from(FAKE), st.data())
def test_further_fake_sentence_never_raises_correct(pairs, fake, data):
    index = data.draw(st.integers(0, len(pairs)))
    before = points(OR, rows(pairs))
    after = points(OR, rows([*pairs[:index], fake, *pairs[index:]]))
    assert after["correct"] <= before["correct"] and after["hit"] <= before["hit"]


def test_misspelt_fake_stays_fake():
    text, name = FAKE[0]
    assert points(OR, rows([(text.replace("kind", "sort"), name)]))["correct"] == 0


def test_misspelt_sentence_loses_its_origin():
    text, name = TRUE[0]
    scored_points = points(OR, rows([(text.replace("question", "query"), name)]))
    expected = {"correct": 0.25, "hit": 0.25, "ori": 0}
    assert scored_points == scored_points | expected


def test_too_many_sentences_cost():
    scored_points = points(OR, rows(TRUE))
    assert scored_points["hit"] == scored_points["correct"] == pytest.approx(4 / 7)


def test_all_types_at_once_are_wrong():
    names = "#Topic# @argument@ !Transition! *Evidence* -Concession-"
    assert points(OR, rows([(TRUE[0][0], names)]))["correct"] == 0


def test_repeated_sentence_counts_once():
    scored_points = points(OR, rows(TRUE[:1] * 4))
    assert scored_points["correct"] == scored_points["hit"] == 0.25


def test_origin_is_the_share_of_sentences_of_the_document():
    context = ONEDOC_CONTEXT | {"text": ONEDOC_CONTEXT["text"] + " Nobody had counted the gardens."}
    sample = (OR[0], context, OR[2])
    response = rows([("Nobody had counted the gardens.", "#Topic#"), ("and", "#Topic#")])
    scored_points = points(sample, response)
    assert (scored_points["ori"], scored_points["correct"]) == (0.5, 0)
    assert points(OE[0], json.dumps([*TOPICS, "Made up entirely, from the start."]))["ori"] == (
        pytest.approx(2 / 3)
    )


def test_separator_within_a_sentence_is_part_of_it():
    text = "They said [sep] and meant it."
    sentences = [*ONEDOC_CONTEXT["key_sentences"]]
    sentences.append({"type": "#Topic#", "id": 3, "index": 11, "fake": False, "text": text})
    sample = (OR[0], ONEDOC_CONTEXT | {"key_sentences": sentences}, OR[2])
    assert set(points(sample, rows([*TRUE[:3], (text, "#Topic#")])).values()) == {1}


def test_options_in_another_script_are_read():
    prompt, *rest = question("true", 0)
    prompt = prompt | {"variables": prompt["variables"] | {"options": ["是", "否"]}}
    assert points((prompt, *rest), "答案是。")["correct"] == 1


def question(kind: str, options: int):
    return OQ[{"true": 0, "fake": 4, "ordinary": 8}[kind] + options]


@pytest.mark.parametrize("kind", ["true", "fake", "ordinary"])
@pytest.mark.parametrize("options", range(4))
def test_correct_option_has_full_marks(kind, options):
    sample = question(kind, options)
    yes, no = sample[0]["variables"]["options"]
    correct, wrong = (yes, no) if kind == "true" else (no, yes)
    assert points(sample, correct) == {"correct": 1, "format": 1}
    assert points(sample, wrong) == {"correct": 0, "format": 0}


@pytest.mark.parametrize(
    ("response", "correct", "form"),
    [
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
    ],
)
def test_option_that_a_response_settles_on_counts(response, correct, form):
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
    scored_points = points(OE[0], json.dumps(texts))
    assert scored_points["correct"] == pytest.approx(correct)
    assert scored_points["order"] == pytest.approx(order)


@pytest.mark.parametrize("name", ["|Summary|", "%Any%"])
def test_reference_for_an_absent_type_is_an_empty_list(name):
    prompt, *rest = OE[0]
    sample = (prompt | {"variables": {"type": f"<{name}>"}}, *rest)
    assert set(points(sample, "[]").values()) == {1}
    assert set(points(sample, json.dumps(TOPICS)).values()) == {0, 1}
    assert points(sample, "There are none: []") == {"format": 0.75} | dict.fromkeys(
        ("correct", "order", "ori"), 1
    )


@pytest.mark.parametrize(
    ("response", "total"),
    [
        ("There are no such sentences.", 10 / 14),
        ("Es gibt keine.", 10 / 14),
        ("[[]]", 13 / 14),
        ("Granted, the winters were mild, no?", 2 / 14),
        ("I'm sorry, but no.", 0),
        ("Give an empty list if there are none. Example 1: [A, B] Example 2: []", 3 / 14),
    ],
)
def test_statement_that_a_type_is_absent_counts(response, total):
    prompt, *rest = OE[0]
    sample = (prompt | {"variables": {"type": "<|Summary|>"}}, *rest)
    assert score(*sample, response, "corrected").total == pytest.approx(total)


def test_type_with_only_a_fake_sentence_is_absent():
    sentences = [s for s in ONEDOC_CONTEXT["key_sentences"] if s["type"] != "#Topic#" or s["fake"]]
    sample = (OE[0][0], ONEDOC_CONTEXT | {"key_sentences": sentences}, OE[0][2])
    assert set(points(sample, "[]").values()) == {1}
