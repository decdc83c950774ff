"""Rules {benchmark}_tables: the tables of a judged benchmark."""

from pathlib import Path

from steadfast.registry import benchmark
from steadfast.workflow import run_rule

if "snakemake" in globals():
    chosen = benchmark(snakemake.params.benchmark)
    run_rule(
        chosen.build_tables,
        snakemake.log,
        metrics=dict(zip(chosen.METRICS, map(Path, snakemake.input.metrics), strict=True)),
        display=snakemake.params.display,
        settings=snakemake.params.settings,
        out_dir=Path(snakemake.output[0]).parent,
    )
