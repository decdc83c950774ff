"""Families of nested contexts: a shorter one is the beginning of a longer one, at every length."""

import re
from itertools import chain, pairwise

import pandas as pd
import pytest

BUDGETS = {"2k": 1536, "4k": 3072, "8k": 6144, "16k": 13312}
TAG = re.compile(r"<([^\w\s])(\w+)\1(-\d+)?>")


@pytest.fixture(scope="module")
def family(build):
    """The contexts of a seed, from the shortest to the longest, each built by itself."""

    def build_family(scenario, seed=1, nested=True, **settings):
        settings |= {"seeds": [seed], "nested": nested}
        built = [build(scenario, BUDGETS[length], length=length, **settings) for length in BUDGETS]
        return list(chain(*built))

    return build_family


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("scenario", "units"), [("list", "elements"), ("multidoc", "documents")])
def test_shorter_context_is_the_beginning_of_a_longer(family, scenario, units, seed):
    for shorter, longer in pairwise(family(scenario, seed)):
        assert longer[units][: len(shorter[units])] == shorter[units]
        assert longer["text"].startswith(shorter["text"])
        assert shorter["family"] == longer["family"] == f"{scenario}-s{seed}"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_essays_are_the_same_and_key_sentences_are_not(family, seed):
    contexts = family("onedoc", seed)
    for shorter, longer in pairwise(contexts):
        # The last sentence of a text may end in white space that a longer one shows.
        assert TAG.sub("", longer["text"]).startswith(TAG.sub("", shorter["text"]))
        texts = pd.DataFrame(shorter["key_sentences"])["text"].tolist()
        assert texts != pd.DataFrame(longer["key_sentences"])["text"].tolist()
    assert len({len(context["key_sentences"]) for context in contexts}) <= 9


def test_groups_of_documents_grow(family):
    for shorter, longer in pairwise(family("multidoc")):
        size = len(shorter["documents"])
        groups = []
        for group in longer["duplicate_groups"]:
            members = [index for index in group if index < size]
            if len(members) > 1:
                groups.append(members)
        assert groups == shorter["duplicate_groups"]


def test_duplicates_are_at_any_position(family):
    remainders = set()
    for seed in range(1, 9):
        documents = pd.DataFrame(family("multidoc", seed)[-1]["documents"])[["text"]]
        repeated = documents.index[documents.duplicated()]
        remainders |= set(repeated[repeated > 3] % 4)
    assert remainders == {0, 1, 2, 3}


@pytest.mark.parametrize("format", ["bulleted", "json"])
def test_family_is_nested_in_every_format(family, format):
    for shorter, longer in pairwise(family("list", formats=["numbered", format])):
        assert longer["elements"][: len(shorter["elements"])] == shorter["elements"]


@pytest.mark.parametrize("scenario", ["list", "multidoc", "onedoc"])
def test_independent_contexts_have_nothing_in_common(family, scenario):
    first, second, *_ = family(scenario, nested=False)
    assert "family" not in first
    assert not second["text"].startswith(first["text"][:200])
