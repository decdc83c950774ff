"""Tables in Markdown."""

import pytest

from steadfast.base.markdown import markdown_table

ROWS = [["lifbench", 1], ["cf", 250]]
PADDED = """\
| name     | n   |
|----------|-----|
| lifbench | 1   |
| cf       | 250 |"""
PLAIN = """\
| name | n |
|---|---|
| lifbench | 1 |
| cf | 250 |"""
ALIGNED = """\
| name   |   n |  m  |
|:-------|----:|:---:|
| a      |   1 | 2.5 |"""


def test_columns_are_padded_plain_or_aligned():
    assert markdown_table(["name", "n"], ROWS) == PADDED
    assert markdown_table(["name", "n"], iter(ROWS), padded=False) == PLAIN
    assert markdown_table(["name", "n", "m"], [["a", 1, 2.50]], "lrc") == ALIGNED


@pytest.mark.parametrize("align", ["", "lr"])
def test_table_without_rows_has_its_head(align):
    head, rule = markdown_table(["name", "n"], iter(()), align).splitlines()
    assert head.split() == ["|", "name", "|", "n", "|"]
    assert set(rule) <= set("|-:")


def test_text_that_looks_like_a_number_is_unchanged():
    assert "| 007 |" in markdown_table(["code"], [["007"]], padded=False)
    assert "| 1e5    |" in markdown_table(["code"], [["1e5"]])
