import random
import re
from base64 import urlsafe_b64decode
from collections import Counter
from datetime import date
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.base.files import read_jsonl, write_jsonl
from steadfast.base.tokens import load_tokenizer
from steadfast.corpora.contexts.domains import facts_of
from steadfast.corpora.contexts.multidoc import contexts, cut

TOKENIZER = load_tokenizer("o200k_base")
FIELDS = {"text", "id", "iD2", "title", "date", "source"}


@pytest.fixture(scope="module")
def texts(corpora):
    return {name: corpora[name] for name in facts_of("multidoc")["corpora"]}


def build(texts, budget, seeds=(1,), tokenizer="o200k_base"):
    return list(contexts(texts, length="x", budget=budget, seeds=seeds, tokenizer=tokenizer))


@pytest.fixture(scope="module")
def context(texts):
    return build(texts, 28 * 1024)[0]


def test_documents_have_known_fields_unique_ids_and_orders_of_their_own(context):
    shown = [
        f"{'*' * 20} doc-{n} {'*' * 20}\n" + "\n".join(f"{k}: {v}" for k, v in document.items())
        for n, document in enumerate(context["documents"], start=1)
    ]
    assert context["text"] == "\n\n".join(shown)
    for document in context["documents"]:
        assert set(document) <= FIELDS
        assert {"text", "id", "iD2", "date"} <= set(document)
        assert all(isinstance(value, str) for value in document.values())
    ids = [document["id"] for document in context["documents"]]
    others = [document["iD2"] for document in context["documents"]]
    assert len(set(ids)) == len(set(others)) == len(ids)
    assert all(len(id) == 22 and len(urlsafe_b64decode(id + "==")) == 16 for id in ids)
    assert all(str(UUID(other)) == other for other in others)
    assert len({tuple(document) for document in context["documents"]}) > 10


@pytest.mark.parametrize("budget", [2048, 3072, 6144, 28672])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_quarter_of_the_documents_repeats_an_earlier_text(texts, budget, seed):
    context = build(texts, budget, (seed,))[0]
    shown = [document["text"] for document in context["documents"]]
    repeats = len(shown) - len(set(shown))
    assert repeats >= 1 and abs(repeats - 0.25 * len(shown)) <= 1


def test_groups_hold_exactly_the_documents_that_share_a_text(context):
    texts = [document["text"] for document in context["documents"]]
    often = Counter(texts)
    assert sorted(n for group in context["duplicate_groups"] for n in group) == [
        n for n, text in enumerate(texts) if often[text] > 1
    ]
    for group in context["duplicate_groups"]:
        assert group == sorted(group)
        assert len(group) > 1
        assert len({texts[n] for n in group}) == 1


@pytest.mark.parametrize("seed", range(5))
def test_four_documents_show_every_combination_of_title_and_source(texts, seed):
    documents = build(texts, 2500, (seed,))[0]["documents"]
    assert len(documents) >= 4
    assert len({("title" in d, "source" in d) for d in documents}) == 4


def test_shares_of_fields_are_as_planned_and_titles_and_dates_the_records(texts, context):
    contexts = build(texts, 28672, range(4))
    documents = [document for context in contexts for document in context["documents"]]
    assert 0.2 < sum("title" not in d for d in documents) / len(documents) < 0.4
    assert 0.06 < sum("source" not in d for d in documents) / len(documents) < 0.22
    sources = Counter(d["source"] for d in documents if "source" in d)
    assert len(sources) == 4
    assert min(sources.values()) > 0.15 * len(documents)
    records = [record for path in texts.values() for record in read_jsonl(path)]
    titles = {record["title"] for record in records} | {record["id"] for record in records}
    assert {d["title"] for d in context["documents"] if "title" in d} <= titles
    assert {d["date"] for d in context["documents"]} & {record["date"] for record in records}


def test_values_that_answers_cannot_carry_are_replaced(tmp_path):
    titles = ["He said “no”", "A [draft]", "null and void", "Two\nlines", "One, two,", None]
    records = [
        {"id": f"r-{n}", "title": title, "date": "soon “enough”", "text": f"{n} and so on " * 90}
        for n, title in enumerate(titles * 2)
    ]
    paths = {corpus: tmp_path / corpus for corpus in facts_of("multidoc")["corpora"]}
    for path in paths.values():
        write_jsonl(path, [])
    write_jsonl(paths["xsum"], records)
    documents = build(paths, 2500)[0]["documents"]
    assert all(re.fullmatch(r"r-\d+", document.get("title", "r-0")) for document in documents)
    assert all(date(2000, 1, 1) <= date.fromisoformat(d["date"]) for d in documents)


def test_corpora_too_small_are_named_with_what_they_offer(texts):
    with pytest.raises(
        UserError,
        match=r"corpora/govreport, .*: \d+ documents of 300 .* multidoc context of 614,400",
    ):
        build(texts, 600 * 1024)


@given(
    st.text(alphabet=st.sampled_from("ab é漢😀.\n "), min_size=200, max_size=2500), st.integers()
)
def test_cut_keeps_a_head_of_the_text_within_the_range(text, seed):
    head = cut(text, random.Random(seed), TOKENIZER)
    if head is None:
        assert TOKENIZER.count(text.strip()) < 330
    else:
        assert 300 <= TOKENIZER.count(head) <= 500
        assert text.strip().startswith(head)
