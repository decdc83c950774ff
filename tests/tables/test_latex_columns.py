"""The columns of a table in LaTeX by its width, and its notes in three lines."""

from dataclasses import replace

from steadfast.show import latex
from steadfast.show.latex_columns import (
    PAGE_WIDTH,
    _width,
    heading_lines,
    layout,
    rows_per_page,
)
from steadfast.show.table import Cell, Column, Section, Table


def table(*columns: Column) -> Table:
    cells = [Cell("0.1 to 0.9" if "95 %" in column.heading else "0.123") for column in columns]
    section = Section(((Cell("a"), *cells),))
    return Table("t", "Caption.", (Column("Model", align="l"), *columns), (section,))


def measures_with_intervals(count: int) -> list[Column]:
    columns = []
    for n in range(count):
        columns += [Column(f"M{n}", f"Group {n}"), Column(f"M{n}: 95 %", f"Group {n}")]
    return columns


def test_intervals_are_beside_values_in_a_narrow_table():
    narrow = table(*measures_with_intervals(2))
    columns = layout(narrow)
    assert (len(columns.blocks), columns.folded, columns.size) == (1, False, "small")
    assert "0.123 & 0.1 to 0.9" in latex.render(narrow)


def test_intervals_are_below_values_in_a_wide_table():
    wide = table(*measures_with_intervals(7))
    columns = layout(wide)
    assert (len(columns.blocks), columns.folded, columns.size) == (1, True, "footnotesize")
    text = latex.render(wide)
    assert r"a & 0.123 & 0.123" in text
    assert r"{\scriptsize 0.1--0.9}" in text


def test_many_narrow_columns_are_in_the_smallest_print():
    narrow = [Column(f"C{n}") for n in range(6)]
    assert layout(table(*narrow)).size == "small"
    assert layout(table(*narrow, Column("D")))[1:] == (False, "footnotesize")
    assert layout(table(Column("long " * 12), *narrow[:2])).size == "small"


def test_page_has_room_for_the_rows_beside_headings_caption_and_notes():
    columns = (Column("Model"), *(Column(f"C{n}") for n in range(7)))
    row = tuple(Cell("0.1") for _ in columns)
    sections = (Section((row,), "First"), Section((row,)), Section((row,)))
    note = (None, "o" * 100)  # two lines of a page's text
    page = Table("t", "o" * 90, columns, sections, (note,))  # and as many of the caption
    # (540 - 2 · 9.5 - 2 · 12 - 36 - 17 - 2 · 9.5 ÷ 2) ÷ 9.5 = 45.7; half as high, 2.2 lines a row
    columns = layout(page)
    assert rows_per_page(replace(page, rows_per_page=99), columns) == 45
    # (497 ÷ 2 - 36 - 17 - 9.5) ÷ (2.2 · 9.5) = 8.9
    halves = columns._replace(blocks=columns.blocks * 2, folded=True)
    assert rows_per_page(page, halves) == 8
    assert rows_per_page(page, columns._replace(blocks=columns.blocks * 9)) == 5
    assert rows_per_page(replace(page, rows_per_page=4), columns) == 4


def test_long_heading_has_a_line_a_word():
    long = table(Column("Effective context length"))
    lines = heading_lines(long, layout(long).blocks[0][1])
    assert lines == ["Effective", "context", "length"]


def test_table_wider_than_the_page_has_several_blocks_with_labels():
    wide = table(*(Column(f"C{n}", f"Group {n // 4}") for n in range(24)))
    columns = layout(wide)
    assert not columns.folded
    first, second = columns.blocks
    assert first[0].value == second[0].value == 0
    assert [column.value for column in first[1:] + second[1:]] == list(range(1, 25))
    assert max(_width(wide, first), _width(wide, second)) <= PAGE_WIDTH
    assert latex.render(wide).count(r"\begin{tabular}") == 2


def test_notes_have_three_lines_on_marks_sampling_and_data():
    notes = (
        ("data", "IFEval: synthetic."),
        ("sampling", "Sampling units: 9 contexts."),
        (None, "Bold: best."),
        ("dagger", "Prompt truncated."),
        ("data", "IFEval: synthetic."),
    )
    assert Table("t", "Caption.", (), (), notes).with_merged_notes().notes == (
        (None, "Bold: best. † Prompt truncated."),
        (None, "Sampling units: 9 contexts."),
        (None, "IFEval: synthetic."),
    )
