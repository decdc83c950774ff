"""Prompts: the instructions of levels 1 to 5, each a single user turn as it stands."""

from collections.abc import Iterator

from steadfast.base.files import Record
from steadfast.benchmarks.followbench.facts import LEVELS
from steadfast.contract.components import Data

MAX_TOKENS = 2048  # section 4.1


def prompts(part: str, data: Data) -> Iterator[Record]:
    """Yields the prompts of one language, group by group; level 0 is never asked."""
    for group in data["data"][part]:
        for level in LEVELS:
            yield {
                "sample_id": f"{group['context_id']}/{level}",
                "task": group["category"],
                "context_id": group["context_id"],
                "level": level,
                "source": group["source"],
                "scorer": group["scorer"],
                "instruction": group["levels"][level - 1]["instruction"],
                "max_tokens": MAX_TOKENS,
            }
