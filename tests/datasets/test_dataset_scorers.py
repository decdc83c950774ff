"""The scorers that a config names: right answers by hand, and what holds for any text."""

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
    words,
)

TEXTS = st.text(max_size=300)
WORD = st.text(string.ascii_letters + string.digits, min_size=1, max_size=12)
COLOURS = ["red", "blue", "green", "a grey one"]
ANSWERS = yaml.safe_load((Path(__file__).parent / "answers.yaml").read_text(encoding="utf-8"))


def asked(*answers, **fields):
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
        ("PARIS.", "Paris", ["case", "punctuation"], 1),
        ("Straße", "STRASSE", ["case"], 1),
        ("e\u0301t\u00e9", "\u00e9te\u0301", [], 1),  # composed and not
        ("3.5", "35", ["punctuation"], 1),
        ("$5", "5", ["punctuation"], 1),
        ("", "Paris", [], 0),
    ],
)
def test_exact_compares_whole_answers(text, answer, ignore, score):
    assert exact(text, asked(answer), ignore).score == score


@pytest.mark.parametrize(
    ("text", "answer", "ignore", "score"),
    [
        ("It is Paris, I think.", "Paris", [], 1),
        ("In the party.", "art", [], 1),  # within a word too
        ("It is paris.", "Paris", [], 0),
        ("It is  PARIS", "is paris", ["case"], 1),
        ("答案是北京。", "北京", [], 1),
        ("anything", "!?", ["punctuation"], 0),  # of which nothing is left
    ],
)
def test_contains_looks_anywhere(text, answer, ignore, score):
    assert contains(text, asked(answer), ignore).score == score


@pytest.mark.parametrize("scorer", [exact, contains, regex, f1, number])
def test_any_of_several_answers_counts(scorer):
    assert scorer("7", asked("6", "7")).score == 1
    assert scorer("8", asked("6", "7")).score == 0


@given(TEXTS, st.sampled_from([[], ["case"], ["punctuation"], ["case", "punctuation"]]))
def test_a_plain_text_stays_as_it_is(text, ignore):
    once = plain(text, ignore)
    assert plain(once, ["punctuation"] if "punctuation" in ignore else []) == plain(once)
    assert once == " ".join(once.split())


@given(TEXTS.filter(str.strip))
def test_what_is_exact_is_contained(text):
    one = asked(text)
    assert exact(text, one).score == contains(text, one).score == contains(f"x {text} y", one).score


# --- patterns ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"[0-9]+", "a 12 b 34", "12"),
        (r"Answer: (?P<answer>\w+)", "Answer: sea. Answer: sky.", "sea"),
        (r"(?s:.*)Answer: (?P<answer>\w+)", "Answer: sea.\nAnswer: sky.", "sky"),
        (r"(?i)ANSWER (?P<answer>.)", "answer B", "B"),
        (r"x", "y", None),
        (r"x*", "y", ""),
    ],
)
def test_a_pattern_reads_what_it_first_finds(pattern, text, found):
    assert first_match(pattern, text) == found


@pytest.mark.parametrize("pattern", ["(a", "(a)", "(?=a)", r"(a)\1", "[", "a{2000}"])
def test_a_pattern_that_is_no_linear_one_is_refused(pattern):
    with pytest.raises(ValueError, match=r"\w"):
        first_match(pattern, "a")


def test_regex_compares_what_the_pattern_reads_or_looks_for_the_answer():
    assert regex("x: Sea", asked("sea"), r"x: (?P<answer>\w+)", ["case"]).score == 1
    assert regex("x: Sea", asked("sea"), r"x: (?P<answer>\w+)").score == 0
    assert regex("y", asked("sea"), "x").score == 0
    assert regex("on 3 May", asked(r"[0-9] (May|June)".replace("(", "(?:"))).score == 1


def test_a_pattern_ends_that_takes_others_for_ever():
    """Python's own library would try 2^60 ways."""
    assert first_match("(?:a+)+$", "a" * 60 + "b") is None


@given(TEXTS)
def test_a_pattern_takes_any_text(text):
    assert first_match("(?s:.*)", text) is not None


def test_half_a_character_is_a_text_too():
    assert regex("\ud800 7", asked("7"), "[0-9]").score == 1


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
def test_f1_is_squad_s(text, answer, value):
    """Expected values by hand: 2PR / (P + R) of words without articles and punctuation."""
    assert f1(text, asked(answer)).score == pytest.approx(float(value))


