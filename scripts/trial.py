"""Rule trial_prompts: a few of a part's prompts."""

from pathlib import Path

from steadfast.stages.choose_prompts import choose_prompts
from steadfast.workflow.script import run_rule

if "snakemake" in globals():
    run_rule(
        choose_prompts,
        snakemake,
        prompts=Path(snakemake.input.prompts),
        limit=snakemake.params.limit,
        together=snakemake.params.together,
        spread=snakemake.params.spread,
        seed=snakemake.params.seed,
        out=Path(snakemake.output.prompts),
    )
