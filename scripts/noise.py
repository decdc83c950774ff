"""Rule noise_part: how much one model's answers to one part differ by themselves."""

from pathlib import Path

from steadfast.noise import measure_noise
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        measure_noise,
        snakemake.log,
        benchmark_name=snakemake.wildcards.benchmark,
        model=snakemake.wildcards.model,
        part=snakemake.wildcards.part,
        answers=snakemake.params.answers,
        noise=snakemake.params.noise,
        seed=snakemake.params.seed,
        scoring=snakemake.params.scoring,
        raw_config=snakemake.config,
        prompts=Path(snakemake.input.prompts),
        sources=snakemake.params.sources,
        out_csv=Path(snakemake.output.csv),
        out_md=Path(snakemake.output.md),
        log=Path(snakemake.log[0]),
    )
