"""Synthetic corpora: seeded, growing by extension, without repetition, like the real ones."""

import calendar
import hashlib
import random
import re
import subprocess
import sys
from itertools import islice
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


def build(corpus, tokens=TOKENS, seed=1):
    return list(synthetic.corpus({}, corpus, seed, tokens))


@pytest.fixture(scope="module")
def corpora():
    return {corpus: build(corpus) for corpus in CORPORA}


@pytest.fixture(scope="module")
def texts(corpora):
    return {name: [record["text"] for record in corpora[name]] for name in CORPORA}


def token_counts(texts):
    return list(map(load_tokenizer("o200k_base").count, texts))


def test_texts_do_not_depend_on_the_date(monkeypatch):
    """Faker's names of months and days are those of a date before now."""
    monkeypatch.setattr("faker.providers.date_time.datetime", Mock(side_effect=AssertionError))
    assert build("xsum", tokens=1000)


@pytest.mark.quick(1)
@pytest.mark.parametrize("corpus", CORPORA)
def test_corpus_has_the_configured_tokens_and_grows_at_its_end(corpora, texts, corpus):
    records = corpora[corpus]
    smaller = build(corpus, 5_000)
    assert TOKENS <= sum(token_counts(texts[corpus])) <= 1.5 * TOKENS
    assert len(smaller) < len(records)
    assert records[: len(smaller)] == smaller
    assert build(corpus, 2_000, seed=2)[0] != records[0]
    assert len(set(texts[corpus])) == len(records)
    assert len({record["id"] for record in records}) == len(records)


def test_another_process_makes_the_same_records():
    code = (
        "from steadfast.corpora import synthetic; from steadfast.base.files import json_line; "
        "print(*map(json_line, synthetic.corpus({}, 'xsum', 1, 2000)), sep='', end='')"
    )
    expected = "".join(map(json_line, build("xsum", 2_000)))
    environment = {"PYTHONPATH": str(ROOT / "scripts"), "PYTHONIOENCODING": "utf-8"}
    for hash_seed in ("1", "2"):
        environment["PYTHONHASHSEED"] = hash_seed
        output = subprocess.check_output([sys.executable, "-c", code], env=environment)
        assert output.decode() == expected


def test_essays_have_no_repeated_sentence(texts):
    sentences = []
    for paragraph in "\n\n".join(texts["paul_graham"]).split("\n\n"):
        sentences += re.split(r"(?<=[.?!])\s+|(?<=[.?!]\")\s+", paragraph)
    assert len(sentences) > 1_500
    assert len(set(sentences)) == len(sentences)


def test_no_instruction_contains_another(texts):
    instructions = texts["alpaca"][:3_000]
    joined = "\n".join(instructions)
    for instruction in instructions:
        assert joined.count(instruction) == 1


def test_instructions_are_sentences_mostly_of_5_to_40_tokens(texts):
    for instruction in texts["alpaca"]:
        assert re.fullmatch(r"[A-Z][^.?!]*[.?!]", instruction)
    is_typical = [5 <= count <= 40 for count in token_counts(texts["alpaca"])]
    assert sum(is_typical) >= 0.98 * len(is_typical)


@pytest.mark.parametrize("corpus", ["govreport", "xsum", "qmsum"])
def test_documents_are_mostly_long_and_sometimes_short(texts, corpus):
    counts = token_counts(texts[corpus])
    assert median(counts) > 500
    if corpus != "qmsum":  # a meeting this short is rare
        assert 0 < sum(count < 300 for count in counts) < 0.4 * len(counts)


def test_essays_have_paragraphs_titles_and_months(corpora):
    for record in corpora["paul_graham"]:
        assert record["title"]
        assert re.fullmatch(r"[A-Z][a-z]+ (19|20)\d\d", record["date"])
        assert "\n\n" in record["text"]


def test_days_are_those_of_every_month(texts):
    months = "|".join(calendar.month_name[1:])
    days = re.findall(rf"\b(\d+) (?:{months})\b", "\n".join(texts["xsum"] + texts["govreport"]))
    assert set(map(int, days)) == set(range(1, 29))


def test_meetings_are_lines_of_speaker_and_utterance(texts):
    for line in "\n".join(texts["qmsum"]).split("\n"):
        assert re.match(r"[A-Z][\w .]+: \S", line)


@pytest.mark.parametrize("corpus", ["paul_graham", "govreport", "xsum", "qmsum"])
def test_paragraphs_end_with_a_sentence_and_are_not_all_ascii(texts, corpus):
    joined = "\n".join(texts[corpus])
    for paragraph in re.split(r"\n+", joined):
        assert re.search(r"[.?!]\"?$", paragraph)
    assert not joined.isascii()


def test_numbers_and_names_of_the_grammar():
    words = synthetic._words(1, set())
    ends = {name: (words[name][0], words[name][-1]) for name in ("number", "percent", "year")}
    assert ends == {"number": ("2", "2,499"), "percent": ("1.1", "98.9"), "year": ("1961", "2024")}
    composed = [len(words[name]) for name in ("city", "state", "company", "phrase")]
    assert composed == [300, 100, 300, 300]
    assert min(map(len, words["noun"])) == 3 and "have" not in words["verb"]


def test_corpora_of_a_seed_never_change(monkeypatch):
    # With words of no other library. A change here makes journals worthless.
    names = synthetic._words(1, set())
    words = {name: [f"{name}{number}" for number in range(40)] for name in names}
    monkeypatch.setattr(synthetic, "_words", lambda seed, unsuitable: words)
    digest = hashlib.sha256()
    for corpus in CORPORA:
        for record in islice(synthetic.texts(corpus, 1), 20):
            digest.update(json_line(record).encode())
    assert digest.hexdigest() == "7d54d6618c022a3c09927aea9cfa63fc19bd2d47dc96a97a3b62ac0568a166d5"


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=20), min_size=1, max_size=5), st.randoms())
def test_rule_without_slots_expands_to_an_alternative(alternatives, rng):
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
def test_sentence_has_a_capital_and_the_right_article(text, sentence):
    assert Grammar({"any": [text]}).sentence("any", random.Random(1)) == sentence
