"""Rule lifbench_metrics: ARS, IFP, IFS and coverage of all models."""

from itertools import product
from pathlib import Path

from steadfast.lifbench.metrics import compute_metrics
from steadfast.workflow import run_rule

if "snakemake" in globals():
    cells = product(snakemake.params.models, snakemake.params.lengths)
    run_rule(
        compute_metrics,
        snakemake.log,
        scores=dict(zip(cells, map(Path, snakemake.input.scores), strict=True)),
        weighting=snakemake.params.weighting,
        outs={name: Path(path) for name, path in snakemake.output.items()},
    )
