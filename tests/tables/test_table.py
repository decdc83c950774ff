"""Rounded numbers, ranks, and the three renderings of a table."""

import csv
import io
import re
from decimal import Decimal
from unicodedata import category, name

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.resources import ROOT
from steadfast.show import latex
from steadfast.show.render import comma_separated, escape_csv, escape_markdown, markdown
from steadfast.show.table import Cell, Column, Section, Table, ranks, rounded, shown_ranks


def test_numbers_are_rounded_half_up():
    numbers = [0.79749999999999999, 0.0004999, 0.2 + 0.1 + 0.1125, -0.0001]
    assert [str(rounded(number, 3)) for number in numbers] == ["0.798", "0.000", "0.413", "0.000"]


@given(st.integers(0, 10**6))
def test_every_exact_tie_is_rounded_up(thousandths):
    tie = Decimal(thousandths) / 1000 + Decimal("0.0005")
    assert rounded(float(tie), 3) == tie + Decimal("0.0005")


def test_ranks_skip_after_a_tie():
    values = {"a": 0.1, "b": 0.1, "c": 0.2}
    assert ranks(values, values, smaller=True) == {"a": 1, "b": 1, "c": 3}
    assert ranks(values, values) == {"c": 1, "a": 2, "b": 2}


def test_ranks_need_two_different_values():
    assert shown_ranks({"a": 0.0, "b": 0.0}, "ab") == shown_ranks({"a": 0.5}, "a") == {}
    assert shown_ranks({"a": 0.5, "gold": 1.0}, ["a"]) == {}
    assert shown_ranks({"a": 0.5, "b": 1.0}, "ab") == {"a": 2, "b": 1}


TABLE = Table(
    name="t",
    caption="50% of a_b",
    columns=(Column("Model", align="l"), Column("X", "Group"), Column("Y", "Group")),
    sections=(
        Section(((Cell("m"), Cell("0.9", "best"), Cell("0.1", suffix="(2)")),), "Models"),
        Section(((Cell("sim-a"), Cell(None), Cell("0.2", marks=("incomplete",))),), "Sim", True),
    ),
    notes=(("incomplete", "1 of 2 samples scored"),),
)


def csv_rows(table: Table) -> list[list[str]]:
    return list(csv.reader(io.StringIO(comma_separated(table))))


def test_latex_has_styles_and_marks():
    text = latex.render(TABLE)
    for part in (
        r"\caption{50\% of a\_b}",
        r"\cmidrule(lr){2-3}",
        r"m & \textbf{0.9} & 0.1 (2) \\",
        r"sim-a & -- & 0.2\rlap{$^{*}$} \\",
        "\\midrule\n\\multicolumn{3}{@{}c@{}}{\\textit{Sim}}",
        "1 of 2 samples scored",
    ):
        assert part in text


def test_markdown_has_styles_and_marks():
    text = markdown(TABLE)
    assert re.search(r"\| m +\| +\*\*0.9\*\* +\| +0.1 \(2\) +\|", text)
    assert re.search(r"\| sim-a +\| +-- +\| +0.2\\\* +\|", text)
    assert "\\* 1 of 2 samples scored" in text


def test_csv_has_groups_and_marks():
    assert csv_rows(TABLE) == [
        ["group", "Model", "X", "Y", "marks"],
        ["Models", "m", "0.9", "0.1 (2)", ""],
        ["Sim", "sim-a", "", "0.2", "Y: incomplete"],
    ]


def numbered_section(rows: int, heading: str = "") -> Section:
    return Section(tuple((Cell(str(number)),) for number in range(rows)), heading)


def test_long_tables_continue_on_further_pages():
    sections = (numbered_section(4), numbered_section(4), numbered_section(4))
    table = Table("t", "c", (Column("A"),), sections, rows_per_page=9)
    assert [len(page.sections) for page in table.pages()] == [2, 1]
    assert latex.render(table).count(r"\begin{table}") == 2
    assert latex.render(table).count(r"\label") == 1
    table = Table("t", "c", (Column("A"),), (numbered_section(10, "H"),), rows_per_page=4)
    assert [len(page.sections[0].rows) for page in table.pages()] == [4, 4, 2]


@given(st.text())
def test_latex_text_has_no_active_special_character(text):
    escaped = latex.escape(text)
    assert escaped.isprintable()
    symbol = r"\$(-|\\[a-z]+|\^\{(\\[a-z]+|[23])\})\$"
    allowed = rf"{symbol}|\\(text[a-z]+\{{\}}|ldots\{{\}}|pounds\{{\}}|[{{}}$&#%_])|[{{}}]"
    assert not re.search(r"[\\$&#%_^~]", re.sub(allowed, "", escaped))


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("−1", "$-$1"),
        ("(ARS − baseline) ÷ (1 − baseline)", r"(ARS $-$ baseline) $\div$ (1 $-$ baseline)"),
        ("2 × 3 ± 1", r"2 $\times$ 3 $\pm$ 1"),
        ("a ≤ b ≠ c → d", r"a $\leq$ b $\neq$ c $\rightarrow$ d"),
        ("“so” …", r"\textquotedblleft{}so\textquotedblright{} \ldots{}"),
        ("-0.1 to -0.2", "$-$0.1 to $-$0.2"),
        ("gpt-4", "gpt-4"),
    ],
)
def test_latex_prints_signs_as_symbols(text, printed):
    assert latex.escape(text) == printed


def all_texts(value):
    """All texts in a data file, including its keys."""
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list):
        for element in value:
            yield from all_texts(element)
    elif isinstance(value, str):
        yield value


def is_printed(text):
    """Whether the text is of our own script, and not the invisible characters before a tag."""
    other_letters = any(c.isalpha() and not name(c).startswith(("LATIN", "GREEK")) for c in text)
    wide = any(name(c, "").startswith(("IDEOGRAPHIC", "FULLWIDTH")) for c in text)
    invisible = {category(c) for c in text} <= {"Cf"}
    return not (other_letters or wide or invisible)


NOT_PRINTED = {ROOT / "judging/words.yaml"}  # patterns of replies
FILES = sorted({*ROOT.rglob("*.yaml")} - NOT_PRINTED)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_latex_has_a_glyph_for_each_character_of_the_packaged_texts(path):
    for text in all_texts(yaml.safe_load(path.read_text(encoding="utf-8"))):
        assert "{U+" not in latex.escape(text) or not is_printed(text)


def test_csv_text_is_no_formula():
    for text in ("=1+1", "+1", "-1", "@x", "\t=1"):
        assert escape_csv(text) == f"'{text}"
    for number in ("-0.020", "0.5", "-0.020 to -0.010", "-0.1 to 0.2"):
        assert escape_csv(number) == number


def test_table_has_a_note_and_a_csv_column_about_its_data():
    table = TABLE.with_data_notes(["Alpha is synthetic.", "", "=Beta is released."])
    header, *rows = csv_rows(table)
    position = header.index("data")
    assert {row[position] for row in rows} == {"Alpha is synthetic. =Beta is released."}
    assert "\n\nAlpha is synthetic. =Beta is released.\n\n" in markdown(table.with_merged_notes())
    assert "data" not in comma_separated(TABLE).splitlines()[0]


@given(st.text())
def test_markdown_text_stays_in_its_cell(text):
    escaped = escape_markdown(text)
    assert "\n" not in escaped
    assert not re.search(r"(?<!\\)[|*_`\[\]]", escaped.replace("\\\\", ""))
    assert "<" not in escaped
    unescaped = re.sub(r"\\(.)", r"\1", escaped).replace("&lt;", "<").replace("&amp;", "&")
    assert unescaped == " ".join(text.split())
