"""The paper's printed results: that they hold together, and where a table shows them."""

from dataclasses import replace

import pytest

from steadfast.base.resources import facts
from steadfast.benchmarks.cfbench import tables
from test_cfbench_tables import DISPLAY, all_tables, made

PAPER = facts("cfbench/printed.yaml")
PRINTED = {model: row.split() for model, row in PAPER["results"].items()}
ASKED = replace(DISPLAY, published=True)
NAME = "table2_results"

HALF = 0.0005 + 1e-9  # half of the last printed digit


@pytest.fixture(scope="module")
def frames():
    return made()


def test_full_is_the_mean_of_its_halves():
    for model, row in PRINTED.items():
        easy, hard, full = ([float(text) for text in row[i : i + 3]] for i in (0, 3, 6))
        for halves, whole in zip(zip(easy, hard, strict=True), full, strict=True):
            assert abs(sum(halves) / 2 - whole) < HALF, model


def test_the_section_and_its_note_appear_only_when_asked_for(frames):
    plain = all_tables(frames)
    asked = all_tables(frames, display=ASKED)
    assert {name for name in plain if plain[name] != asked[name]} == {NAME}
    *sections, published = asked[NAME].sections
    assert tuple(sections) == plain[NAME].sections
    assert (published.heading, published.unranked) == ("Published (paper; judge GPT-4o)", True)
    assert asked[NAME].notes == (*plain[NAME].notes, ("data", PAPER["note"]))
    for display, expected in ((DISPLAY, 0), (ASKED, 1)):
        (table,) = tables.tables(frames, display, "strict", [NAME], "By others.")
        assert [text for _, text in table.notes].count("By others.") == expected


@pytest.mark.parametrize("mode", ["strict", "released"])
def test_its_digits_are_the_printed_ones_and_nothing_of_it_is_ranked(frames, mode):
    table = all_tables(frames, mode, replace(ASKED, digits=5))[NAME]
    rows = table.sections[-1].rows
    assert {row[0].text: [cell.text for cell in row[1:-1]] for row in rows} == PRINTED
    assert {row[-1].text for row in rows} == {None}  # the ranks
    assert not any(cell.style or cell.marks for row in rows for cell in row)
