"""Rule tables: the tables of all benchmarks together."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from steadfast.base.files import write_text
from steadfast.show import latex
from steadfast.workflow.script import paths, run_rule

DOCUMENT = "all_tables.tex"


def collect_tables(tables: Sequence[Path], out: Path) -> None:
    """Copies table files into a folder; ``all_tables.tex`` inputs each, in the order given."""
    out.mkdir(parents=True, exist_ok=True)
    for table in tables:
        shutil.copyfile(table, out / table.name)
    names = [table.stem for table in tables if table.suffix == ".tex"]
    write_text(out / DOCUMENT, latex.document(names))


if job := globals().get("snakemake"):
    run_rule(
        collect_tables,
        job,
        tables=paths(job.input.tables),
        out=Path(job.output[0]),
    )
