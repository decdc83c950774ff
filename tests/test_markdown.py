"""Tables in Markdown, as they are written."""

from steadfast.base.markdown import markdown_table

ROWS = [["lifbench", 1], ["cf", 250]]


def test_columns_are_equally_wide_as_plain_text():
    assert markdown_table(["name", "n"], ROWS).splitlines() == [
        "| name     | n   |",
        "|----------|-----|",
        "| lifbench | 1   |",
        "| cf       | 250 |",
    ]


def test_each_column_stands_as_it_is_told():
    assert markdown_table(["name", "n", "m"], [["a", 1, 2.50]], "lrc").splitlines() == [
        "| name   |   n |  m  |",
        "|:-------|----:|:---:|",
        "| a      |   1 | 2.5 |",
    ]


def test_long_cells_do_not_widen_the_others():
    assert markdown_table(["name", "n"], iter(ROWS), padded=False).splitlines() == [
        "| name | n |",
        "|---|---|",
        "| lifbench | 1 |",
        "| cf | 250 |",
    ]


def test_a_table_without_rows_has_its_head():
    for align in ("", "lr"):
        head, rule = markdown_table(["name", "n"], iter(()), align).splitlines()
        assert head.split() == ["|", "name", "|", "n", "|"]
        assert set(rule) <= set("|-:")


def test_texts_that_look_like_numbers_stay_as_they_are():
    assert "| 007 |" in markdown_table(["code"], [["007"]], padded=False)
    assert "| 1e5    |" in markdown_table(["code"], [["1e5"]])
