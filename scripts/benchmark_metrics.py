"""Rules {benchmark}_metrics: the metrics of all models on a judged benchmark."""

from itertools import product
from pathlib import Path

from steadfast.registry import as_paths, benchmark
from steadfast.workflow import run_rule

if "snakemake" in globals():
    cells = product(snakemake.params.models, snakemake.params.sources)
    chosen = benchmark(snakemake.params.benchmark)
    run_rule(
        chosen.compute_metrics,
        snakemake.log,
        scores=dict(zip(cells, map(Path, snakemake.input.scores), strict=True)),
        sources={part: as_paths(files) for part, files in snakemake.params.sources.items()},
        settings=snakemake.params.settings,
        files={name: Path(path) for name, path in snakemake.params.files.items()},
        outs=dict(zip(chosen.METRICS, map(Path, snakemake.output.metrics), strict=True)),
    )
