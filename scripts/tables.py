"""Rules {benchmark}_tables: the tables of a benchmark."""

from pathlib import Path

from steadfast.base.seal import Seal
from steadfast.stages.tabulate import tabulate
from steadfast.workflow.script import paths, run_rule

if "snakemake" in globals():
    metrics, params = paths(snakemake.input.metrics), snakemake.params
    identity = Path(snakemake.input.identity)
    run_rule(
        tabulate,
        snakemake,
        reads=[Seal(params.made_from, identity, tuple(metrics))],
        tables=params.tables,
        metrics=dict(zip(params.metrics, metrics, strict=True)),
        display=params.display,
        asked=params.asked,
        out_dir=Path(snakemake.output.tables[0]).parent,
    )
