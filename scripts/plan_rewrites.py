"""Rule plan_rewrites: what each rewriter would take."""

from pathlib import Path

from steadfast.plan.rewrites import plan_rewrites
from steadfast.workflow.script import paths, run_rule

if "snakemake" in globals():
    out = Path(snakemake.output.md)
    run_rule(
        plan_rewrites,
        snakemake,
        benchmark=snakemake.wildcards.benchmark,
        rewriters=snakemake.params.rewriters,
        requests=dict(zip(snakemake.params.rounds, paths(snakemake.input.requests), strict=True)),
        results=out.parents[1],
        hardware=snakemake.params.hardware,
        elsewhere=snakemake.params.elsewhere,
        out_md=out,
        out_csv=Path(snakemake.output.csv),
    )
