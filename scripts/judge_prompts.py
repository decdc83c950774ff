"""Rule judge_prompts: what is asked of a judge about one model's answers."""

from pathlib import Path

from steadfast.registry import as_paths, benchmark
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        benchmark(snakemake.wildcards.benchmark).write_judge_prompts,
        snakemake.log,
        part=snakemake.wildcards.part,
        prompts=Path(snakemake.input.prompts),
        sources=as_paths(snakemake.params.sources),
        outputs=Path(snakemake.input.outputs),
        templates={name: Path(path) for name, path in snakemake.params.templates.items()},
        settings=snakemake.params.settings,
        out=Path(snakemake.output.judging),
    )
