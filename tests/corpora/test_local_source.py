"""A directory of one's own as a source."""

import json
import os
from pathlib import Path

import pytest

from steadfast.base.errors import UserError
from steadfast.corpora import local

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT / os.environ.get("STEADFAST_CORPORA", "../shared/corpora")
RECORDS = {"alpaca": 52_002, "paul_graham": 228, "govreport": 499, "xsum": 1_697, "qmsum": 232}


def write(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def build(root, **source):
    defaults = {"directory": str(root), "glob": "*/*.jsonl", "fields": {"text": "body"}}
    return list(local.corpus({}, "xsum", **defaults | source))


def refusal(root, **source):
    with pytest.raises(UserError) as caught:
        build(root, **source)
    return str(caught.value)


def texts(records):
    return [record["text"] for record in records]


def test_the_field_map_names_the_source_fields(tmp_path):
    write(tmp_path / "a/1.jsonl", {"body": "One.", "head": "T", "when": "May 2004", "key": "k"})
    fields = {"text": "body", "title": "head", "date": "when", "id": "key"}
    assert build(tmp_path, fields=fields) == [
        {"id": "k", "title": "T", "date": "May 2004", "text": "One."}
    ]


def test_titles_dates_and_ids_become_strings_and_missing_ids_are_numbered(tmp_path):
    write(tmp_path / "a/1.jsonl", {"body": "One.", "n": 12}, {"body": "Two.", "n": None})
    first, second = build(tmp_path, fields={"text": "body", "title": "n", "date": "n", "id": "n"})
    assert first == {"id": "12", "title": "12", "date": "12", "text": "One."}
    assert second == {"id": "xsum-000001", "title": None, "date": None, "text": "Two."}


def test_files_are_read_in_the_order_of_their_names(tmp_path):
    for name in ("b", "a", "c"):
        write(tmp_path / f"x/{name}.jsonl", {"body": name})
    assert texts(build(tmp_path)) == ["a", "b", "c"]


def test_a_json_list_is_read(tmp_path):
    (tmp_path / "list.json").write_text('[{"body": "One."}, {"body": "Two."}]')
    assert texts(build(tmp_path, glob="list.json")) == ["One.", "Two."]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"text": "One."},\n {"text": }]', "data.json:2: not valid JSON (Expecting value"),
        ('[{"text": "One."}', "data.json:1: not valid JSON (Expecting ',' delimiter"),
        ('[{"text": "One."}] []', "data.json:1: not valid JSON (Extra data"),
        ('"One."', "a list of records was expected, not str"),
        ('[{"text": "One."}, "Two."]', "record 2: a JSON object was expected, not str"),
        ('[{"text": ' + "1" * 5000 + "}]", "data.json: not valid JSON (Exceeds the limit (4300"),
        ("[" * 10**5, "data.json: not valid JSON (maximum recursion depth"),
        ("", "data.json:1: not valid JSON"),
    ],
)
def test_a_file_that_holds_no_list_of_records_is_one_sentence(tmp_path, text, said):
    (tmp_path / "data.json").write_text(text)
    with pytest.raises(UserError) as caught:
        build(tmp_path, glob="*.json", fields={"text": "text"})
    assert said in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_a_list(tmp_path):
    (tmp_path / "data.json").write_text('[{"text": "Café."}]', encoding="utf-8-sig")
    (record,) = build(tmp_path, glob="*.json", fields={"text": "text"})
    assert record["text"] == "Café."


def test_blank_and_repeated_texts_are_left_out(tmp_path):
    rows = [{"body": text} for text in ("One.", "", " \n", "Two.", "One.", None)]
    write(tmp_path / "a/1.jsonl", *rows)
    assert texts(build(tmp_path)) == ["One.", "Two."]


def test_ids_that_repeat_are_told_apart(tmp_path):
    write(tmp_path / "a/1.jsonl", *({"body": text, "id": 1} for text in "abc"))
    records = build(tmp_path, fields={"text": "body", "id": "id"})
    assert [record["id"] for record in records] == ["1", "1-2", "1-3"]


def test_a_missing_directory_is_named(tmp_path):
    assert "no such directory" in refusal(tmp_path, directory=str(tmp_path / "gone"))


@pytest.mark.parametrize("glob", ["nothing/*.jsonl", "", "/absolute/*.jsonl"])
def test_a_glob_that_finds_nothing_is_named(tmp_path, glob):
    assert repr(glob) in refusal(tmp_path, glob=glob)


def test_a_missing_field_is_named_with_its_line_and_the_fields_there(tmp_path):
    path = write(tmp_path / "a/1.jsonl", {"body": "One.", "n": 1}, {"text": "Two.", "n": 2})
    message = refusal(tmp_path)
    assert f"{path}:2" in message and "needed are body; the record has text, n" in message
    fields = {"text": "body", "title": "head"}
    assert "needed are body, head;" in refusal(tmp_path, fields=fields)


@pytest.mark.parametrize("line", ['{"body": "cut', "[" * 10**5, "[1]", '"text"'])
def test_a_corrupt_line_is_named(tmp_path, line):
    path = write(tmp_path / "a/1.jsonl", {"body": "One."})
    path.write_text(path.read_text() + "\n" + line + "\n")
    assert f"{path}:3" in refusal(tmp_path)


def test_bytes_that_are_not_utf8_are_named(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/1.jsonl").write_bytes('{"body": "café"}'.encode("latin-1"))
    assert "1.jsonl" in refusal(tmp_path)


def test_files_of_another_kind_are_refused(tmp_path):
    (tmp_path / "notes.pdf").write_text("One.")
    assert ".jsonl" in refusal(tmp_path, glob="*.pdf")


def test_an_empty_corpus_is_refused(tmp_path):
    write(tmp_path / "a/1.jsonl", {"body": " "})
    assert "has no text" in refusal(tmp_path)


@pytest.mark.parametrize("corpus", RECORDS)
def test_the_shared_corpora_are_read_with_the_default_fields(corpus):
    if not SHARED.is_dir():
        pytest.skip("no real corpora here; STEADFAST_CORPORA names their directory")
    records = list(local.corpus({}, corpus, directory=str(SHARED)))
    assert len(records) == RECORDS[corpus]
    assert len({record["id"] for record in records}) == len(records)
    assert len(set(texts(records))) == len(records)
    titled = sum(record["title"] is not None for record in records)
    assert titled == (0 if corpus in ("alpaca", "govreport") else len(records))
