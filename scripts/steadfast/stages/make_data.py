"""Rules of data: one file of a benchmark's data, made from other files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steadfast.base.files import write_json, write_jsonl, write_text
from steadfast.contract.components import component
from steadfast.workflow.script import paths, run_rule


def make_data(content: Sequence[Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Writes a component's value: records as JSON lines, a string as text, others as JSON."""
    value = component(content).make(inputs)
    if out.suffix == ".jsonl":
        write_jsonl(out, value)
    elif isinstance(value, str):
        write_text(out, value)
    else:
        write_json(out, value)


if job := globals().get("snakemake"):
    inputs = dict(zip(job.params.inputs, paths(job.input.inputs), strict=True))
    run_rule(make_data, job, inputs=inputs, out=Path(job.output[0]))
