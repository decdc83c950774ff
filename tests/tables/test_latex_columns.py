"""Which columns of a table in LaTeX stand side by side, and its notes in three lines."""

from steadfast.show import latex
from steadfast.show.latex_columns import PAGE_WIDTH, _width, heading_lines, layout
from steadfast.show.table import Cell, Column, Section, Table


def table(*columns: Column, text: str = "0.123") -> Table:
    cells = (Cell("0.1 to 0.9" if "95 %" in c.heading else text) for c in columns)
    head = Column("Model", align="l")
    return Table("t", "Caption.", (head, *columns), (Section(((Cell("a"), *cells),)),))


def pairs(count: int) -> list[Column]:
    headings = [heading for n in range(count) for heading in (f"M{n}", f"M{n}: 95 %")]
    return [Column(heading, f"Group {heading[1]}") for heading in headings]


def test_intervals_stand_beside_or_below_the_values_by_the_table_s_width():
    narrow = table(*pairs(2))
    found = layout(narrow)
    assert (len(found.blocks), found.folded, found.size) == (1, False, "small")
    assert "0.123 & 0.1 to 0.9" in latex.render(narrow)
    wide = table(*pairs(7))
    found = layout(wide)
    assert (len(found.blocks), found.folded, found.size) == (1, True, "footnotesize")
    page = latex.render(wide)
    assert r"a & 0.123 & 0.123" in page and r"{\scriptsize 0.1--0.9}" in page
    long = table(Column("Effective context length"))
    assert heading_lines(long, layout(long).blocks[0][1]) == ["Effective", "context", "length"]


def test_a_table_that_is_wider_still_has_several_blocks_with_the_labels_in_each():
    wide = table(*(Column(f"C{n}", f"Group {n // 4}") for n in range(24)))
    found = layout(wide)
    assert len(found.blocks) == 2 and not found.folded
    assert [block[0].value for block in found.blocks] == [0, 0]
    shown = [place.value for block in found.blocks for place in block[1:]]
    assert shown == list(range(1, 25))
    assert all(_width(wide, block) <= PAGE_WIDTH for block in found.blocks)
    assert latex.render(wide).count(r"\begin{tabular}") == 2


def test_notes_are_in_three_lines_on_marks_sampling_and_data():
    notes = (
        ("data", "IFEval: synthetic."),
        ("sampling", "Sampling units: 9 contexts."),
        (None, "Bold: best."),
        ("dagger", "Prompt truncated."),
        ("data", "IFEval: synthetic."),
    )
    found = Table("t", "Caption.", (), (), notes).in_lines().notes
    assert found == (
        (None, "Bold: best. † Prompt truncated."),
        (None, "Sampling units: 9 contexts."),
        (None, "IFEval: synthetic."),
    )
