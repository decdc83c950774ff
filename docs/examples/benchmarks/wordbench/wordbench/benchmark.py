"""Wordbench: so many words on a topic; a program counts the words, a judge reads for the topic."""

from collections.abc import Iterator
from random import Random

from pydantic import Field

from steadfast.schema.strict import StrictModel
from steadfast.simple.benchmark import Judge, simple_benchmark
from steadfast.simple.instance import Instance

TOPICS = ("the sea", "a train", "winter", "bread", "a key", "rain")


class Wordbench(StrictModel):
    """Wordbench: so many words on a topic."""

    prompts: int = Field(default=12, ge=2, le=1000, description="Prompts, two of each length.")


def instances(part: str, seed: int, prompts: int) -> Iterator[Instance]:
    """Yields prompts for 3, 3, 4, 4, 5, … words, each on a topic."""
    topics = list(TOPICS)
    Random(seed).shuffle(topics)
    for number in range(prompts):
        words = 3 + number // 2
        topic = topics[number % len(topics)]
        yield Instance(
            id=str(number),
            prompt=f"Write exactly {words} words about {topic}.",
            answer=words,
            reference=" ".join([topic.split()[-1]] * words),
            by={"topic": topic, "words": str(words)},
            fields={"topic": topic},
        )


WORDBENCH = simple_benchmark(
    "wordbench",
    "Wordbench",
    Wordbench,
    instances,
    "wordbench.scoring:score",
    by=["topic"],
    measures={
        "Met": "share of Wordbench's requests that are met",
        "Words": "share of Wordbench's responses with the requested number of words",
        "Topic": "share of Wordbench's responses on their topic",
    },
    judge=Judge("resource:wordbench:judge.txt", "wordbench.scoring:verdict", ("no", "yes")),
    metrics={"errors": "wordbench.errors:metric"},
    tables={"errors": "wordbench.errors:table"},
)
