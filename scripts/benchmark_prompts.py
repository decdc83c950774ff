"""Rule benchmark_prompts: what a judged benchmark asks of the models."""

from pathlib import Path

from steadfast.registry import as_paths, benchmark
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        benchmark(snakemake.wildcards.benchmark).write_prompts,
        snakemake.log,
        part=snakemake.wildcards.part,
        sources=as_paths(snakemake.params.sources),
        out=Path(snakemake.output.prompts),
    )
