"""Prompts of CFBench: a record's instruction alone (paper, "Evaluation Settings"); its outputs."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from steadfast.errors import UserError
from steadfast.files import Record, read_jsonl, write_jsonl

MAX_TOKENS = 2048  # of an answer (paper, "Evaluation Settings")


def write_prompts(data: Path, out: Path) -> None:
    """Writes a prompt for each record, in their order.

    Args:
        data: the records, as ``data.normalised`` gives them.
        out: JSON lines.
    """
    write_jsonl(out, map(_prompt, read_jsonl(data)))


def _prompt(record: Record) -> Record:
    return {
        "sample_id": record["sample_id"],
        "task": record["source"],
        "context_id": record["sample_id"],  # each instruction stands alone
        "split": record["split"],
        "instruction": record["prompt"],
        "max_tokens": MAX_TOKENS,
    }


def load_part(prompts: Path, data: Mapping[str, Path]) -> Iterator[tuple[Record, Record]]:
    """Each prompt with the record that it was made of, in the prompts' order.

    Args:
        prompts: the prompts file.
        data: the data files by language.

    Raises:
        UserError: a prompt is of a record that the data does not have.
    """
    records = read_records(data)
    for prompt in read_jsonl(prompts):
        if prompt["sample_id"] not in records:
            raise UserError(
                f"{prompts}: sample {prompt['sample_id']} is not in the data; write the prompts "
                "again from it"
            )
        yield prompt, records[prompt["sample_id"]]


def read_records(data: Mapping[str, Path]) -> dict[str, Record]:
    """The records of the data files by sample id, in their order."""
    return {r["sample_id"]: r for path in data.values() for r in read_jsonl(path)}
