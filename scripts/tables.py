"""Rule tables: the tables of all benchmarks in one folder."""

from pathlib import Path

from steadfast.tables.collect import collect_tables
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        collect_tables,
        snakemake.log,
        tables=[Path(path) for path in snakemake.input.tables],
        out=Path(snakemake.output[0]),
    )
