"""A corpus is made record by record, unless its file is one list in JSON."""

import tracemalloc

import pytest

from corpus_formats import csv_file, json_lines, zip_file
from steadfast.base.files import read_jsonl
from steadfast.stages.make_data import make_data

RECORDS = [{"text": f"{number} " + ("a" * 999 + " ") * 100} for number in range(100)]
FILES = {
    "jsonl": json_lines(*RECORDS),
    "csv": csv_file(*RECORDS),
    "zip": zip_file({"data.jsonl": json_lines(*RECORDS)}),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("suffix", FILES)
def test_corpus_takes_less_memory_than_its_text(tmp_path, suffix):
    (tmp_path / f"data.{suffix}").write_bytes(FILES[suffix])
    settings = {"corpus": "xsum", "directory": str(tmp_path), "fields": {"text": "text"}}
    settings["glob"] = f"*.{suffix}"
    out = tmp_path / "made/xsum.jsonl"
    tracemalloc.start()
    try:
        make_data(("steadfast.corpora.local:corpus", settings), {}, out)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    texts = [record["text"] for record in read_jsonl(out)]
    assert texts == [record["text"] for record in RECORDS]
    assert peak < 2 * 10**6 < sum(map(len, texts)) / 4
