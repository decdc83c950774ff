"""Rule lifbench_figures: LIFBench's results as pictures."""

from pathlib import Path

from steadfast.lifbench.benchmark import METRICS
from steadfast.lifbench.figures import ars_by_length
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        ars_by_length,
        snakemake.log,
        metrics={name: Path(snakemake.input[name]) for name in METRICS},
        display=snakemake.params.display,
        out_png=Path(snakemake.output.ars_by_length),
    )
