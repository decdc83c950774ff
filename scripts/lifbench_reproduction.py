"""Rule lifbench_reproduction: the paper's printed cells beside those from its released scores."""

from pathlib import Path

from steadfast.lifbench.benchmark import METRICS
from steadfast.lifbench.reproduction import build_reproduction
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        build_reproduction,
        snakemake.log,
        metrics={name: Path(snakemake.input[name]) for name in METRICS},
        samples=dict(
            zip(snakemake.params.lengths, map(Path, snakemake.input.samples), strict=True)
        ),
        models=dict(snakemake.params.models),
        out_dir=Path(snakemake.output.tables[0]).parent,
    )
