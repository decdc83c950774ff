"""Rules {benchmark}_figures: the figures of a benchmark."""

from steadfast.stages.draw import draw
from steadfast.workflow import paths, run_rule

if "snakemake" in globals():
    run_rule(
        draw,
        snakemake.log,
        figures=snakemake.params.figures,
        metrics=dict(zip(snakemake.params.metrics, paths(snakemake.input.metrics), strict=True)),
        display=snakemake.params.display,
        outs=dict(zip(snakemake.params.names, paths(snakemake.output.figures), strict=True)),
    )
