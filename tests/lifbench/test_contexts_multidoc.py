import random
from base64 import urlsafe_b64decode
from datetime import date
from itertools import chain
from unittest.mock import Mock
from uuid import UUID

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.files import read_jsonl, write_jsonl
from steadfast.base.tokens import load_tokenizer
from steadfast.corpora.contexts.domains import facts_of
from steadfast.corpora.contexts.multidoc import truncated

TOKENIZER = load_tokenizer("o200k_base")
REQUIRED = {"text", "id", "iD2", "date"}
CORPORA = facts_of("multidoc")["corpora"]


@pytest.fixture(scope="module")
def context(build):
    return build("multidoc", 28 * 1024)[0]


def documents_of(contexts):
    return pd.DataFrame(chain(*(context["documents"] for context in contexts)))


def test_text_has_all_fields_of_each_document(context):
    blocks = []
    for number, document in enumerate(context["documents"], start=1):
        lines = [f"{field}: {value}" for field, value in document.items()]
        blocks.append("\n".join([f"{'*' * 20} doc-{number} {'*' * 20}", *lines]))
    assert context["text"] == "\n\n".join(blocks)


def test_documents_have_unique_ids_and_fields_in_various_orders(context):
    for document in context["documents"]:
        assert REQUIRED <= set(document) <= REQUIRED | {"title", "source"}
        assert set(map(type, document.values())) == {str}
        assert len(document["id"]) == 22
        assert len(urlsafe_b64decode(document["id"] + "==")) == 16
        assert str(UUID(document["iD2"])) == document["iD2"]
    documents = documents_of([context])
    assert documents["id"].is_unique and documents["iD2"].is_unique
    assert len(set(map(tuple, context["documents"]))) > 10


@pytest.mark.parametrize("budget", [2048, 3072, 6144, 28672])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_quarter_of_the_documents_repeats_an_earlier_text(build, budget, seed):
    texts = documents_of(build("multidoc", budget, (seed,)))["text"]
    repeats = texts.duplicated().sum()
    assert repeats >= 1 and abs(repeats - 0.25 * len(texts)) <= 1


def test_groups_hold_exactly_the_documents_that_share_a_text(context):
    texts = documents_of([context])["text"]
    groups = context["duplicate_groups"]
    assert sorted(chain(*groups)) == texts.index[texts.duplicated(keep=False)].tolist()
    for group in groups:
        assert group == sorted(group)
        assert len(group) > 1
        assert texts[group].nunique() == 1


@pytest.mark.parametrize("seed", range(5))
def test_four_documents_have_every_combination_of_title_and_source(build, seed):
    documents = documents_of(build("multidoc", 2500, (seed,)))
    assert len(documents) >= 4
    assert len(documents[["title", "source"]].notna().drop_duplicates()) == 4


def test_shares_of_fields_are_as_planned(build):
    documents = documents_of(build("multidoc", 28672, range(4)))
    missing = documents[["title", "source"]].isna().mean()
    assert 0.2 < missing["title"] < 0.4
    assert 0.06 < missing["source"] < 0.22
    sources = documents["source"].value_counts()
    assert len(sources) == 4
    assert sources.min() > 0.15 * len(documents)


def test_titles_and_dates_are_those_of_the_corpora(corpora, context):
    records = pd.DataFrame(chain(*(read_jsonl(corpora[name]) for name in CORPORA)))
    documents = documents_of([context])
    assert set(documents["title"].dropna()) <= {*records["title"], *records["id"]}
    assert set(documents["date"]) & set(records["date"])


def test_values_that_answers_cannot_carry_are_replaced(build, tmp_path):
    titles = ["He said “no”", "A [draft]", "null and void", "Two\nlines", "One, two,", None]
    records = []
    for number, title in enumerate(titles * 2):
        text = f"{number} and so on " * 90
        record = {"id": f"r-{number}", "title": title, "date": "soon “enough”", "text": text}
        records.append(record)
    paths = {name: tmp_path / name for name in CORPORA}
    for name, path in paths.items():
        write_jsonl(path, records if name == "xsum" else [])
    documents = documents_of(build("multidoc", 2500, paths=paths))
    assert documents["title"].dropna().str.fullmatch(r"r-\d+").all()
    assert documents["date"].map(date.fromisoformat).ge(date(2000, 1, 1)).all()


@pytest.mark.parametrize(
    ("words", "sampled", "kept"), [(299, 400, 0), (300, 500, 300), (600, 500, 500), (600, 300, 300)]
)
def test_text_is_cut_to_the_sampled_tokens(words, sampled, kept):
    head = truncated(" a" * words, Mock(randint=Mock(return_value=sampled)), TOKENIZER)
    assert len((head or "").split()) == kept


@given(
    st.text(alphabet=st.sampled_from("ab é漢😀.\n "), min_size=200, max_size=2500), st.integers()
)
def test_cut_keeps_the_beginning_of_a_text_within_its_range(text, seed):
    head = truncated(text, random.Random(seed), TOKENIZER)
    if head is None:
        assert TOKENIZER.count(text.strip()) < 330
    else:
        assert 300 <= TOKENIZER.count(head) <= 500
        assert text.strip().startswith(head)
