"""Rules {benchmark}_figures: the figures of a judged benchmark."""

from pathlib import Path

from steadfast.registry import benchmark
from steadfast.workflow import run_rule

if "snakemake" in globals():
    chosen = benchmark(snakemake.params.benchmark)
    run_rule(
        chosen.draw_figures,
        snakemake.log,
        metrics={name: Path(snakemake.input[name]) for name in chosen.METRICS},
        display=snakemake.params.display,
        outs={name: Path(path) for name, path in snakemake.output.items()},
    )
