"""Records are read with the place of a mistake, and replaced whole or not at all."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.errors import UserError
from steadfast.files import canonical_json, json_line, read_json, read_jsonl, write_jsonl

text = st.text(st.characters(exclude_categories=()))  # lone surrogates too
records = st.lists(st.dictionaries(text, text | st.integers() | st.none()))


@given(records)
def test_what_is_written_is_read(tmp_path_factory, written):
    path = tmp_path_factory.mktemp("files") / "records.jsonl"
    write_jsonl(path, written)
    assert list(read_jsonl(path)) == written


@given(st.dictionaries(text, text))
def test_a_line_is_one_line_of_utf8(record):
    line = json_line(record)
    assert line.encode("utf-8").count(b"\n") == 1
    assert json.loads(line) == record


def test_a_corrupt_line_is_named(tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(UserError, match=r"records\.jsonl:2: corrupt JSON line"):
        list(read_jsonl(path))


def test_a_line_that_is_no_object_is_named(tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_text("[1]\n")
    with pytest.raises(UserError, match=r"records\.jsonl:1: a JSON object was expected, not list"):
        list(read_jsonl(path))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"nothing\.json: no such file"):
        read_json(tmp_path / "nothing.json")


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "records.jsonl"
    write_jsonl(path, [{"a": 1}])

    def broken():
        yield {"a": 2}
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_jsonl(path, broken())
    assert list(read_jsonl(path)) == [{"a": 1}]
    assert list(tmp_path.iterdir()) == [path]


def test_equal_values_have_one_spelling():
    assert canonical_json({"b": 1, "a": "é"}) == canonical_json({"a": "é", "b": 1})
