"""Rules of data: one file of a benchmark's data."""

from pathlib import Path

from steadfast.base.seal import Seal
from steadfast.stages.make_data import make_data
from steadfast.workflow.script import paths, run_rule

if "snakemake" in globals():
    inputs = dict(zip(snakemake.params.inputs, paths(snakemake.input.inputs), strict=True))
    made_from = snakemake.params.made_from
    run_rule(
        make_data,
        snakemake,
        reads=[Seal.beside(inputs[name], lineage) for name, lineage in made_from.items()],
        content=snakemake.params.content,
        inputs=inputs,
        out=Path(snakemake.output[0]),
    )
