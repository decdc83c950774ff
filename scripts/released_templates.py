"""Rule released_templates: LIFBench's published templates, from a directory or the pinned URL."""

from steadfast.lifbench.released import fetch_tasks
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        fetch_tasks,
        snakemake.log,
        directory=snakemake.params.directory,
        out=snakemake.output.tasks,
    )
