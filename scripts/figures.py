"""Rules {benchmark}_figures: the figures of a benchmark."""

from pathlib import Path

from steadfast.base.seal import Seal
from steadfast.stages.draw import draw
from steadfast.workflow.script import paths, run_rule

if "snakemake" in globals():
    metrics, params = paths(snakemake.input.metrics), snakemake.params
    identity = Path(snakemake.input.identity)
    stems = dict.fromkeys(path.with_suffix("") for path in paths(snakemake.output.figures))
    run_rule(
        draw,
        snakemake,
        reads=[Seal(params.made_from, identity, tuple(metrics))],
        figures=params.figures,
        metrics=dict(zip(params.metrics, metrics, strict=True)),
        display=params.display,
        outs=dict(zip(params.names, stems, strict=True)),
        asked=params.asked,
    )
