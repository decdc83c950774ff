"""Rule metrics: the metrics of all models on one benchmark, as tidy CSV files."""

from collections.abc import Collection, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from steadfast.base.files import Settings, read_json, write_json
from steadfast.contract.components import Frames, component
from steadfast.contract.part_files import Sources, read_data, sources_by_part
from steadfast.stats.decision import LookResult, with_expected_by_rounds
from steadfast.stats.raters import read_label_file
from steadfast.stats.scores import read_scores
from steadfast.stats.tidy import write_csv
from steadfast.workflow.script import paths, run_rule


def measure(
    metrics: Sequence[Any],
    scores: Mapping[tuple[str, str], Path],
    fields: Sequence[str],
    sources: Mapping[str, Sources],
    labels: Path | None,
    outs: Mapping[str, Path],
    adaptive: Settings | None = None,
    previous_decision: Path | None = None,
    decision: Path | None = None,
    input_digest: str = "",
    partial: bool = False,
) -> None:
    """Writes the metrics of all models, from scores, data by part and human labels.

    In an adaptive run (``Evaluation.adaptive``) they depend on its decisions:
    ``previous_decision`` is the file of the last one, ``decision`` that of the one to make. In a
    ``partial`` run (trial or rounds) labels may be for more samples than it evaluates.
    """
    data = {part: read_data(files) for part, files in sources.items()}
    people = read_label_file(labels)._replace(of_more=partial) if labels else None

    def measured(models: Collection[str]) -> Frames:
        selected = {cell: path for cell, path in scores.items() if cell[0] in models}
        frames: Frames = component(metrics).make(read_scores(selected, fields), data, people)
        return frames

    frames = measured({model for model, _ in scores})
    if adaptive and decision:
        looks = read_json(previous_decision)["looks"] if previous_decision else []
        look = LookResult(frames, looks, **adaptive)
        write_json(decision, {"input_digest": input_digest, **look.record})
        frames = with_expected_by_rounds(look.frames, adaptive["rounds"], measured)
    for name, path in outs.items():
        write_csv(path, frames[name])


if job := globals().get("snakemake"):
    cells = product(job.params.models, job.params.parts)
    metrics_files = paths(job.output.metrics)
    run_rule(
        measure,
        job,
        read=("models", "names", "parts"),
        scores=dict(zip(cells, paths(job.input.scores), strict=True)),
        sources=sources_by_part(job.params.sources, job.input.sources),
        labels=Path(str(job.input.labels)) if job.input.labels else None,
        outs=dict(zip(job.params.names, metrics_files, strict=True)),
        previous_decision=next(iter(paths(job.input.get("previous_decision") or ())), None),
        decision=next(iter(paths(job.output.get("decision") or ())), None),
    )
