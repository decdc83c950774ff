"""Rule benchmark_data: the data of a judged benchmark in one language."""

from pathlib import Path

from steadfast.registry import benchmark
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        benchmark(snakemake.wildcards.benchmark).write_data,
        snakemake.log,
        settings=snakemake.params.settings,
        language=snakemake.wildcards.language,
        out=Path(snakemake.output.data),
    )
