"""A directory of the user's own files as a source."""

import os
from pathlib import Path

import pytest

from corpus_formats import csv_file, json_lines, parquet_file
from steadfast.base.errors import UserError
from steadfast.corpora import local
from steadfast.corpora.records import deduplicated

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT / os.environ.get("STEADFAST_CORPORA", "../shared/corpora")
RECORDS = {"alpaca": 52_002, "paul_graham": 228, "govreport": 499, "xsum": 1_697, "qmsum": 232}


def write(folder, *records, name="a/1.jsonl"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json_lines(*records))
    return path


def build(folder, **source):
    defaults = {"directory": str(folder), "glob": "*/*.jsonl", "fields": {"text": "body"}}
    return list(local.corpus({}, "xsum", **defaults | source))


def error_message(folder, **source):
    with pytest.raises(UserError) as error:
        build(folder, **source)
    return str(error.value)


def texts(records):
    return [record["text"] for record in records]


def test_field_map_names_the_source_fields(tmp_path):
    write(tmp_path, {"body": "One.", "head": "T", "when": "May 2004", "key": "k"})
    fields = {"text": "body", "title": "head", "date": "when", "id": "key"}
    assert build(tmp_path, fields=fields) == [
        {"id": "k", "title": "T", "date": "May 2004", "text": "One."}
    ]


def test_metadata_becomes_text_and_missing_ids_are_numbered(tmp_path):
    write(tmp_path, {"body": "One.", "n": 12}, {"body": "Two.", "n": None})
    assert build(tmp_path, fields={"text": "body", "title": "n", "date": "n", "id": "n"}) == [
        {"id": "12", "title": "12", "date": "12", "text": "One."},
        {"id": "xsum-000001", "title": None, "date": None, "text": "Two."},
    ]


def test_files_are_read_in_the_order_of_their_names(tmp_path):
    for name in ("b", "a", "c"):
        write(tmp_path, {"body": name}, name=f"x/{name}.jsonl")
    assert texts(build(tmp_path)) == ["a", "b", "c"]


def test_json_list_is_read_also_with_a_byte_order_mark(tmp_path):
    records = '[{"body": "One."}, {"body": "Café."}]'
    for encoding in ("utf-8", "utf-8-sig"):
        (tmp_path / "list.json").write_text(records, encoding=encoding)
        assert texts(build(tmp_path, glob="*.json")) == ["One.", "Café."]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", '[{"body": "One."},\n {"body": }]', "a.json:2: not valid JSON (Expecting value"),
        ("a.json", '[{"body": "One."}', "a.json:1: not valid JSON (Expecting ',' delimiter"),
        ("a.json", '[{"body": "One."}] []', "a.json:1: not valid JSON (Extra data"),
        ("a.json", '"One."', "a list of records was expected, not str"),
        ("a.json", '[{"body": "One."}, "Two."]', "record 2: a JSON object was expected, not str"),
        ("a.json", '[{"body": ' + "1" * 5000, "a.json: not valid JSON (Exceeds the limit (4300"),
        ("a.json", "[" * 10**5, "a.json: not valid JSON (maximum recursion depth"),
        ("a.json", "", "a.json:1: not valid JSON"),
        ("a.jsonl", '{"body": "One."}\n\n{"body": "cut\n', "a.jsonl:3"),
        ("a.jsonl", '{"body": "One."}\n\n' + "[" * 10**5 + "\n", "a.jsonl:3"),
        ("a.jsonl", '{"body": "One."}\n\n[1]\n', "a.jsonl:3"),
        ("a.jsonl", '{"body": "One."}\n\n"text"\n', "a.jsonl:3"),
        ("a.jsonl", '{"body": "caf\xe9"}', "a.jsonl"),  # in Latin-1
        ("a.jsonl", '{"body": " "}\n', "has no text"),
        ("a.pdf", "One.", ".jsonl"),
    ],
)
def test_invalid_file_is_reported(tmp_path, name, content, message):
    (tmp_path / name).write_text(content, encoding="latin-1")
    assert message in error_message(tmp_path, glob="*")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"directory": "gone"}, "no such directory"),
        ({"glob": "nothing/*.jsonl"}, "'nothing/*.jsonl'"),
        ({"glob": ""}, "''"),
        ({"glob": "/absolute/*.jsonl"}, "'/absolute/*.jsonl'"),
    ],
)
def test_source_without_a_file_is_reported(tmp_path, source, message):
    assert message in error_message(tmp_path, **source)


def test_blank_and_repeated_texts_are_left_out(tmp_path):
    write(tmp_path, *({"body": text} for text in ("One.", "", " \n", "Two.", "One.", None)))
    assert texts(build(tmp_path)) == ["One.", "Two."]


def test_corpus_ends_with_its_tokens_or_its_last_record():
    records = [{"id": str(number), "text": f"word{number}"} for number in range(5)]
    for ends, number in (({"tokens": 2}, 2), ({"limit": 3}, 3), ({"tokens": 4, "limit": 3}, 3)):
        assert len(list(deduplicated("xsum", "local", map(dict, records), **ends))) == number


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("a.csv", csv_file({"head": "One."}), "a.csv:2: fields are missing"),
        ("a.parquet", parquet_file({"head": "One."}), "a.parquet: record 1: fields are missing"),
        ("a.json", b'[{"head": "One."}]', "a.json: record 1: fields are missing"),
    ],
)
def test_place_of_a_record_is_its_line_or_number(tmp_path, name, content, place):
    (tmp_path / name).write_bytes(content)
    assert place in error_message(tmp_path, glob="*")


def test_repeated_ids_are_numbered(tmp_path):
    write(tmp_path, *({"body": text, "id": 1} for text in "abc"))
    records = build(tmp_path, fields={"text": "body", "id": "id"})
    assert [record["id"] for record in records] == ["1", "1-2", "1-3"]


def test_missing_field_is_reported_with_its_line_and_the_fields(tmp_path):
    path = write(tmp_path, {"body": "One.", "n": 1}, {"text": "Two.", "n": 2})
    message = error_message(tmp_path)
    assert f"{path}:2" in message
    assert "needed are body; the record has text, n" in message
    fields = {"text": "body", "title": "head"}
    assert "needed are body, head;" in error_message(tmp_path, fields=fields)


@pytest.mark.parametrize("corpus", RECORDS)
def test_shared_corpora_are_read_with_the_default_fields(corpus):
    if not SHARED.is_dir():
        pytest.skip("no real corpora here; STEADFAST_CORPORA names their directory")
    records = list(local.corpus({}, corpus, directory=str(SHARED)))
    assert len(records) == RECORDS[corpus]
    assert len({record["id"] for record in records}) == len(records)
    assert len(set(texts(records))) == len(records)
    titles = sum(record["title"] is not None for record in records)
    assert titles == (0 if corpus in ("alpaca", "govreport") else len(records))
