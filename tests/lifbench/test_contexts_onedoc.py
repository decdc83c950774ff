import re
from collections import defaultdict
from itertools import pairwise
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.base.files import write_jsonl
from steadfast.base.tokens import load_tokenizer
from steadfast.corpora.contexts import onedoc
from steadfast.corpora.contexts.filling import Draws
from steadfast.corpora.contexts.onedoc import segment

TOKENIZER = load_tokenizer("o200k_base")


def draws() -> Draws:
    return Draws(Random("x"), Random("y"))


TAG = re.compile(r"<([^\w\s])(\w+)\1(-\d+)?>")


@pytest.fixture(scope="module")
def essays(corpora):
    return corpora["paul_graham"]


def build(path, budget=3072, seeds=(1,), tokenizer="o200k_base"):
    inputs = {"paul_graham": path}
    length = "4k"
    found = onedoc.contexts(inputs, length=length, budget=budget, seeds=seeds, tokenizer=tokenizer)
    return list(found)


@pytest.fixture(scope="module", params=range(1, 6))
def context(essays, request):
    return build(essays, budget=6144, seeds=(request.param,))[0]


@pytest.mark.parametrize("budget", range(2048, 2100, 7))
def test_one_sentence_more_would_exceed_the_budget(essays, budget):
    paths = {"paul_graham": essays}
    found = onedoc.build(draws(), budget, paths, TOKENIZER)
    # A corpus of these essays alone gives the same sentences at a larger budget.
    longer = TAG.sub("", onedoc.build(draws(), budget + 400, paths, TOKENIZER)["text"])
    plain = TAG.sub("", found["text"])
    assert longer.startswith(plain)
    space, sentence = segment(longer[len(plain) :])[0]
    assert TOKENIZER.count(found["text"] + space + sentence) > budget


def test_key_sentences_are_of_five_types_three_with_a_fake_between_their_tags(context):
    for key in context["key_sentences"]:
        head = f"<{key['type']}-{key['id']}>{key['text']}<"
        assert context["text"].count(head) == 1
        tail = context["text"].split(head)[1].split(">")[0]
        assert (tail == key["type"]) is not key["fake"]
    ids = defaultdict(list)
    for key in context["key_sentences"]:
        ids[key["type"]].append(key["id"])
    assert list(ids) == [t for t in onedoc.TYPES if t != context["absent_type"]]
    assert all(4 <= len(found) <= 6 for found in ids.values())
    assert all(found == list(range(len(found))) for found in ids.values())
    fakes = [key["type"] for key in context["key_sentences"] if key["fake"]]
    assert len(fakes) == len(set(fakes)) == 3
    assert len(context["key_sentences"]) - len(fakes) >= 8


def test_key_sentences_are_spread_over_the_document_and_their_ids_do_not_tell_where(context):
    places = defaultdict(list)
    for key in context["key_sentences"]:
        places[key["type"]].append(key["index"])
    assert all(found != sorted(found) for found in places.values())
    places = [(context["text"].index(k["text"]), k["index"]) for k in context["key_sentences"]]
    assert [index for _, index in sorted(places)] == sorted(index for _, index in places)
    places = sorted(context["text"].index(k["text"]) for k in context["key_sentences"])
    size = len(context["text"])
    assert places[0] < 0.2 * size
    assert places[-1] > 0.8 * size
    assert max(b - a for a, b in pairwise(places)) < 0.3 * size


def test_sentences_to_ask_about_are_plain_occur_once_and_are_no_part_of_one_another(context):
    asked = [key["text"] for key in context["key_sentences"]] + context["ordinary"]
    assert len(context["ordinary"]) >= 2
    assert len(set(asked)) == len(asked)
    assert not any(a in b for a in asked for b in asked if a != b)
    assert all(context["text"].count(text) == 1 for text in asked)
    for text in [key["text"] for key in context["key_sentences"]] + context["ordinary"]:
        assert not re.search(r"[<>#@!|*\[\]\n\"\\]", text)
        assert len(text.split()) >= 3
        assert TOKENIZER.count(text) <= 100


def test_too_small_or_repeated_texts_are_named(essays, tmp_path):
    with pytest.raises(
        UserError, match=r"corpora/paul_graham: [\d,]+ tokens are too few .* onedoc .* 102,400"
    ):
        build(essays, budget=100 * 1024)
    with pytest.raises(UserError, match="can be key sentences"):
        build(essays, budget=300)
    path = tmp_path / "paul_graham"
    essays = [f"Essay {n}. " + "This is always the same. " * 400 for n in range(4)]
    write_jsonl(path, ({"id": str(n), "text": text} for n, text in enumerate(essays)))
    with pytest.raises(UserError, match="can be key sentences"):
        build(path)


@given(st.text(alphabet=st.sampled_from("ab A.!?\n\"'()[] \u00a0\u2028…。")))
@example("A wide space precedes a stop, after A\u2028.")
def test_sentences_and_their_white_space_make_up_the_text(text):
    assert "".join(space + sentence for space, sentence in segment(text)) == text.rstrip()
