"""Rule lifbench_metrics: the metrics of all models."""

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
        rubric=snakemake.params.rubric,
        references=snakemake.params.references,
        outs={name: Path(path) for name, path in snakemake.output.items()},
    )
