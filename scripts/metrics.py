"""Rules {benchmark}_metrics: the metrics of all models on a benchmark."""

from itertools import product
from pathlib import Path

from steadfast.base.seal import Seal
from steadfast.contract.part_files import sources_by_part
from steadfast.stages.measure import measure
from steadfast.workflow.script import paths, run_rule

if "snakemake" in globals():
    cells = product(snakemake.params.models, snakemake.params.parts)
    scores, made = paths(snakemake.input.scores), paths(snakemake.output.metrics)
    run_rule(
        measure,
        snakemake,
        reads=map(Seal.beside, scores, snakemake.params.made_from.values()),
        metrics=snakemake.params.metrics,
        scores=dict(zip(cells, scores, strict=True)),
        fields=snakemake.params.fields,
        sources=sources_by_part(snakemake.params.sources, snakemake.input.sources),
        labels=Path(str(snakemake.input.labels)) if snakemake.input.labels else None,
        outs=dict(zip(snakemake.params.names, made, strict=True)),
    )