@given(st.lists(WORD, max_size=8), st.lists(WORD, max_size=8))
def test_f1_is_the_harmonic_mean_of_precision_and_recall(given_words, right_words):
    """By counting one by one, and in fractions."""
    given_words = words(" ".join(given_words))
    right_words = words(" ".join(right_words))
    left = list(right_words)
    common = 0
    for word in given_words:
        if word in left:
            left.remove(word)
            common += 1
    found = f1(" ".join(given_words), asked(" ".join(right_words))).score
    if not given_words or not right_words:
        assert found == (given_words == right_words)
    elif not common:
        assert found == 0
    else:
        p = Fraction(common, len(given_words))
        r = Fraction(common, len(right_words))
        assert found == pytest.approx(float(2 * p * r / (p + r)))


# --- numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ANSWERS["numbers"])
def test_the_number_that_an_answer_names(value):
    expected = None if value is None else Decimal(value)
    for text in ANSWERS["numbers"][value]:
        assert (text, number_named(text)) == (text, expected)


@pytest.mark.parametrize(
    ("text", "tolerance", "score"),
    [("3.15", 0, 0), ("3.15", 0.01, 1), ("3.16", 0.01, 0), ("314e-2", 0, 1), ("none", 9, 0)],
)
def test_a_number_is_right_within_the_tolerance(text, tolerance, score):
    assert number(text, asked("3.14"), tolerance).score == score


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3), TEXTS)
def test_a_number_at_the_end_of_a_line_is_read_whatever_precedes_it(value, text):
    assert last_number(f"{text}\n{value:f}") == value
    assert last_number(f"{text}\n{value:,f}") == value


# --- choices ----------------------------------------------------------------------------------


@pytest.mark.parametrize("letter", ANSWERS["choices"])
def test_the_letter_that_an_answer_names(letter):
    for text in ANSWERS["choices"][letter]:
        assert (text, letter_named(text, COLOURS)) == (text, letter)


@pytest.mark.parametrize(("answer", "right"), [("B", "B"), ("blue", "B"), ("a grey one", "D")])
def test_a_right_choice_is_a_letter_or_a_text(answer, right):
    for letter in "ABCD":
        found = choice(letter, asked(answer, choices=COLOURS))
        assert (found.score, found.extracted) == (float(letter == right), letter)


def test_an_answer_that_is_one_choice_s_letter_and_another_s_text_is_none():
    assert choice("A", asked("A", choices=["B", "A"])).score == 0
    assert choice("A", asked("A", choices=["A", "B"])).score == 1


def test_choices_may_be_numbers():
    assert choice("C", asked(4, choices=[2, 3, 4])).score == 1


def test_an_answer_out_of_which_nothing_is_read_is_no_right_one_and_unread():
    one = asked("7", choices=COLOURS)
    for mark in (choice("What?", one), number("What?", one), regex("What?", one, "[0-9]")):
        assert mark == (0, None, True)
    read = (choice("B", one), number("8", one), regex("8", one, "[0-9]"))
    assert [mark.unread for mark in read] == [False] * 3
    assert exact("What?", one).unread is contains("What?", one).unread is None


# --- all of them ------------------------------------------------------------------------------


@given(TEXTS, WORD)
def test_every_scorer_gives_any_text_a_share(text, answer):
    one = asked(answer, choices=COLOURS)
    for scorer in SCORERS.values():
        assert 0 <= scorer(text, one).score <= 1


@given(WORD)
def test_the_right_answer_has_full_marks(answer):
    one = asked(f"{answer}x")
    assert exact(f"{answer}x", one).score == contains(f"{answer}x", one).score == 1
    assert f1(f"{answer}x", one).score == 1


@pytest.mark.quick(15)
@pytest.mark.parametrize("name", list(SCORERS))
@pytest.mark.parametrize(
    "piece",
    [
        *(
            "answer ",
            "answer is ",
            "B is correct ",
            "it is B",
            "\\boxed{",
            "1,111,",
            "1" * 9,
            "A. ",
        ),
        *("((((", " ", "the ", "\n", "-", "e9", "\u0301\u0316"),
    ],
)
def test_a_long_text_ends(name, piece):
    """A scorer of squared time would take hours for 300,000 characters."""
    one = asked("[0-9]", choices=COLOURS)
    assert SCORERS[name](piece * (300_000 // len(piece)), one).score in (0, 1)


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
def test_a_judge_s_score_is_the_number_on_the_scale_behind_its_last_score(reply, score):
    assert score_of(reply, "the lamp", [1, 5]) == score
    read = "steadfast.simple.judge:score_of"
    assert readable({"scale": [1, 5]}, reply, "the lamp", read) == (score is not None)
