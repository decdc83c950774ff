"""Rule released_scores: the released scores of LIFBench as score files."""

from itertools import product
from pathlib import Path

from steadfast.lifbench.released_scores import build_released_scores
from steadfast.workflow import run_rule

if "snakemake" in globals():
    cells = product(snakemake.params.models, snakemake.params.lengths)
    run_rule(
        build_released_scores,
        snakemake.log,
        models=dict(snakemake.params.models),
        tasks=snakemake.params.tasks,
        directory=snakemake.params.directory,
        outs=dict(zip(cells, map(Path, snakemake.output.scores), strict=True)),
    )
