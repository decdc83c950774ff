"""Records are read with the place of a mistake, and replaced whole or not at all."""

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

text = st.text(st.characters(exclude_categories=()))  # lone surrogates too
records = st.lists(st.dictionaries(text, text | st.integers() | st.none()))


@given(records)
def test_what_is_written_is_read(tmp_path_factory, written):
    path = tmp_path_factory.mktemp("files") / "records.jsonl"
    write_jsonl(path, written)
    assert list(read_jsonl(path)) == written


NUMBERS = (st.floats() | st.integers()).map(json.dumps)  # NaN and Infinity too
SPELLINGS = st.from_regex(
    r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", fullmatch=True
)


@given(NUMBERS | SPELLINGS)
def test_a_number_is_read_as_python_reads_it(tmp_path_factory, number):
    path = tmp_path_factory.mktemp("files") / "records.jsonl"
    path.write_text(f'{{"a": {number}}}\n')
    assert [repr(record["a"]) for record in read_jsonl(path)] == [repr(json.loads(number))]


@given(st.dictionaries(text, text))
def test_a_line_is_one_line_of_utf8(record):
    line = json_line(record)
    assert line.encode("utf-8").count(b"\n") == 1
    assert json.loads(line) == record


def test_a_mistake_in_a_file_is_named_with_its_place(tmp_path):
    path = tmp_path / "records.jsonl"
    path.write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(UserError, match=r"records\.jsonl:2: corrupt JSON line"):
        list(read_jsonl(path))
    path = tmp_path / "records.jsonl"
    path.write_text("[1]\n")
    with pytest.raises(UserError, match=r"records\.jsonl:1: a JSON object was expected, not list"):
        list(read_jsonl(path))
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


WRITER = """
import sys, time
from pathlib import Path
from steadfast.base.files import partial_folder, replacing

with replacing(Path("out.txt")) as out, partial_folder(Path("made")) as folder:
    out.write(b"half")
    (folder / "files").mkdir()
    print("ready", flush=True)
    time.sleep(60)
"""


def test_what_a_killed_process_left_is_removed_and_what_one_writes_stays(tmp_path):
    command = [sys.executable, "-c", WRITER]
    environment = {**os.environ, "PYTHONPATH": str(Path(files.__file__).parents[2])}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"ready\n"
        left = sorted(tmp_path.rglob(f".*{files.PARTIAL}"))
        assert [path.name.split(".")[1] for path in left] == ["made", "out"]
        files.remove_partials(left)
        assert sorted(tmp_path.iterdir()) == left  # it still writes them
        writer.kill()
    files.remove_partials(left)
    assert list(tmp_path.iterdir()) == []


def test_a_link_that_is_called_like_a_half_written_file_is_removed_itself(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/mine.txt").write_text("mine")
    links = [tmp_path / ".a.1.partial", tmp_path / ".b.1.partial"]
    for link, to in zip(links, ("mine.txt", "folder"), strict=True):
        link.symlink_to(to)
    files.remove_partials(links)
    assert [path.read_text() for path in sorted(tmp_path.rglob("mine.txt"))] == ["mine", "mine"]
    assert sorted(path.name for path in (tmp_path / "folder").iterdir()) == ["mine.txt"]


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5_000], ids=["deep", "long number"])
def test_json_beyond_what_python_reads_is_one_sentence(tmp_path, text):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(UserError, match=r"a.json"):
        files.read_json(tmp_path / "a.json")
    with pytest.raises(UserError, match=r"a.json:1: corrupt JSON line"):
        list(files.read_jsonl(tmp_path / "a.json"))


def test_of_the_records_that_are_written_one_is_in_memory(tmp_path):
    tracemalloc.start()
    try:
        write_jsonl(tmp_path / "records.jsonl", ({"text": "word " * 20_000} for _ in range(100)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (tmp_path / "records.jsonl").stat().st_size > 10**7 > 5 * peak


def test_an_error_while_records_are_read_is_not_said_of_the_file_that_is_written(tmp_path):
    def unreadable():
        yield {"a": 1}
        raise OSError(errno.EIO, "Input/output error", "source.jsonl")

    with pytest.raises(OSError) as failure:
        write_jsonl(tmp_path / "records.jsonl", unreadable())
    assert failure.value.filename == "source.jsonl"
