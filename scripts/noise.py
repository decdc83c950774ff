"""Rule noise_part: how much one model's answers to one part differ by themselves."""

from pathlib import Path

from steadfast.contract.part_files import PartFiles
from steadfast.stages.measure_noise import measure_noise
from steadfast.workflow.script import run_rule

if "snakemake" in globals():
    operation = snakemake.config["models"][snakemake.wildcards.model]
    out = Path(snakemake.output.csv)
    run_rule(
        measure_noise,
        snakemake,
        engines=[operation],
        benchmark=snakemake.wildcards.benchmark,
        model=snakemake.wildcards.model,
        answers=snakemake.params.answers,
        operation=operation,
        noise=snakemake.params.noise,
        seed=snakemake.params.seed,
        part=PartFiles.of(snakemake),
        scoring=snakemake.params.scoring,
        stand_in=snakemake.params.stand_in,
        results=out.parents[3],
        out_csv=out,
        out_md=Path(snakemake.output.md),
        log=Path(snakemake.log[0]),
        asked=snakemake.params.asked,
    )
