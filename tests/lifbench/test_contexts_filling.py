import json
import random
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.corpora.contexts.filling import Filled, enough, fill, is_plain, shuffled


def by_trying(units: int, budget: int, count) -> Filled | None:
    """The first number of units that fits while one more does not."""
    for number in range(units):
        if count(number) <= budget < count(number + 1):
            return Filled(number, count(number))
    return None


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(0, 60)), max_size=40),
    st.integers(0, 800),
)
def test_fill_finds_what_trying_all_finds_however_wrong_the_estimates(units, budget):
    totals = [0, *accumulate(size for size, _ in units)]
    found = fill([estimate for _, estimate in units], budget, totals.__getitem__)
    assert found == by_trying(len(units), budget, totals.__getitem__)


def test_fill_counts_few_texts_where_the_estimates_are_right():
    counted = []

    def count(units: int) -> int:
        counted.append(units)
        return 7 * units

    assert fill([7] * 100_000, 400_003, count) == Filled(57_143, 400_001)
    assert len(counted) <= 4


def test_fill_starts_from_what_is_known_to_fit():
    counted = []

    def count(units: int) -> int:
        counted.append(units)
        return units

    assert fill([1] * 100, 40, count, start=30) == Filled(40, 40)
    assert min(counted) == 30


def test_enough_stops_soon_after_the_budget_and_leaves_the_rest():
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
