"""Rules {benchmark}_metrics: the metrics of all models on a benchmark."""

from itertools import product
from pathlib import Path

from steadfast.stages.measure import measure
from steadfast.stages.samples import sources_by_part
from steadfast.workflow import paths, run_rule

if "snakemake" in globals():
    cells = product(snakemake.params.models, snakemake.params.parts)
    run_rule(
        measure,
        snakemake.log,
        metrics=snakemake.params.metrics,
        scores=dict(zip(cells, paths(snakemake.input.scores), strict=True)),
        fields=snakemake.params.fields,
        sources=sources_by_part(snakemake.params.sources, snakemake.input.sources),
        labels=Path(str(snakemake.input.labels)) if snakemake.input.labels else None,
        outs=dict(zip(snakemake.params.names, paths(snakemake.output.metrics), strict=True)),
    )
