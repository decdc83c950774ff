"""How a budget is filled with units of text, in every scenario alike."""

import json
import random
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.tokens import load_tokenizer
from steadfast.corpora.contexts import lists, multidoc, onedoc
from steadfast.corpora.contexts.domains import facts_of
from steadfast.corpora.contexts.filling import Filled, enough, fill, is_plain, shuffled


def by_trying(units: int, budget: int, count) -> Filled | None:
    """The first number of units that fits while one more does not."""
    for number in range(units):
        if count(number) <= budget < count(number + 1):
            return Filled(number, count(number))
    return None


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(0, 60)), max_size=40), st.integers(0, 800)
)
def test_fill_finds_what_trying_all_finds_however_wrong_the_estimates(units, budget):
    totals = [0, *accumulate(size for size, _ in units)]
    found = fill([estimate for _, estimate in units], budget, totals.__getitem__)
    assert found == by_trying(len(units), budget, totals.__getitem__)


def test_fill_counts_few_texts_and_enough_stops_soon_after_the_budget():
    counted = []

    def count(units: int) -> int:
        counted.append(units)
        return 7 * units

    assert fill([7] * 100_000, 400_003, count) == Filled(57_143, 400_001)
    assert len(counted) <= 4
    counted = []

    def count(units: int) -> int:
        counted.append(units)
        return units

    assert fill([1] * 100, 40, count, start=30) == Filled(40, 40)
    assert min(counted) == 30
    units = iter(range(10_000))
    taken, sizes = enough(units, lambda unit: 10, 1000)
    assert taken == list(range(len(taken)))
    assert 1000 < sum(sizes) < 1200
    assert next(units) == len(taken)


@pytest.fixture
def corpus(tmp_path):
    def write(order):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
        path.write_text("".join(json.dumps({"id": f"r{number}"}) + "\n" for number in order))
        return path

    return write


def test_shuffled_depends_on_the_key_and_not_on_the_order_in_the_file(corpus):
    mixed = list(range(50))
    random.Random(3).shuffle(mixed)
    one = corpus(range(50))
    other = corpus(mixed)
    assert list(shuffled(one, "k")) == list(shuffled(other, "k"))
    assert list(shuffled(one, "k")) != list(shuffled(one, "l"))


@pytest.mark.parametrize("text", ["Name two rivers.", "It’s “fine” — naïve", 'Say "a, b".'])
def test_plain_text(text):
    assert is_plain(text, ['", "'])


@pytest.mark.parametrize(
    "text", ["", " a", "a ", "a\nb", "a\tb", "a\u2028b", "a\x7fb", "Smile \U0001f600", 'x", "y']
)
def test_text_that_escaping_would_change_is_not_plain(text):
    assert not is_plain(text, ['", "'])


BUILDERS = {"list": lists, "multidoc": multidoc, "onedoc": onedoc}
LARGEST_UNIT = {"list": 48, "multidoc": 700, "onedoc": 120}
"""Tokens that an element, document or sentence has at most."""


def built(corpora, scenario, budget, seeds=(1,), tokenizer="o200k_base"):
    paths = {name: corpora[name] for name in facts_of(scenario)["corpora"]}
    return list(BUILDERS[scenario].contexts(paths, "4k", budget, seeds, tokenizer))


@pytest.mark.quick(6)
@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("budget", [2048, 3072, 13312])
@pytest.mark.parametrize("scenario", BUILDERS)
def test_a_budget_is_filled_to_less_than_one_unit(corpora, scenario, budget, tokenizer):
    (context,) = built(corpora, scenario, budget, tokenizer=tokenizer)
    assert load_tokenizer(tokenizer).count(context["text"]) == context["tokens"]
    assert budget - LARGEST_UNIT[scenario] < context["tokens"] <= budget


@pytest.mark.parametrize("scenario", BUILDERS)
def test_same_seed_gives_the_same_context_and_another_seed_another(corpora, scenario):
    one, two = built(corpora, scenario, 3072, (1, 2))
    assert one["text"] != two["text"]
    assert built(corpora, scenario, 3072) == [one] and built(corpora, scenario, 3072, (2,)) == [two]
