"""All benchmarks' tables in one folder."""

import shutil
from collections.abc import Iterable
from pathlib import Path


def collect_tables(tables: Iterable[Path], out: Path) -> None:
    """Copies table files into a folder; their names tell the benchmarks apart."""
    out.mkdir(parents=True, exist_ok=True)
    for table in tables:
        shutil.copyfile(table, out / table.name)
