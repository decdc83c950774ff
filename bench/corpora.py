"""Time and memory of making a corpus from the user's files, by format and size.

Run as ``PYTHONPATH=scripts:tests/engines python bench/corpora.py [MB ...]``. Each corpus is
made as the rule does it, in a process of its own. In memory are the records' ids and fingerprints;
for Parquet also pyarrow and a row group, here of 1,000 records. On Linux.
"""

import argparse
import json
import multiprocessing
import random
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path

from contexts import measured

from steadfast.base.files import Record, write_jsonl, write_rows
from steadfast.contract.components import Component

FIELDS = ("id", "title", "text")
STRINGS = 600
"""Words of a text."""
GROUP = 1000
"""Records of a row group."""


def records(megabytes: int) -> Iterator[Record]:
    """Records whose texts have so many million characters in all."""
    rng = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(5000)]
    written = number = 0
    while written < megabytes * 10**6:
        text = " ".join(rng.choices(words, k=STRINGS))
        yield dict(zip(FIELDS, (str(number), f"Title {number}", text), strict=True))
        written = written + len(text)
        number = number + 1


def write_json(path: Path, rows: Iterator[Record]) -> None:
    """As one list."""
    with open(path, "w") as out:
        for number, row in enumerate(rows):
            out.write(("," if number else "[") + json.dumps(row))
        out.write("]")


def write_csv(path: Path, rows: Iterator[Record]) -> None:
    """With the names of the fields in the first line."""
    write_rows(path, FIELDS, rows)


def write_parquet(path: Path, rows: Iterator[Record]) -> None:
    """In row groups."""
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([(field, pyarrow.string()) for field in FIELDS])
    with parquet.ParquetWriter(path, schema) as writer:
        while group := list(islice(rows, GROUP)):
            writer.write_table(pyarrow.Table.from_pylist(group, schema))


FORMATS: dict[str, Callable[[Path, Iterator[Record]], None]] = {
    "jsonl": write_jsonl,
    "json": write_json,
    "csv": write_csv,
    "parquet": write_parquet,
}


def main(sizes: list[int]) -> None:
    """Print a row for each format and size."""
    row = "{:10}{:>12}{:>12}{:>14}"
    spawned = multiprocessing.get_context("spawn")
    print(row.format("format", "MB of text", "CPU seconds", "MB of memory"))
    for name, write in FORMATS.items():
        for size in sizes:
            with (
                tempfile.TemporaryDirectory() as folder,
                ProcessPoolExecutor(1, spawned, max_tasks_per_child=1) as apart,
            ):
                write(Path(folder) / f"data.{name}", records(size))
                settings = {
                    "corpus": "xsum",
                    "directory": folder,
                    "glob": "data.*",
                    "fields": {field: field for field in FIELDS},
                }
                content = Component[object]("steadfast.corpora.local:corpus", settings).plain
                out = Path(folder) / "made.jsonl"
                seconds, peak = apart.submit(measured, content, {}, out).result()
            print(row.format(name, size, f"{seconds:.1f}", peak), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[100, 300], metavar="MB")
    main(parser.parse_args().sizes)
