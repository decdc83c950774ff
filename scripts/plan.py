"""Rule plan_benchmark: what every model and part would take."""

from pathlib import Path

from steadfast.planning import write_plan
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        write_plan,
        snakemake.log,
        benchmark_name=snakemake.wildcards.benchmark,
        models=snakemake.params.models,
        parts=snakemake.params.parts,
        prompts=[Path(path) for path in snakemake.input.prompts],
        judging=snakemake.params.judging,
        out_md=Path(snakemake.output.md),
        out_csv=Path(snakemake.output.csv),
        out_prompts=Path(snakemake.output.prompts),
    )
