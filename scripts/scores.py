"""Rule scores: one model's responses to one part, scored."""

from pathlib import Path

from steadfast.registry import as_paths, benchmark
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        benchmark(snakemake.wildcards.benchmark).score_part,
        snakemake.log,
        part=snakemake.wildcards.part,
        settings=snakemake.params.settings,
        prompts=Path(snakemake.input.prompts),
        sources=as_paths(snakemake.params.sources),
        outputs=Path(snakemake.input.outputs),
        out=Path(snakemake.output.scores),
        verdicts=dict(
            zip(snakemake.params.judges, map(Path, snakemake.input.verdicts), strict=True)
        ),
    )
