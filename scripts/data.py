"""Rules of data: one file of a benchmark's data."""

from pathlib import Path

from steadfast.stages.make_data import make_data
from steadfast.workflow import paths, run_rule

if "snakemake" in globals():
    run_rule(
        make_data,
        snakemake.log,
        content=snakemake.params.content,
        inputs=dict(zip(snakemake.params.inputs, paths(snakemake.input.inputs), strict=True)),
        out=Path(snakemake.output[0]),
    )
