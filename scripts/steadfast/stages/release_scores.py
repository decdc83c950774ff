"""Rule released_scores: scores that a benchmark's authors released, as score files."""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from steadfast.base.files import write_jsonl
from steadfast.contract.components import component
from steadfast.contract.records import RELEASED
from steadfast.workflow.script import paths, run_rule


def release_scores(
    released: Sequence[Any], models: Mapping[str, str], outs: Mapping[tuple[str, str], Path]
) -> None:
    """Writes the score files of models with released scores, by their names there."""
    scores = component(released).make(models, list(outs))
    for cell, path in outs.items():
        records = []
        for record in scores[cell]:
            records.append({**record, "prompts": record.get("prompts", RELEASED)})
        write_jsonl(path, records)


if job := globals().get("snakemake"):
    cells = product(job.params.models, job.params.parts)
    run_rule(
        release_scores,
        job,
        read=("parts",),
        outs=dict(zip(cells, paths(job.output.scores), strict=True)),
    )
