"""Tables in Markdown, as they are written."""

from steadfast.base.markdown import markdown_table

ROWS = [["lifbench", 1], ["cf", 250]]


def test_columns_are_padded_aligned_or_plain():
    assert markdown_table(["name", "n"], ROWS).splitlines() == [
        "| name     | n   |",
        "|----------|-----|",
        "| lifbench | 1   |",
        "| cf       | 250 |",
    ]
    assert markdown_table(["name", "n", "m"], [["a", 1, 2.50]], "lrc").splitlines() == [
        "| name   |   n |  m  |",
        "|:-------|----:|:---:|",
        "| a      |   1 | 2.5 |",
    ]
    assert markdown_table(["name", "n"], iter(ROWS), padded=False).splitlines() == [
        "| name | n |",
        "|---|---|",
        "| lifbench | 1 |",
        "| cf | 250 |",
    ]


def test_a_table_without_rows_has_its_head_and_texts_like_numbers_stay():
    for align in ("", "lr"):
        head, rule = markdown_table(["name", "n"], iter(()), align).splitlines()
        assert head.split() == ["|", "name", "|", "n", "|"]
        assert set(rule) <= set("|-:")
    assert "| 007 |" in markdown_table(["code"], [["007"]], padded=False)
    assert "| 1e5    |" in markdown_table(["code"], [["1e5"]])
