"""Rule prompts: the prompts of one part of a benchmark."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steadfast.base.files import write_jsonl
from steadfast.contract.components import component
from steadfast.contract.part_files import Sources, read_data, sources_of
from steadfast.workflow.script import run_rule


def write_prompts(part: str, prompts: Sequence[Any], sources: Sources, out: Path) -> None:
    """Writes the prompts of a part, such as a length or a language, made from its data files."""
    write_jsonl(out, component(prompts).make(part, read_data(sources)))


if job := globals().get("snakemake"):
    run_rule(
        write_prompts,
        job,
        sources=sources_of(job.params.sources, job.input.sources),
        out=Path(job.output.prompts),
    )
