"""What was asked and what came back, as benchmarks read it from the stages' files."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from steadfast.engines.request import STATUSES, Item
from steadfast.errors import UserError
from steadfast.files import Record, read_jsonl


def plain_items(prompts: Path) -> Iterator[Item]:
    """One item a prompt whose instruction is all that is asked; nothing of it may be cut.

    Args:
        prompts: records with sample_id, context_id, instruction and max_tokens; ``follows`` where
            one goes on with a conversation.
    """
    for prompt in read_jsonl(prompts):
        yield Item(
            sample_id=prompt["sample_id"],
            context_id=prompt["context_id"],
            head="",
            context="",
            tail=prompt["instruction"],
            max_tokens=prompt["max_tokens"],
            follows=prompt.get("follows"),
        )


def read_outputs(path: Path) -> "Outputs":
    """The records of an outputs file, of a model or a judge."""
    return Outputs(path, {record["sample_id"]: record for record in read_jsonl(path)})


class Outputs:
    """Output records by sample.

    Args:
        path: their file, for the errors' sentences.
        records: by sample id.
    """

    def __init__(self, path: Path, records: Mapping[str, Record]):
        self._path, self._records = path, records

    def get(self, sample_id: str) -> Record | None:
        """A sample's record, or None."""
        return self._records.get(sample_id)

    def of(self, sample_id: str) -> Record:
        """A sample's record.

        Raises:
            UserError: there is none, or its status is unknown.
        """
        record = self._records.get(sample_id)
        if record is None:
            raise UserError(f"{self._path}: no output for sample {sample_id}; run inference again")
        if record["status"] not in STATUSES:
            raise UserError(
                f"{self._path}: sample {sample_id} has status {record['status']!r}; one of "
                f"{', '.join(STATUSES)} was expected: run inference again"
            )
        return record
