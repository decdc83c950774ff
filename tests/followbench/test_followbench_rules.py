"""The rules one by one, on texts that pass or fail and on any text."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.rules import COMPARISONS, AnswerText, is_satisfied

RULES = facts("followbench/rules.yaml")
PAIRS = list(product(COMPARISONS, ("en", "zh")))
for kind in ("last_match", "conditions"):
    for rule, by_language in RULES[kind].items():
        PAIRS += product([rule], by_language)

TARGETS = {
    "exact": "name[Fern]",
    "lines": "one fell\ntwo fell",
    "member": "['Oslo', \"Cote d'Azur\"]",
    "option": "(C)",
    "date": "03/14/2015",
    "money": "$14",
    "contained": "3rd floor",
    "template": "{instruction}\n{{'bot': '{answer}'}}",
}
LONG = " ".join(f"word{n}" for n in range(21))


def passes(rule: str, answer: str, level: int = 5, language: str = "en") -> bool:
    return is_satisfied(rule, language, level, TARGETS.get(rule, ""), answer)


def test_response_is_compared_with_the_target():
    for rule, right, wrong in (
        ("exact", "name[Fern]", "name[Fern]\n"),
        ("lines", "two fell\none fell\ntwo fell", "one fell\n"),
        ("member", "Cote d'Azur", "oslo"),
        ("option", "Not (A) but (C)", "（C）"),
        ("date", "103/14/20155", "03/14/15"),
        ("money", "First $2, then $14.00.", "$ 14"),
        ("contained", "the 3rd floor.", "3rd  floor"),
        ("template", "{'bot': 'it's so'}", "{'bot': 'a\nb'}"),
        ("template", "{'bot': ''}", "{'bot': ''}\n"),
        ("template", "{'bot': ''}", "{'bot': '}"),
    ):
        assert passes(rule, right) and not passes(rule, wrong), rule


CNN = "Potter is a boy. An actor is he. He has seen films"
SUMMARIES = [
    (
        "cnn_dailymail",
        "en",
        CNN,
        {
            1: CNN + "\n.\n",
            2: "a. b c d e f g h i j k l m n o p. c",
            3: CNN.replace("Potter", "Potters"),
            4: CNN.replace("An", "A lavish"),
            5: CNN.replace("has seen", "saw"),
        },
    ),
    ("cnn_dailymail", "zh", "波特来。演员去。他看了电影", {1: "波特。", 3: "演员。波特。电影"}),
    (
        "xsum",
        "en",
        "An operation is going on",
        {1: "A. B", 2: "a " * 19, 3: "Newton Stewart", 4: "It goes", 5: "operations are going"},
    ),
    ("xsum", "zh", "他在操作", {1: "甲。乙", 2: "甲" * 20, 3: "牛顿斯图尔特", 4: "他", 5: "在"}),
    (
        "samsum",
        "en",
        "He does stuff.",
        {1: "A. B", 2: "a " * 14, 3: "stuffed", 4: "stuff Procrastinated", 5: "stuff"},
    ),
    ("samsum", "zh", "他做琐碎的事。", {1: "甲。乙", 2: "甲" * 15, 3: "事", 5: "琐碎的，事。"}),
    (
        "gigaword",
        "en",
        "two people were killed in an old attack",
        {1: "a b", 2: "a b c d e f g h.", 3: "A b c d e f g h", 4: "bus " + "a " * 6 + "in"},
    ),
    ("gigaword", "zh", "昨日在南部有爆炸", {1: "字", 2: "昨日在南部爆炸。", 3: "二人在南部有爆炸"}),
    (
        "arxiv",
        "en",
        "We study activations",
        {1: "A. B", 2: "We " * 20, 3: "In", 4: "We act", 5: "We activations transformer"},
    ),
    ("arxiv", "zh", "我们研究激活", {1: "甲。乙", 2: "甲" * 21, 3: "甲", 4: "我们"}),
]


def verdicts(rule: str, answer: str, language: str = "en") -> list[bool]:
    """The verdicts of levels one to five."""
    return [passes(rule, answer, level, language) for level in range(1, 6)]


@pytest.mark.parametrize(("rule", "language", "good", "failing"), SUMMARIES)
def test_summary_fails_from_the_level_of_a_broken_condition(rule, language, good, failing):
    assert verdicts(rule, good, language) == [True] * 5
    for level, answer in failing.items():
        expected = [True] * (level - 1) + [False] * (6 - level)
        assert verdicts(rule, answer, language) == expected, (level, answer)


def test_sentences_and_punctuation_are_counted_as_released():
    assert AnswerText("en", 1, "One. Two.\n").sentences == ["One", " Two", "\n"]
    assert AnswerText("zh", 1, "一。二！").sentences == ["一", "二"]
    assert AnswerText("zh", 1, "好，！.").punctuation == 2
    assert AnswerText("en", 1, "好，！.").punctuation == 1
    assert is_satisfied("money", "zh", 1, "14美元", "不是9美元，而是14美元。")
    assert not is_satisfied("money", "zh", 1, "14美元", "14.00美元")


def test_wooden_table_passes_condition_by_condition():
    paragraphs = "\n\n".join([f"{LONG}. {LONG}."] * 3)
    assert verdicts("wooden_table", paragraphs) == [True, True, True, False, False]
    assert not passes("wooden_table", paragraphs.replace("\n\n", "\n"), 1)
    assert not passes("wooden_table", paragraphs + LONG + ". And more.", 2)
    assert not passes("wooden_table", paragraphs.replace("word7 ", ""), 3)
    body = "字" * 21
    paragraphs = f"1.{body}。\n\n2.{body}。\n\n3.{body}。"
    assert passes("wooden_table", paragraphs, 4, "zh")
    assert passes("wooden_table", f"{paragraphs}\n\n4.{body}这些是建议", 5, "zh")
    assert not passes("wooden_table", f"{paragraphs}这些是建议", 5, "zh")


SENTENCE = "Jobs:** innovation brings growth to all our regional towns each year."
SPEECH = " ".join(f"**{number} {SENTENCE}" for number in range(1, 6))


def test_ministerial_speech_passes_condition_by_condition():
    assert verdicts("ministerial_speech", SPEECH) == [True] * 5
    assert not passes("ministerial_speech", "no marks", 1)
    assert not passes("ministerial_speech", SPEECH.replace("**5", "**"), 2)
    assert not passes("ministerial_speech", SPEECH.replace("growth", "growth1.5", 1), 3)
    assert not passes("ministerial_speech", SPEECH + " And more.", 4)
    assert not passes("ministerial_speech", SPEECH.replace("towns", "x-ly"), 5)


STRINGS = [*".!?。！ {':\n\0\ud83d", "(A)", "03/14/2015", "$14", "14美元", "\n\n", "**1", "1."]
STRINGS += ["bot", "Potter", "actor", "films", "has", "is", "going"]
ANY_TEXT = st.text(max_size=60) | st.lists(st.sampled_from(STRINGS), max_size=30).map("".join)


@pytest.mark.parametrize(("rule", "language"), PAIRS)
@given(answer=ANY_TEXT, level=st.integers(1, 5))
def test_any_text_has_a_verdict(rule, language, answer, level):
    verdict = passes(rule, answer, level, language)
    assert isinstance(verdict, bool)
    assert passes(rule, answer, level, language) is verdict


PIECES = ["1", "1美", "$", "**1 ", "**1:", "have ", ".", "e.g. Mr. x. ", "(A", "11/", "\n\n"]
PIECES += ["one fell\n", "{'bot': '", "。在了"]
HOSTILE = [piece * (250_000 // len(piece)) for piece in PIECES]
HOSTILE += ["**1\n" * 62_500 + ":", "is " * 82_500 + "goin"]
HOSTILE += ["is " + "a" * 250_000, "is" + " " * 250_000]


@pytest.mark.quick(8)
@pytest.mark.usefixtures("cpu_limit")
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("answer", HOSTILE, ids=lambda answer: answer[:9])
def test_long_hostile_responses_take_bounded_time(answer, language):
    for rule, rule_language in PAIRS:
        if rule_language == language:
            passes(rule, answer, 5, language)
            passes(rule, answer, 2, language)
