"""The paper's printed results: that they hold together, and where tables show them."""

from dataclasses import replace

import pytest

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import CATEGORIES
from steadfast.contract.records import OVERALL
from test_followbench_tables import DISPLAY, made
from test_followbench_tables import rows as rows_of

PRINTED = facts("followbench/printed.yaml")
ASKED = replace(DISPLAY, published=True)
HEADING = "Published (paper; judge GPT-4)"
CATEGORY = {f"table{7 + i}_{category}": category for i, category in enumerate(CATEGORIES)}
LEVELLED = {"table2_levels": OVERALL, **CATEGORY}
SHOWING = {*LEVELLED, "table5_consistency"}

BESIDE_THE_MEAN = {
    ("Vicuna-13B-V1.5", 8),
    ("LLaMA2-Chat-7B", 4),
    ("Vicuna-7B-V1.5", 3),
    ("Baichuan2-Chat-7B", 0),
    ("Baichuan2-Chat-7B", 5),
}
HALF = 0.05 + 1e-9  # half of the last printed digit


@pytest.fixture(scope="module")
def asked():
    return made(display=ASKED)


def rows(category):
    return {model: row.split() for model, row in PRINTED["levels"][category].items()}


def values(category):
    return {model: [float(text) for text in row] for model, row in rows(category).items()}


def test_table_2_is_the_mean_of_the_categories():
    parts = [values(category) for category in CATEGORIES]
    far = set()
    for model, row in values(OVERALL).items():
        for place, value in enumerate(row):
            distance = abs(sum(part[model][place] for part in parts) / len(parts) - value)
            assert distance < 2 * HALF  # both are rounded
            far |= {(model, place)} if distance > HALF else set()
    assert far == BESIDE_THE_MEAN


@pytest.mark.wide
def test_the_section_appears_only_when_asked_for(asked):
    plain = made()
    assert {name for name in plain if asked[name] != plain[name]} == SHOWING | {
        "table3_agreement"  # in a note
    }
    for name in SHOWING:
        before = rows_of(plain[name])
        after = rows_of(asked[name])
        assert after[: len(before)] == before
        assert {row[0] for row in after[len(before) :]} == {f"English: {HEADING}"}


@pytest.mark.wide
def test_digits_are_the_printed_ones():
    asked = made(display=replace(ASKED, digits=6), mode="released")
    for name, category in LEVELLED.items():
        printed = [row[1:-1] for row in rows_of(asked[name]) if HEADING in row[0]]
        assert printed == [
            [model, *row[:5], "", *row[5:10], "", row[10], ""]
            for model, row in rows(category).items()
        ]
    table = [row[1:-1] for row in rows_of(asked["table5_consistency"]) if HEADING in row[0]]
    assert table == [[m, text, *[""] * 5] for m, text in PRINTED["consistency"].items()]
    assert table[0][:2] == ["GPT-4", "42.2"]
