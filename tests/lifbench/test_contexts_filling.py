"""How a budget is filled with units of text, in every scenario alike."""

from itertools import accumulate
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.base.files import write_jsonl
from steadfast.base.tokens import load_tokenizer
from steadfast.corpora.contexts.filling import Filled, fill, is_plain, shuffled, units_over_budget


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(0, 60)), max_size=40), st.integers(0, 800)
)
def test_fill_equals_trying_all_numbers_whatever_the_estimates(units, budget):
    totals = [0, *accumulate(size for size, _ in units)]
    expected = None
    for number in reversed(range(len(units))):
        if totals[number] <= budget < totals[number + 1]:
            expected = Filled(number, totals[number])
    estimates = [estimate for _, estimate in units]
    assert fill(estimates, budget, totals.__getitem__) == expected


@pytest.fixture
def counted():
    """The numbers of units that were counted."""
    return []


def test_fill_counts_few_texts(counted):
    def count(units: int) -> int:
        counted.append(units)
        return 7 * units

    assert fill([7] * 100_000, 400_003, count) == Filled(57_143, 400_001)
    assert len(counted) <= 4


def test_fill_counts_from_its_start(counted):
    def count(units: int) -> int:
        counted.append(units)
        return units

    assert fill([1] * 100, 40, count, start=30) == Filled(40, 40)
    assert min(counted) == 30


def test_enough_stops_soon_after_the_budget():
    units = iter(range(10_000))
    first, sizes = units_over_budget(units, lambda unit: 1, 1000)
    assert first == list(range(len(first)))
    assert sum(sizes) == 1111  # the first above 1,010 and 100
    assert next(units) == len(first)


def test_shuffled_depends_on_the_key_and_not_on_the_file(tmp_path):
    records = [{"id": f"r{number}"} for number in range(50)]
    write_jsonl(tmp_path / "sorted", records)
    Random(3).shuffle(records)
    write_jsonl(tmp_path / "mixed", records)
    by_key = list(shuffled(tmp_path / "sorted", "k"))
    assert by_key == list(shuffled(tmp_path / "mixed", "k"))
    assert by_key != list(shuffled(tmp_path / "sorted", "l"))


@pytest.mark.parametrize("text", ["Name two rivers.", "It’s “fine” — naïve", 'Say "a, b".'])
def test_plain_text(text):
    assert is_plain(text, ['", "'])


@pytest.mark.parametrize(
    "text", ["", " a", "a ", "a\nb", "a\tb", "a\u2028b", "a\x7fb", "Smile \U0001f600", 'x", "y']
)
def test_text_that_escaping_would_change_is_not_plain(text):
    assert not is_plain(text, ['", "'])


LARGEST_UNIT = {"list": 48, "multidoc": 700, "onedoc": 120}
"""Tokens that an element, document or sentence has at most."""


@pytest.mark.quick(6)
@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("budget", [2048, 3072, 13312])
@pytest.mark.parametrize("scenario", LARGEST_UNIT)
def test_budget_is_filled_to_less_than_one_unit(build, scenario, budget, tokenizer):
    (context,) = build(scenario, budget, tokenizer=tokenizer)
    assert load_tokenizer(tokenizer).count(context["text"]) == context["tokens"]
    assert budget - LARGEST_UNIT[scenario] < context["tokens"] <= budget


@pytest.mark.parametrize("scenario", LARGEST_UNIT)
def test_context_depends_on_its_seed_alone(build, scenario):
    first, second = build(scenario, seeds=(1, 2))
    assert first["text"] != second["text"]
    assert build(scenario) == [first]
    assert build(scenario, seeds=(2,)) == [second]


@pytest.mark.parametrize(
    ("scenario", "budget", "message"),
    [
        ("list", 3, "no unit fits into 3 tokens"),
        (
            "multidoc",
            600 * 1024,
            r"corpora/govreport, .*: \d+ documents of 300 .* multidoc context of 614,400",
        ),
        (
            "onedoc",
            100 * 1024,
            r"corpora/paul_graham: [\d,]+ tokens are too few .* onedoc .* 102,400",
        ),
        ("onedoc", 300, "can be key sentences"),
    ],
)
def test_budget_that_the_corpora_do_not_fit_is_reported(build, scenario, budget, message):
    with pytest.raises(UserError, match=message):
        build(scenario, budget)
