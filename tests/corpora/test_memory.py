"""A corpus is made record by record, unless its file is one list in JSON."""

import csv
import json
import tracemalloc
from pathlib import Path
from zipfile import ZipFile

import pytest

from steadfast.base.files import read_jsonl
from steadfast.stages.make_data import make_data

TEXTS = [f"{number} " + ("a" * 999 + " ") * 100 for number in range(100)]


def write_jsonl(path: Path) -> None:
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))


def write_csv(path: Path) -> None:
    with open(path, "w", newline="") as out:
        csv.writer(out).writerows([["text"], *([text] for text in TEXTS)])


def write_zip(path: Path) -> None:
    write_jsonl(path.with_suffix(".lines"))
    with ZipFile(path, "w") as archive:
        archive.write(path.with_suffix(".lines"), "data.jsonl")


WRITERS = {"jsonl": write_jsonl, "csv": write_csv, "zip": write_zip}


@pytest.mark.quick(1)
@pytest.mark.parametrize("suffix", WRITERS)
def test_a_corpus_takes_far_less_memory_than_its_text(tmp_path, suffix):
    WRITERS[suffix](tmp_path / f"data.{suffix}")
    settings = {
        "corpus": "xsum",
        "directory": str(tmp_path),
        "glob": f"*.{suffix}",
        "fields": {"text": "text"},
    }
    out = tmp_path / "made/xsum.jsonl"
    tracemalloc.start()
    try:
        make_data(("steadfast.corpora.local:corpus", settings), {}, out)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [record["text"] for record in read_jsonl(out)] == TEXTS
    assert peak < 2 * 10**6 < sum(map(len, TEXTS)) / 4
