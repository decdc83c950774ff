"""The paper's printed results: that they hold together, and where a table shows them."""

import pytest

from steadfast.cfbench import benchmark
from steadfast.cfbench.facts import read_yaml
from test_cfbench_tables import DISPLAY, made, tables

PAPER = read_yaml("printed.yaml")
PRINTED = {model: row.split() for model, row in PAPER["results"].items()}
ASKED = {**DISPLAY, "published": True}
HEADING = "Published (paper; judge GPT-4o)"
NAME = "cfbench_table2_results"

FOUR_DECIMALS = {("Llama-2-7B-Chat", 0)}
NO_SHARE_OF_500 = {("Conifer-Test", 1), ("Conifer-Test", 2)}
HALF = 0.0005 + 1e-9  # half of the last printed digit


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return made(tmp_path_factory.mktemp("cfbench"))


def test_fifty_models_have_nine_rates_of_three_decimals():
    assert len(PRINTED) == 50 and all(len(row) == 9 for row in PRINTED.values())
    odd = {
        (model, place)
        for model, row in PRINTED.items()
        for place, text in enumerate(row)
        if len(text) != len("0.000")
    }
    assert odd == FOUR_DECIMALS


def test_full_is_the_mean_of_its_halves():
    for model, row in PRINTED.items():
        easy, hard, full = ([float(text) for text in row[i : i + 3]] for i in (0, 3, 6))
        for halves, whole in zip(zip(easy, hard, strict=True), full, strict=True):
            assert abs(sum(halves) / 2 - whole) < HALF, model


def test_records_wholly_met_are_shares_of_500_and_the_rates_are_in_order():
    odd = set()
    for model, row in PRINTED.items():
        for place in (0, 3, 6):
            csr, isr, psr = (float(text) for text in row[place : place + 3])
            assert isr <= psr <= csr
        for place in (1, 2, 4, 5):
            records = float(row[place]) * 500
            odd |= {(model, place)} if abs(records - round(records)) > 1e-9 else set()
    assert odd == NO_SHARE_OF_500


def test_the_section_appears_only_when_asked_for(found, tmp_path):
    plain, asked = tables(found, tmp_path / "a"), tables(found, tmp_path / "b", display=ASKED)
    assert tables(found, tmp_path / "c", display={**DISPLAY, "published": False}) == plain
    size = len(plain[NAME])
    assert asked[NAME][:size] == plain[NAME]
    assert {row[0] for row in asked[NAME][size:]} == {HEADING}
    for path in (tmp_path / "a").iterdir():
        changed = path.read_bytes() != (tmp_path / "b" / path.name).read_bytes()
        assert changed == (path.stem == NAME)


@pytest.mark.parametrize("mode", ["strict", "released"])
def test_digits_are_the_printed_ones(found, tmp_path, mode):
    rows = tables(found, tmp_path, mode, {**ASKED, "digits": 5})[NAME]
    shown = {row[1]: row[2:-1] for row in rows if row[0] == HEADING}
    assert shown == PRINTED and list(shown) == list(PRINTED)


def test_nothing_of_it_is_ranked(found, tmp_path):
    tables(found, tmp_path, display=ASKED)
    above, below = (tmp_path / f"{NAME}.md").read_text("utf-8").split(f"*{HEADING}*")
    assert "**" in above and "**" not in below and "<u>" not in below
    assert PAPER["note"].split(";")[0] in below
    above, *below = (tmp_path / f"{NAME}.tex").read_text("utf-8").split(rf"\textit{{{HEADING}}}")
    assert len(below) == 2  # fifty rows go on to a second page
    assert not any(r"\textbf" in part or r"\underline" in part for part in below)
    assert above.splitlines()[-2] == r"\midrule"


def test_tables_are_made_again_when_the_printed_results_change():
    assert "resources/cfbench/printed.yaml" in benchmark.TABLES_FACTS
