"""Rule prompts: the prompts of one length."""

from pathlib import Path

from steadfast.lifbench.prompts import build_prompts
from steadfast.registry import as_paths
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        build_prompts,
        snakemake.log,
        length=snakemake.wildcards.length,
        seed=snakemake.params.seed,
        tasks=snakemake.params.tasks,
        **as_paths(snakemake.params.sources),
        out=Path(snakemake.output.prompts),
    )
