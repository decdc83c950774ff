"""JSON files: errors name file and line, and files are replaced as a whole or not at all."""

import errno
import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base import files
from steadfast.base.errors import UserError
from steadfast.base.files import canonical_json, json_line, read_json, read_jsonl, write_jsonl

TEXTS = st.text(st.characters(exclude_categories=()))  # lone surrogates too
RECORDS = st.lists(st.dictionaries(TEXTS, TEXTS | st.integers() | st.none()))
NUMBERS = (st.floats() | st.integers()).map(json.dumps)  # NaN and Infinity too
SPELLINGS = st.from_regex(
    r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", fullmatch=True
)


@given(RECORDS)
def test_written_records_are_read_unchanged(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("files") / "records.jsonl"
    write_jsonl(path, records)
    assert list(read_jsonl(path)) == records


@given(NUMBERS | SPELLINGS)
def test_number_is_read_as_python_reads_it(tmp_path_factory, number):
    path = tmp_path_factory.mktemp("files") / "records.jsonl"
    path.write_text(f'{{"a": {number}}}\n')
    (record,) = read_jsonl(path)
    assert repr(record["a"]) == repr(json.loads(number))


@given(st.dictionaries(TEXTS, TEXTS))
def test_record_is_one_line_of_utf8(record):
    line = json_line(record)
    assert line.encode("utf-8").count(b"\n") == 1
    assert json.loads(line) == record


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}\n{"a": \n', r"records\.jsonl:2: corrupt JSON line"),
        ("[1]\n", r"records\.jsonl:1: a JSON object was expected, not list"),
        ("[" * 100_000, r"records\.jsonl:1: corrupt JSON line"),
        ("9" * 5_000, r"records\.jsonl:1: corrupt JSON line"),
    ],
    ids=["incomplete", "list", "deep", "long number"],
)
def test_invalid_line_is_reported_with_file_and_number(tmp_path, text, message):
    path = tmp_path / "records.jsonl"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        list(read_jsonl(path))


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5_000], ids=["deep", "long number"])
def test_json_that_python_cannot_parse_is_reported(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(UserError, match=r"a.json"):
        read_json(tmp_path / "a.json")


def test_missing_file_is_reported(tmp_path):
    with pytest.raises(UserError, match=r"nothing\.json: no such file"):
        read_json(tmp_path / "nothing.json")


@pytest.mark.parametrize(
    "error",
    [RuntimeError("source.jsonl"), OSError(errno.EIO, "Input/output error", "source.jsonl")],
    ids=["error", "system error"],
)
def test_failed_write_leaves_the_older_file_alone(tmp_path, error):
    path = tmp_path / "records.jsonl"
    write_jsonl(path, [{"a": 1}])

    def failing_records():
        yield {"a": 2}
        raise error

    with pytest.raises(type(error), match=r"source\.jsonl"):  # not the file that is written
        write_jsonl(path, failing_records())
    assert list(read_jsonl(path)) == [{"a": 1}]
    assert list(tmp_path.iterdir()) == [path]


def test_records_are_written_one_at_a_time(tmp_path):
    path = tmp_path / "records.jsonl"
    tracemalloc.start()
    try:
        write_jsonl(path, ({"text": "word " * 20_000} for _ in range(100)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert path.stat().st_size > 10**7 > 5 * peak


def test_canonical_json_is_equal_for_equal_values():
    assert canonical_json({"b": 1, "a": "é"}) == canonical_json({"a": "é", "b": 1})


WRITER = """
import sys, time
from pathlib import Path
from steadfast.base.files import partial_folder, atomic_writer

with atomic_writer(Path("out.txt")) as out, partial_folder(Path("made")) as folder:
    out.write(b"half")
    (folder / "files").mkdir()
    print("ready", flush=True)
    time.sleep(60)
"""


def test_partial_files_are_removed_once_their_writer_is_dead(tmp_path):
    command = [sys.executable, "-c", WRITER]
    environment = {**os.environ, "PYTHONPATH": str(Path(files.__file__).parents[2])}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"ready\n"
        partials = sorted(tmp_path.rglob(f".*{files.PARTIAL}"))
        assert [path.name.split(".")[1] for path in partials] == ["made", "out"]
        files.remove_partials(partials)
        assert sorted(tmp_path.iterdir()) == partials
        writer.kill()
    files.remove_partials(partials)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("target", ["mine.txt", "folder"])
def test_link_named_like_a_partial_file_is_removed_without_its_target(tmp_path, target):
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "mine.txt", tmp_path / "folder/mine.txt"):
        path.write_text("mine")
    link = tmp_path / ".a.1.partial"
    link.symlink_to(target)
    files.remove_partials([link])
    paths = [tmp_path / name for name in ("folder", "folder/mine.txt", "mine.txt")]
    assert sorted(tmp_path.rglob("*")) == paths
    assert [path.read_text() for path in paths[1:]] == ["mine", "mine"]
