"""Rule lifbench_tables: the tables of LIFBench."""

from pathlib import Path

from steadfast.lifbench.benchmark import METRICS
from steadfast.lifbench.tables import build_tables
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        build_tables,
        snakemake.log,
        metrics={name: Path(snakemake.input[name]) for name in METRICS},
        samples=dict(
            zip(snakemake.params.lengths, map(Path, snakemake.input.samples), strict=True)
        ),
        display=snakemake.params.display,
        out_dir=Path(snakemake.output.tables[0]).parent,
        weighting=snakemake.params.weighting,
        rubric=snakemake.params.rubric,
    )
