"""Rules {benchmark}_figures: the figures of a judged benchmark."""

from pathlib import Path

from steadfast.registry import benchmark
from steadfast.workflow import run_rule

if "snakemake" in globals():
    chosen = benchmark(snakemake.params.benchmark)
    run_rule(
        chosen.draw_figures,
        snakemake.log,
        metrics=dict(zip(chosen.METRICS, map(Path, snakemake.input.metrics), strict=True)),
        display=snakemake.params.display,
        outs=dict(zip(chosen.FIGURES, map(Path, snakemake.output.figures), strict=True)),
    )
