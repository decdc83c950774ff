"""Rule plan_totals: what a whole run would take."""

from pathlib import Path

from steadfast.plan.totals import plan_totals
from steadfast.workflow.script import paths, run_rule

if "snakemake" in globals():
    run_rule(
        plan_totals,
        snakemake,
        answers=dict(zip(snakemake.params.planned, paths(snakemake.input.answers), strict=True)),
        rewrites=dict(
            zip(snakemake.params.rewritten, paths(snakemake.input.rewrites), strict=True)
        ),
        waiting=snakemake.params.waiting,
        asked=snakemake.params.asked,
        out_md=Path(snakemake.output.md),
        out_csv=Path(snakemake.output.csv),
    )
