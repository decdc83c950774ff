"""Rules tables and collect_tables: a benchmark's tables from its metrics; all tables together."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steadfast.components import component
from steadfast.files import Settings, write_text
from steadfast.metrics.tidy import read_csv
from steadfast.show.display import Display
from steadfast.tables import latex
from steadfast.tables.render import write_table
from steadfast.tables.table import Table

DOCUMENT = "all_tables.tex"


def tabulate(
    tables: Sequence[Any],
    metrics: Mapping[str, Path],
    display: Settings,
    out_dir: Path,
    asked: str = "",
) -> None:
    """Writes a benchmark's tables as .tex, .md and .csv.

    Args:
        tables: the benchmark's function of frames and display, and its settings.
        metrics: file of each metric.
        display: as ``Display.of`` takes it.
        out_dir: directory for the files.
        asked: a sentence about the text that was asked, for the notes of every table.

    Raises:
        UserError: a file is missing or damaged.
    """
    frames = {name: read_csv(path) for name, path in metrics.items()}
    shown = Display.of(display)
    for table in component(tables).make(frames, shown):
        table = table.about([asked]) if isinstance(table, Table) else table
        write_table(table, out_dir, shown.trial)


def collect_tables(tables: Sequence[Path], out: Path) -> None:
    """Copies table files into a folder; their names tell the benchmarks apart.

    ``all_tables.tex`` is a document of its own that inputs each table, in the order given.
    """
    out.mkdir(parents=True, exist_ok=True)
    for table in tables:
        shutil.copyfile(table, out / table.name)
    names = [table.stem for table in tables if table.suffix == ".tex"]
    write_text(out / DOCUMENT, latex.document(names))
