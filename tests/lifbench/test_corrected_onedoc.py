"""Corrected rubric of the OneDoc scenario: hand-made responses, one behaviour each."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifbench_samples import ONEDOC_CONTEXT, SENTENCES, check_points, samples
from lifbench_samples import corrected_points as points
from steadfast.benchmarks.lifbench.rubric import RUBRICS, score

OR = samples("OR")[2]
OE = samples("OE")[0]
SEPARATOR = OR[0]["variables"]["sep"]
TRUE = [(text, name) for name, _, _, fake, text in SENTENCES if not fake]
FAKE = [(text, name) for name, _, _, fake, text in SENTENCES if fake]
TOPICS = [text for text, name in TRUE if name == "#Topic#"]
ARGUMENT = TRUE[2][0]


def rows(pairs) -> str:
    return "\n".join(f"{text} {SEPARATOR} {name}" for text, name in pairs)


def with_context(sample, **changes):
    prompt, context, scenario_prompt = sample
    return prompt, context | changes, scenario_prompt


def with_variables(sample, **changes):
    prompt, *rest = sample
    return prompt | {"variables": prompt["variables"] | changes}, *rest


def question(kind: str, options: int = 0):
    return samples("OQ")[{"true": 0, "fake": 4, "ordinary": 8}[kind] + options]


# --- OR ------------------------------------------------------------------------------------------


@given(st.permutations(TRUE))
def test_any_true_sentences_in_any_order_are_correct(pairs):
    assert set(points(OR, rows(pairs[:4])).values()) == {1}


@given(st.lists(st.sampled_from(TRUE + FAKE), max_size=5), st.sampled_from(FAKE), st.data())
def test_further_fake_sentence_never_raises_correct(pairs, fake, data):
    index = data.draw(st.integers(0, len(pairs)))
    before = points(OR, rows(pairs))
    after = points(OR, rows([*pairs[:index], fake, *pairs[index:]]))
    assert after["correct"] <= before["correct"] and after["hit"] <= before["hit"]


OR_CASES = {
    "misspelt fake": (OR, [(FAKE[0][0].replace("kind", "sort"), "#Topic#")], {"correct": 0}),
    "misspelt sentence loses its origin": (
        OR,
        [(TOPICS[0].replace("question", "query"), "#Topic#")],
        {"correct": 0.25, "hit": 0.25, "ori": 0},
    ),
    "too many sentences": (OR, TRUE, {"hit": 4 / 7, "correct": 4 / 7}),
    "all types at once": (
        OR,
        [(TOPICS[0], "#Topic# @argument@ !Transition! *Evidence* -Concession-")],
        {"correct": 0},
    ),
    "repeated sentence": (OR, TRUE[:1] * 4, {"correct": 0.25, "hit": 0.25}),
    "ordinary sentence of the document, and a word of it": (
        with_context(OR, text=ONEDOC_CONTEXT["text"] + " Nobody had counted the gardens."),
        [("Nobody had counted the gardens.", "#Topic#"), ("and", "#Topic#")],
        {"ori": 0.5, "correct": 0},
    ),
}


@pytest.mark.parametrize(("sample", "pairs", "expected"), OR_CASES.values(), ids=OR_CASES)
def test_points_of_sentences_with_types(sample, pairs, expected):
    check_points(sample, rows(pairs), expected)


def test_sentence_without_its_type_is_a_hit():
    check_points(samples("OR")[0], TOPICS[0], {"hit": 1, "correct": 0})


def test_row_with_two_separators_has_not_the_requested_form():
    answer = "Nobody knew ### why ### #Topic#"
    check_points(samples("OR")[0], answer, {"format": (0.5 + 0.5) / 3}, tolerance=1e-12)


def test_counts_of_an_answer_are_extracted():
    answer = rows([TRUE[0], (TRUE[1][0], "*Evidence*"), FAKE[0]])
    extracted = score(*OR, answer, "corrected").extracted
    assert extracted == {"rows": 3, "hits": 2, "fakes": 1, "right": 1}
    for rubric in RUBRICS:
        assert score(*OE, "Let me see.", rubric).extracted["size"] == 0
        extracted = score(*with_variables(OE, type="<|Summary|>"), "[]", rubric).extracted
        assert extracted == {"size": 0}


def test_separator_within_a_sentence_is_part_of_it():
    text = "They said [sep] and meant it."
    sentence = {"type": "#Topic#", "id": 3, "index": 11, "fake": False, "text": text}
    sample = with_context(OR, key_sentences=[*ONEDOC_CONTEXT["key_sentences"], sentence])
    assert set(points(sample, rows([*TRUE[:3], (text, "#Topic#")])).values()) == {1}


# --- OQ ------------------------------------------------------------------------------------------


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
    assert points(question("true"), response) == {"correct": correct, "format": form}


def test_options_in_another_script_are_read():
    assert (
        points(with_variables(question("true"), options=["是", "否"]), "答案是。")["correct"] == 1
    )


# --- OE ------------------------------------------------------------------------------------------

OE_CASES = {
    "all": (TOPICS, {"correct": 1, "order": 1}),
    "reversed": (TOPICS[::-1], {"correct": 1, "order": 0}),
    "one": (TOPICS[:1], {"correct": (3.5 / 2 + 0.5) / 4, "order": 1 / 2}),
    "another type": ([*TOPICS, ARGUMENT], {"correct": (3.5 * 2 / 3 + 0.5) / 4, "order": 2 / 3}),
    "the fake": ([*TOPICS, FAKE[0][0]], {"correct": 3.5 * 2 / 3 / 4, "order": 2 / 3}),
    "a slip": (
        [TOPICS[0].replace("real", "rea1"), TOPICS[1]],
        {"correct": (3.5 * 3 / 4 + 0.5) / 4, "order": 3 / 4},
    ),
    "another alone": ([ARGUMENT], {"correct": 0, "order": 0}),
    "none": ([], {"correct": 0, "order": 0}),
    "made up": ([*TOPICS, "Made up entirely, from the start."], {"ori": 2 / 3, "format": 1}),
}


@pytest.mark.parametrize(("texts", "expected"), OE_CASES.values(), ids=OE_CASES)
def test_points_of_sentences_of_a_type(texts, expected):
    check_points(OE, json.dumps(texts), expected, tolerance=1e-12)


@pytest.mark.parametrize("name", ["|Summary|", "%Any%"])
def test_reference_for_an_absent_type_is_an_empty_list(name):
    sample = with_variables(OE, type=f"<{name}>")
    assert set(points(sample, "[]").values()) == {1}
    assert set(points(sample, json.dumps(TOPICS)).values()) == {0, 1}
    expected = {"format": 0.75, "correct": 1, "order": 1, "ori": 1}
    assert points(sample, "There are none: []") == expected


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
    sample = with_variables(OE, type="<|Summary|>")
    assert score(*sample, response, "corrected").total == pytest.approx(total)


def test_type_with_only_a_fake_sentence_is_absent():
    sentences = [s for s in ONEDOC_CONTEXT["key_sentences"] if s["type"] != "#Topic#" or s["fake"]]
    assert set(points(with_context(OE, key_sentences=sentences), "[]").values()) == {1}
