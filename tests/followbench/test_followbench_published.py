"""The paper's printed results: that they hold together, and where tables show them."""

from dataclasses import replace

import pytest

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import CATEGORIES, LEVELS
from steadfast.contract.records import OVERALL
from steadfast.show import latex
from steadfast.show.render import markdown
from test_followbench_tables import DISPLAY, made
from test_followbench_tables import rows as rows_of

PRINTED = facts("followbench/printed.yaml")
ASKED = replace(DISPLAY, published=True)
HEADING = "Published (paper; judge GPT-4)"
CATEGORY = {f"table{7 + i}_{category}": category for i, category in enumerate(CATEGORIES)}
LEVELLED = {"table2_levels": OVERALL, **CATEGORY}
SHOWING = {*LEVELLED, "table5_consistency"}

GROUPS = {"content": 25, "situation": 22, "style": 30, "format": 30, "example": 40, "mixed": 17}
FEWER_GROUPS = {"situation": 20, "mixed": 15}  # of GPT-4 and WizardLM-13B-V1.2
SLIPS = {("mixed", "Vicuna-7B-V1.5", 7), ("mixed", "ChatGLM3-6B", 4)}
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


def test_every_table_has_the_same_models_and_one_decimal():
    models = list(rows(OVERALL))
    assert len(models) == 10 and set(PRINTED["consistency"]) < set(models)
    for category in (OVERALL, *CATEGORIES):
        assert list(rows(category)) == models
        for row in rows(category).values():
            assert len(row) == 11 and all(text[-2] == "." for text in row)


def test_table_2_is_the_mean_of_the_categories():
    parts = [values(category) for category in CATEGORIES]
    far = set()
    for model, row in values(OVERALL).items():
        for place, value in enumerate(row):
            distance = abs(sum(part[model][place] for part in parts) / len(parts) - value)
            assert distance < 2 * HALF  # both are rounded
            far |= {(model, place)} if distance > HALF else set()
    assert far == BESIDE_THE_MEAN


@pytest.mark.parametrize("category", CATEGORIES)
def test_rates_are_shares_of_the_groups_and_of_their_constraints(category):
    slips = set()
    for model, row in values(category).items():
        of_fewer = model in ("GPT-4", "WizardLM-13B-V1.2")
        groups = FEWER_GROUPS.get(category, GROUPS[category]) if of_fewer else GROUPS[category]
        counts = [groups] * 5 + [groups * level for level in LEVELS]
        for place, (value, n) in enumerate(zip(row, counts, strict=False)):
            if abs(100 * round(value * n / 100) / n - value) > HALF:
                slips.add((category, model, place))
        assert abs(round(row[10] * groups) / groups - row[10]) < HALF
    assert slips == {slip for slip in SLIPS if slip[0] == category}


@pytest.mark.parametrize("category", CATEGORIES)
def test_what_is_wholly_kept_bounds_the_other_measures(category):
    for row in values(category).values():
        hsr, ssr, csl = row[:5], row[5:10], row[10]
        assert hsr[0] == ssr[0] and all(h <= s for h, s in zip(hsr, ssr, strict=True))
        assert csl <= sum(hsr) / 100 + HALF and csl <= 5 * hsr[0] / 100 + HALF
        if category == "example":
            assert hsr == ssr


def test_the_section_appears_only_when_asked_for(asked):
    plain = made()
    assert {name for name in plain if asked[name] != plain[name]} == SHOWING | {
        "table3_agreement"  # in a note
    }
    for name in SHOWING:
        before, after = rows_of(plain[name]), rows_of(asked[name])
        assert after[: len(before)] == before
        assert {row[0] for row in after[len(before) :]} == {f"English: {HEADING}"}


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


@pytest.mark.parametrize("name", sorted(SHOWING))
def test_nothing_of_it_is_ranked(asked, name):
    above, below = markdown(asked[name]).split(f"*English: {HEADING}*")
    assert "**" not in below and "<u>" not in below
    # Of the categories mixed alone has the six groups that can tell anybody apart.
    assert ("**" in above) == (LEVELLED.get(name) in {"overall", "mixed"})
    assert PRINTED["note"].split(";")[0] in below
    above, _ = latex.render(asked[name]).split(rf"\textit{{English: {HEADING}}}")
    assert above.rstrip().splitlines()[-2] == r"\midrule"


def test_chinese_alone_has_none_and_english_alone_names_no_language():
    assert made(display=ASKED, languages=("zh",)) == made(languages=("zh",))
    table = rows_of(made(display=ASKED, languages=("en",))["table7_content"])
    assert table[-1][0] == HEADING and table[-1][1] == "ChatGLM2-6B"
