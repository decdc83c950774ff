"""Rule usage: what inference took, per job."""

from pathlib import Path

from steadfast.stages.count_usage import write_usage
from steadfast.workflow.script import paths, run_rule

if "snakemake" in globals():
    out = Path(snakemake.output.usage)
    run_rule(
        write_usage,
        snakemake,
        jobs=snakemake.params.jobs,
        outputs=paths(snakemake.input.outputs),
        results=out.parents[1],
        out=out,
    )
