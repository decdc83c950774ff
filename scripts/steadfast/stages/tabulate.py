"""Rules {benchmark}_tables: a benchmark's tables from its metrics."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steadfast.base.files import Settings
from steadfast.contract.components import component
from steadfast.show.render import write_table
from steadfast.show.roster import Display
from steadfast.show.table import Table
from steadfast.stats.tidy import read_csv
from steadfast.workflow.script import paths, run_rule


def tabulate(
    tables: Sequence[Any],
    metrics: Mapping[str, Path],
    display: Settings,
    out_dir: Path,
    data_notes: Sequence[str] = (),
) -> None:
    """Writes a benchmark's tables as .tex, .md and .csv, each with remarks on its data."""
    frames = {name: read_csv(path) for name, path in metrics.items()}
    display_settings = Display.of(display)
    for table in component(tables).make(frames, display_settings):
        if isinstance(table, Table):  # else a printed page, which has its own notes
            table = display_settings.with_remarks(table, data_notes)
        write_table(table, out_dir)


if job := globals().get("snakemake"):
    run_rule(
        tabulate,
        job,
        out_dir=Path(job.output.tables[0]).parent,
        metrics=dict(zip(job.params.metrics, paths(job.input.metrics), strict=True)),
    )
