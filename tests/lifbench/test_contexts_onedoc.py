import re
from itertools import combinations, pairwise
from random import Random

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.base.files import write_jsonl
from steadfast.base.tokens import load_tokenizer
from steadfast.corpora.contexts import onedoc
from steadfast.corpora.contexts.filling import RandomStreams
from steadfast.corpora.contexts.onedoc import Sentence, Tag, segment

TOKENIZER = load_tokenizer("o200k_base")
TAG = re.compile(r"<([^\w\s])(\w+)\1(-\d+)?>")


@pytest.fixture(scope="module", params=range(1, 6))
def context(build, request):
    return build("onedoc", 6144, (request.param,))[0]


@pytest.fixture
def keys(context):
    """The key sentences, and where they are in the text."""
    keys = pd.DataFrame(context["key_sentences"])
    keys["start"] = keys["text"].map(context["text"].index)
    return keys


@pytest.mark.parametrize("budget", range(2048, 2100, 7))
def test_one_sentence_more_would_exceed_the_budget(corpora, budget):
    def built(tokens):
        paths = {"paul_graham": corpora["paul_graham"]}
        return onedoc.build(RandomStreams(Random("x"), Random("y")), tokens, paths, TOKENIZER)[
            "text"
        ]

    text = built(budget)
    # A corpus of these essays alone gives the same sentences at a larger budget.
    longer = TAG.sub("", built(budget + 400))
    plain = TAG.sub("", text)
    assert longer.startswith(plain)
    space, sentence = segment(longer[len(plain) :])[0]
    assert TOKENIZER.count(text + space + sentence) > budget


def test_key_sentences_are_between_their_tags(context):
    for key in context["key_sentences"]:
        head = f"<{key['type']}-{key['id']}>{key['text']}<"
        assert context["text"].count(head) == 1
        tag, _, _ = context["text"].partition(head)[2].partition(">")
        assert (tag == key["type"]) is not key["fake"]


def test_key_sentences_have_five_types_three_with_a_fake(context, keys):
    ids = keys.groupby("type", sort=False)["id"].agg(list)
    assert ids.index.tolist() == [n for n in onedoc.TYPES if n != context["absent_type"]]
    for numbers in ids:
        assert 4 <= len(numbers) <= 6
        assert numbers == list(range(len(numbers)))
    fakes = keys[keys["fake"]]["type"]
    assert len(fakes) == fakes.nunique() == 3
    assert len(keys) - len(fakes) >= 8


def test_ids_of_key_sentences_do_not_follow_their_positions(keys):
    assert not keys.groupby("type")["index"].agg(lambda index: index.is_monotonic_increasing).any()
    assert keys.sort_values("start")["index"].is_monotonic_increasing


def test_key_sentences_are_spread_over_the_document(context, keys):
    starts = sorted(keys["start"] / len(context["text"]))
    assert starts[0] < 0.2
    assert starts[-1] > 0.8
    assert max(second - first for first, second in pairwise(starts)) < 0.3


def test_sentences_for_questions_are_plain_and_distinct(context, keys):
    sentences = [*keys["text"], *context["ordinary"]]
    assert len(context["ordinary"]) >= 2
    for first, second in combinations(sentences, 2):
        assert first not in second and second not in first
    for sentence in sentences:
        assert context["text"].count(sentence) == 1
        assert not re.search(r"[<>#@!|*\[\]\n\"\\]", sentence)
        assert len(sentence.split()) >= 3
        assert TOKENIZER.count(sentence) <= 100


def test_corpus_of_repeated_sentences_is_reported(build, tmp_path):
    path = tmp_path / "paul_graham"
    repeated = "This is always the same. " * 400
    write_jsonl(path, [{"id": str(n), "text": f"Essay {n}. {repeated}"} for n in range(4)])
    with pytest.raises(UserError, match="can be key sentences"):
        build("onedoc", paths={"paul_graham": path})


def test_least_number_of_sentences_for_keys_and_questions():
    """Two tags, and at least two ordinary sentences (resources/corpora/contexts.yaml)."""
    tags = [Tag("x", 0, "<x>"), Tag("x", 1, "<x>")]
    sentences = [Sentence(" ", f"There are {number} of them.") for number in range(4)]
    keys, ordinary = onedoc._places(Random(1), sentences, 4, tags, TOKENIZER)
    assert sorted([*keys, *ordinary]) == [0, 1, 2, 3] and set(keys.values()) == set(tags)
    with pytest.raises(UserError, match=r"only 3 of the 3 sentences .* 4 are needed"):
        onedoc._places(Random(1), sentences, 3, tags, TOKENIZER)


@pytest.mark.parametrize(("words", "fits"), [(2, False), (3, True), (100, True), (101, False)])
def test_key_sentence_has_3_words_and_100_tokens_at_most(words, fits):
    assert onedoc._may_be_key(" ".join("a" * words), TOKENIZER) == fits


@given(st.text(alphabet=st.sampled_from("ab A.!?\n\"'()[] \u00a0\u2028…。")))
@example("A wide space precedes a stop, after A\u2028.")
def test_sentences_and_their_white_space_make_up_the_text(text):
    assert "".join(space + sentence for space, sentence in segment(text)) == text.rstrip()
