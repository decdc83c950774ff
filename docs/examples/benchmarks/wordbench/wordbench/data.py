"""Topics, and a prompt for each."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

from steadfast.base.files import Record
from steadfast.contract.components import Data

TOPICS = ("the sea", "a train", "winter", "bread", "a key", "rain")


def topics(inputs: Mapping[str, Path], number: int, seed: int) -> Iterator[Record]:
    """Yields records of topics, each with a number of words and what scores its response."""
    topics = list(TOPICS)
    Random(seed).shuffle(topics)
    for index in range(number):
        yield {
            "context_id": f"topic-{index}",
            "topic": topics[index % len(topics)],
            "words": 3 + index,
            "scorer": "judge" if index % 2 else "rule",
        }


def prompts(part: str, data: Data) -> Iterator[Record]:
    """Yields one prompt for each topic."""
    for topic in data["data"]["topics"]:
        yield {
            "sample_id": f"{part}/{topic['context_id']}",
            "task": topic["scorer"],
            "context_id": topic["context_id"],
            "instruction": f"Write {topic['words']} words about {topic['topic']}.",
            "max_tokens": 64,
        }
