"""Rule inference_metrics: what inference took, per job."""

from pathlib import Path

from steadfast.usage import write_usage
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        write_usage,
        snakemake.log,
        jobs=snakemake.params.jobs,
        outputs=[Path(path) for path in snakemake.input.outputs],
        out=Path(snakemake.output.usage),
    )
