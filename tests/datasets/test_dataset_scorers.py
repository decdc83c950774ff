"""Scorers named in a config: expected scores by hand, and properties of any text."""

import string
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from steadfast.simple.extraction import last_number, letter_named, number_named, plain
from steadfast.simple.instance import Instance
from steadfast.simple.judge import readable, score_of
from steadfast.simple.scorers import (
    SCORERS,
    choice,
    contains,
    exact,
    f1,
    first_match,
    number,
    regex,
)

TEXTS = st.text(max_size=300)
WORD = st.text(string.ascii_letters + string.digits, min_size=1, max_size=12)
COLOURS = ["red", "blue", "green", "a grey one"]
CASE = ["case"]
PUNCTUATION = ["punctuation"]
ANSWERS = yaml.safe_load((Path(__file__).parent / "answers.yaml").read_text(encoding="utf-8"))


def instance(*answers, **fields):
    return Instance("1", "?", answer=list(answers), fields=fields)


# --- texts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "answer", "ignore", "score"),
    [
        ("Paris", "Paris", [], 1),
        (" Paris \n", "Paris", [], 1),
        ("New\n  York", "New York", [], 1),
        ("paris", "Paris", [], 0),
        ("Paris.", "Paris", [], 0),
        ("PARIS.", "Paris", CASE + PUNCTUATION, 1),
        ("Straße", "STRASSE", CASE, 1),
        ("e\u0301t\u00e9", "\u00e9te\u0301", [], 1),  # composed and not
        ("3.5", "35", PUNCTUATION, 1),
        ("$5", "5", PUNCTUATION, 1),
        ("", "Paris", [], 0),
    ],
)
def test_exact_compares_whole_responses(text, answer, ignore, score):
    assert exact(text, instance(answer), ignore).score == score


@pytest.mark.parametrize(
    ("text", "answer", "ignore", "score"),
    [
        ("It is Paris, I think.", "Paris", [], 1),
        ("In the party.", "art", [], 1),  # within a word too
        ("It is paris.", "Paris", [], 0),
        ("It is  PARIS", "is paris", CASE, 1),
        ("答案是北京。", "北京", [], 1),
        ("anything", "!?", PUNCTUATION, 0),  # nothing is left of the answer
    ],
)
def test_contains_finds_answer_anywhere(text, answer, ignore, score):
    assert contains(text, instance(answer), ignore).score == score


@pytest.mark.parametrize("scorer", [exact, contains, regex, f1, number])
def test_any_reference_answer_counts(scorer):
    assert scorer("7", instance("6", "7")).score == 1
    assert scorer("8", instance("6", "7")).score == 0


@given(TEXTS, st.sampled_from([[], CASE, PUNCTUATION, CASE + PUNCTUATION]))
def test_normalisation_is_idempotent(text, ignore):
    normalised = plain(text, ignore)
    again = plain(normalised, PUNCTUATION if "punctuation" in ignore else [])
    assert again == plain(normalised)
    assert normalised == " ".join(normalised.split())


@given(TEXTS.filter(str.strip))
def test_exact_match_is_also_contained(text):
    item = instance(text)
    score = exact(text, item).score
    assert score == contains(text, item).score == contains(f"x {text} y", item).score


# --- patterns ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "text", "match"),
    [
        (r"[0-9]+", "a 12 b 34", "12"),
        (r"Answer: (?P<answer>\w+)", "Answer: sea. Answer: sky.", "sea"),
        (r"(?s:.*)Answer: (?P<answer>\w+)", "Answer: sea.\nAnswer: sky.", "sky"),
        (r"(?i)ANSWER (?P<answer>.)", "answer B", "B"),
        (r"x", "y", None),
        (r"x*", "y", ""),
    ],
)
def test_pattern_reads_first_match(pattern, text, match):
    assert first_match(pattern, text) == match


@pytest.mark.parametrize("pattern", ["(a", "(a)", "(?=a)", r"(a)\1", "[", "a{2000}"])
def test_pattern_without_linear_time_is_refused(pattern):
    with pytest.raises(ValueError, match=r"\w"):
        first_match(pattern, "a")


def test_regex_compares_match_with_answer():
    assert regex("x: Sea", instance("sea"), r"x: (?P<answer>\w+)", ["case"]).score == 1
    assert regex("x: Sea", instance("sea"), r"x: (?P<answer>\w+)").score == 0
    assert regex("y", instance("sea"), "x").score == 0


def test_regex_without_pattern_matches_the_answer():
    assert regex("on 3 May", instance("[0-9] (?:May|June)")).score == 1


def test_nested_repetition_ends():
    """Python's own library would try 2^60 ways."""
    assert first_match("(?:a+)+$", "a" * 60 + "b") is None


@given(TEXTS)
def test_pattern_accepts_any_text(text):
    assert first_match("(?s:.*)", text) is not None


