"""Rule bundle: a run as one file that another machine makes the same tables of."""

from pathlib import Path

from steadfast.share.bundle import bundle_results
from steadfast.workflow.script import run_rule

if "snakemake" in globals():
    params = snakemake.params
    out = Path(snakemake.output.bundle)
    run_rule(
        bundle_results,
        snakemake,
        config=params.config,
        shortened=params.shortened,
        own_files=params.own_files,
        key_variables=params.key_variables,
        lineages=params.lineages,
        results=out.parent,
        out=out,
        snakefile=Path(params.snakefile),
    )
