"""The tables of all benchmarks in one folder."""

from steadfast.tables.collect import DOCUMENT, collect_tables


def test_tables_are_copied_and_a_document_shows_them_in_order(tmp_path):
    files = [tmp_path / "a" / "t2.tex", tmp_path / "a" / "t2.csv", tmp_path / "b" / "t1.tex"]
    for path in files:
        path.parent.mkdir(exist_ok=True)
        path.write_text(path.name)
    collect_tables(files, tmp_path / "all")
    names = sorted(path.name for path in (tmp_path / "all").iterdir())
    assert names == [DOCUMENT, "t1.tex", "t2.csv", "t2.tex"]
    assert (tmp_path / "all/t2.csv").read_text() == "t2.csv"
    text = (tmp_path / "all" / DOCUMENT).read_text()
    assert text.index(r"\input{t2.tex}") < text.index(r"\input{t1.tex}")
