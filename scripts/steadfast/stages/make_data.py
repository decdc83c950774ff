"""Rules of data: one file of a benchmark's data, made of others or of the user's."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steadfast.base.files import write_json, write_jsonl, write_text
from steadfast.base.provenance import Provenance
from steadfast.contract.components import component
from steadfast.workflow.script import paths, run_rule


def make_data(content: Sequence[Any], inputs: Mapping[str, Path], out: Path) -> None:
    """Writes what a function makes: records as JSON lines, one value as JSON, a text as it is."""
    made = component(content).make(inputs)
    if out.suffix == ".jsonl":
        write_jsonl(out, made)
    elif isinstance(made, str):
        write_text(out, made)
    else:
        write_json(out, made)


if job := globals().get("snakemake"):
    inputs = dict(zip(job.params.inputs, paths(job.input.inputs), strict=True))
    made_from = job.params.made_from
    run_rule(
        make_data,
        job,
        reads=[
            Provenance.beside(inputs[name], input_digest)
            for name, input_digest in made_from.items()
        ],
        inputs=inputs,
        out=Path(job.output[0]),
    )
