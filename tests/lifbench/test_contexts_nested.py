"""Families of nested contexts: a shorter one is the beginning of a longer one, at every length."""

import re
from itertools import pairwise

import pytest

from steadfast.corpora.contexts import lists, multidoc, onedoc
from steadfast.corpora.contexts.domains import facts_of

BUDGETS = {"2k": 1536, "4k": 3072, "8k": 6144, "16k": 13312}
BUILDERS = {"list": lists, "multidoc": multidoc, "onedoc": onedoc}
TAG = re.compile(r"<([^\w\s])(\w+)\1(-\d+)?>")


def family(corpora, scenario, seed=1, nested=True, **settings):
    """The contexts of a seed, from the shortest to the longest, each built by itself."""
    paths = {name: corpora[name] for name in facts_of(scenario)["corpora"]}
    contexts = []
    for length, budget in BUDGETS.items():
        of_length = {"length": length, "budget": budget, "seeds": [seed], "nested": nested}
        contexts += BUILDERS[scenario].contexts(
            paths, tokenizer="o200k_base", **of_length, **settings
        )
    return contexts


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("scenario", "units"), [("list", "elements"), ("multidoc", "documents")])
def test_a_shorter_context_is_the_beginning_of_a_longer_one(corpora, scenario, units, seed):
    for shorter, longer in pairwise(family(corpora, scenario, seed)):
        assert longer[units][: len(shorter[units])] == shorter[units]
        assert longer["text"].startswith(shorter["text"])
        assert shorter["family"] == longer["family"] == f"{scenario}-s{seed}"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_document_has_the_same_essays_with_key_sentences_of_its_own(corpora, seed):
    contexts = family(corpora, "onedoc", seed)
    for shorter, longer in pairwise(contexts):
        # The last sentence of a text may end in white space that a longer one shows.
        assert TAG.sub("", longer["text"]).startswith(TAG.sub("", shorter["text"]))
        assert [key["text"] for key in shorter["key_sentences"]] != [
            key["text"] for key in longer["key_sentences"]
        ]
    assert len({len(context["key_sentences"]) for context in contexts}) <= 9


def test_groups_of_documents_grow_and_their_places_do_not_tell_repeats(corpora):
    for shorter, longer in pairwise(family(corpora, "multidoc")):
        size = len(shorter["documents"])
        kept = [[place for place in group if place < size] for group in longer["duplicate_groups"]]
        assert [group for group in kept if len(group) > 1] == shorter["duplicate_groups"]
    positions = set()
    for seed in range(1, 9):
        texts = [one["text"] for one in family(corpora, "multidoc", seed)[-1]["documents"]]
        positions |= {n % 4 for n, text in enumerate(texts) if n > 3 and text in texts[:n]}
    assert positions == {0, 1, 2, 3}


@pytest.mark.parametrize("format", ["bulleted", "json"])
def test_a_family_is_nested_in_every_format(corpora, format):
    formats = ["numbered", format]
    for shorter, longer in pairwise(family(corpora, "list", formats=formats)):
        assert longer["elements"][: len(shorter["elements"])] == shorter["elements"]


@pytest.mark.parametrize("scenario", list(BUILDERS))
def test_independent_contexts_have_nothing_in_common(corpora, scenario):
    first, second, *_ = family(corpora, scenario, nested=False)
    assert "family" not in first
    assert not second["text"].startswith(first["text"][:200])
