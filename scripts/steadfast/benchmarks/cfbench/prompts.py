"""Prompts of CFBench: a record's instruction alone (paper, "Evaluation Settings")."""

from collections.abc import Iterator

from steadfast.base.files import Record
from steadfast.contract.components import Data

MAX_TOKENS = 2048  # of an answer (paper, "Evaluation Settings")


def prompts(part: str, data: Data) -> Iterator[Record]:
    """Yields a prompt for each record, in their order."""
    for record in data["data"][part]:
        yield {
            "sample_id": record["sample_id"],
            "task": record["source"],
            "context_id": record["sample_id"],  # each instruction stands alone
            "split": record["split"],
            "instruction": record["prompt"],
            "max_tokens": MAX_TOKENS,
        }
