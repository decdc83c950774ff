"""Synthetic corpora: seeded, growing by extension, never repeating, in the real ones' shapes."""

import random
import re
import subprocess
import sys
from pathlib import Path
from statistics import median
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadfast.base.files import json_line
from steadfast.base.tokens import load_tokenizer
from steadfast.corpora import synthetic
from steadfast.corpora.synthetic import Grammar

ROOT = Path(__file__).resolve().parents[2]
TOKENS = 60_000


CORPORA = ("alpaca", "paul_graham", "govreport", "xsum", "qmsum")


@pytest.fixture(scope="module")
def corpora():
    return {corpus: build(corpus) for corpus in CORPORA}


def build(corpus, tokens=TOKENS, seed=1):
    return list(synthetic.corpus({}, corpus, seed, tokens))


def lengths(records):
    count = load_tokenizer("o200k_base").count
    return [count(record["text"]) for record in records]


def test_texts_are_the_same_whatever_the_day(monkeypatch):
    """Faker's names of months and days are those of a date before now."""
    monkeypatch.setattr("faker.providers.date_time.datetime", Mock(side_effect=AssertionError))
    assert build("xsum", tokens=1000)


@pytest.mark.quick(1)
@pytest.mark.parametrize("corpus", CORPORA)
def test_a_corpus_has_the_tokens_that_are_asked_and_grows_by_more_records(corpora, corpus):
    whole = corpora[corpus]
    small = build(corpus, 5_000)
    assert TOKENS <= sum(lengths(whole)) <= 1.5 * TOKENS
    assert len(small) < len(whole) and whole[: len(small)] == small
    assert build(corpus, 2_000, seed=2)[0] != whole[0]
    for field in ("id", "text"):
        assert len({record[field] for record in whole}) == len(whole)


def test_another_process_makes_the_same_records():
    code = (
        "from steadfast.corpora import synthetic; from steadfast.base.files import json_line; "
        "print(*map(json_line, synthetic.corpus({}, 'xsum', 1, 2000)), sep='', end='')"
    )
    expected = "".join(map(json_line, build("xsum", 2_000)))
    for salt in ("1", "2"):
        environment = {
            "PYTHONPATH": str(ROOT / "scripts"),
            "PYTHONHASHSEED": salt,
            "PYTHONIOENCODING": "utf-8",
        }
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, check=True, capture_output=True
        )
        assert done.stdout.decode() == expected


def test_no_two_sentences_of_the_essays_are_equal(corpora):
    paragraphs = "\n\n".join(record["text"] for record in corpora["paul_graham"]).split("\n\n")
    sentences = [
        sentence
        for paragraph in paragraphs
        for sentence in re.split(r"(?<=[.?!])\s+|(?<=[.?!]\")\s+", paragraph)
    ]
    assert len(sentences) > 1_500
    assert len(set(sentences)) == len(sentences)


def test_no_instruction_contains_another(corpora):
    texts = [record["text"] for record in corpora["alpaca"]][:3_000]
    whole = "\n".join(texts)
    assert all(whole.count(text) == 1 for text in texts)


def test_instructions_are_sentences_of_5_to_40_tokens_mostly(corpora):
    assert all(re.fullmatch(r"[A-Z][^.?!]*[.?!]", record["text"]) for record in corpora["alpaca"])
    fit = [5 <= length <= 40 for length in lengths(corpora["alpaca"])]
    assert sum(fit) >= 0.98 * len(fit)


@pytest.mark.parametrize("corpus", ["govreport", "xsum", "qmsum"])
def test_documents_are_mostly_long_and_sometimes_short(corpora, corpus):
    tokens = lengths(corpora[corpus])
    assert median(tokens) > 500
    if corpus != "qmsum":  # a meeting this short is rare
        assert 0 < sum(length < 300 for length in tokens) < 0.4 * len(tokens)


def test_essays_have_paragraphs_titles_and_months(corpora):
    for record in corpora["paul_graham"]:
        assert record["title"]
        assert re.fullmatch(r"[A-Z][a-z]+ (19|20)\d\d", record["date"])
        assert "\n\n" in record["text"]


def test_meetings_are_lines_of_speaker_and_utterance(corpora):
    lines = [line for record in corpora["qmsum"] for line in record["text"].split("\n")]
    assert all(re.match(r"[A-Z][\w .]+: \S", line) for line in lines)


@pytest.mark.parametrize("corpus", ["paul_graham", "govreport", "xsum", "qmsum"])
def test_every_paragraph_ends_a_sentence_and_not_all_is_ascii(corpora, corpus):
    whole = "\n".join(record["text"] for record in corpora[corpus])
    assert all(re.search(r"[.?!]\"?$", paragraph) for paragraph in re.split(r"\n+", whole))
    assert not whole.isascii()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=20), min_size=1, max_size=5), st.randoms())
def test_a_rule_without_slots_gives_one_of_its_alternatives(alternatives, rng):
    plain = [text.replace("{", "").replace("}", "") for text in alternatives]
    assert Grammar({"any": plain}).expand("any", rng) in plain


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a old map.", "An old map."),
        ('"a map," she said.', '"A map," she said.'),
        ("a useful map and a hour", "A useful map and a hour"),
        ("éclair.", "Éclair."),
    ],
)
def test_a_sentence_has_a_capital_and_its_article(text, sentence):
    assert Grammar({"any": [text]}).sentence("any", random.Random(1)) == sentence