def test_regex_accepts_half_a_surrogate_pair():
    assert regex("\ud800 7", instance("7"), "[0-9]").score == 1


# --- words ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "answer", "value"),
    [
        ("The Cat sat.", "cat sat", Fraction(1)),
        ("cat", "the black cat", Fraction(2, 3)),  # P 1, R 1/2
        ("a cat and a dog", "cat", Fraction(2, 4)),  # words cat, and, dog: P 1/3, R 1
        ("cat cat", "cat dog", Fraction(2, 4)),  # one in common: P 1/2, R 1/2
        ("dog", "cat", Fraction(0)),
        ("", "cat", Fraction(0)),
        ("the", "a", Fraction(1)),  # nothing is left of either
        ("the", "cat", Fraction(0)),
        ("state-of-the-art", "stateoftheart", Fraction(1)),
    ],
)
def test_f1_agrees_with_squad(text, answer, value):
    """Expected values by hand: 2PR / (P + R) of words without articles and punctuation."""
    assert f1(text, instance(answer)).score == pytest.approx(float(value))


# --- numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ANSWERS["numbers"])
def test_number_is_read_from_response(value):
    expected = None if value is None else Decimal(value)
    for text in ANSWERS["numbers"][value]:
        assert (text, number_named(text)) == (text, expected)


@pytest.mark.parametrize(
    ("text", "tolerance", "score"),
    [("3.15", 0, 0), ("3.15", 0.01, 1), ("3.16", 0.01, 0), ("314e-2", 0, 1), ("none", 9, 0)],
)
def test_number_is_right_within_tolerance(text, tolerance, score):
    assert number(text, instance("3.14"), tolerance).score == score


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3), TEXTS)
def test_number_on_last_line_is_read_after_any_text(value, text):
    assert last_number(f"{text}\n{value:f}") == value
    assert last_number(f"{text}\n{value:,f}") == value


# --- choices ----------------------------------------------------------------------------------


@pytest.mark.parametrize("letter", ANSWERS["choices"])
def test_letter_is_read_from_response(letter):
    for text in ANSWERS["choices"][letter]:
        assert (text, letter_named(text, COLOURS)) == (text, letter)


@pytest.mark.parametrize(
    ("choices", "answer", "right"),
    [
        (COLOURS, "B", "B"),
        (COLOURS, "blue", "B"),
        (COLOURS, "a grey one", "D"),
        ([2, 3, 4], 4, "C"),
        (["A", "B"], "A", "A"),
        (["B", "A"], "A", None),  # the letter of one choice and the text of the other
    ],
)
def test_choice_answer_is_letter_or_text(choices, answer, right):
    for letter in "ABCD"[: len(choices)]:
        mark = choice(letter, instance(answer, choices=choices))
        assert (mark.score, mark.extracted) == (float(letter == right), letter)


def test_response_without_an_answer_is_unread():
    item = instance("7", choices=COLOURS)
    for mark in (choice("What?", item), number("What?", item), regex("What?", item, "[0-9]")):
        assert mark == (0, None, True)
    for mark in (choice("B", item), number("8", item), regex("8", item, "[0-9]")):
        assert mark.unread is False
    for mark in (exact("What?", item), contains("What?", item)):
        assert mark.unread is None


# --- all of them ------------------------------------------------------------------------------


@given(TEXTS, WORD)
def test_scores_are_between_0_and_1(text, answer):
    item = instance(answer, choices=COLOURS)
    for scorer in SCORERS.values():
        assert 0 <= scorer(text, item).score <= 1


@pytest.mark.quick(15)
@pytest.mark.parametrize("name", list(SCORERS))
@pytest.mark.parametrize(
    "piece",
    [
        *("answer ", "answer is ", "B is correct ", "it is B", "\\boxed{", "1,111,", "1" * 9),
        *("A. ", "((((", " ", "the ", "\n", "-", "e9", "\u0301\u0316"),
    ],
)
def test_long_response_is_scored_in_linear_time(name, piece):
    """A scorer of quadratic time would take hours for 300,000 characters."""
    item = instance("[0-9]", choices=COLOURS)
    assert SCORERS[name](piece * (300_000 // len(piece)), item).score in (0, 1)


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ("It names the lamp.\nScore: 3", 3.0),
        ("Score: 5", 5.0),
        ("Score: 1", 1.0),
        ("Score: 5.5", None),  # the scale is from 1 to 5
        ("Score: 0.5", None),
        ("Score: good", None),
        ("It names the lamp.", None),
        ("", None),
    ],
)
def test_judge_score_is_read_within_the_scale(reply, score):
    assert score_of(reply, "the lamp", [1, 5]) == score
    function = "steadfast.simple.judge:score_of"
    assert readable({"scale": [1, 5]}, reply, "the lamp", function) == (score is not None)
