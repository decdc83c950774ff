"""Rules {benchmark}_tables: the tables of a benchmark."""

from pathlib import Path

from steadfast.stages.tabulate import tabulate
from steadfast.workflow import paths, run_rule

if "snakemake" in globals():
    run_rule(
        tabulate,
        snakemake.log,
        tables=snakemake.params.tables,
        metrics=dict(zip(snakemake.params.metrics, paths(snakemake.input.metrics), strict=True)),
        display=snakemake.params.display,
        out_dir=Path(snakemake.output.tables[0]).parent,
    )
