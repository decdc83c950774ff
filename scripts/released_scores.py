"""Rules {benchmark}_released_scores: scores that a benchmark's authors released."""

from itertools import product

from steadfast.stages.release_scores import release_scores
from steadfast.workflow.script import paths, run_rule

if "snakemake" in globals():
    cells = product(snakemake.params.models, snakemake.params.parts)
    outs = dict(zip(cells, paths(snakemake.output.scores), strict=True))
    run_rule(
        release_scores,
        snakemake,
        released=snakemake.params.released,
        models=dict(snakemake.params.models),
        outs=outs,
    )
