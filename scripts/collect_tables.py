"""Rule tables: the tables of all benchmarks in one folder."""

from pathlib import Path

from steadfast.stages.collect import collect_tables
from steadfast.workflow.script import paths, run_rule

if "snakemake" in globals():
    run_rule(
        collect_tables,
        snakemake,
        tables=paths(snakemake.input.tables),
        out=Path(snakemake.output[0]),
    )
