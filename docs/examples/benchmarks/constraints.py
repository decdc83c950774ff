"""Constraints that a program can verify: the number of words, a word to avoid, the last sign."""

from collections.abc import Iterator
from random import Random

from pydantic import Field

from steadfast.schema.strict import StrictModel
from steadfast.simple.benchmark import simple_benchmark
from steadfast.simple.instance import Instance

TOPICS = ("the sea", "a train", "winter", "bread", "a key", "rain")
SIGNS = (".", "!", "?")


class Constraints(StrictModel):
    """Constraints that a program can verify."""

    prompts: int = Field(default=12, ge=2, le=1000, description="Prompts.")


def instances(part: str, seed: int, prompts: int) -> Iterator[Instance]:
    """A text on a topic; every second one with three constraints, the others with one."""
    random = Random(seed)
    for number in range(prompts):
        words, topic, sign = random.randint(3, 30), random.choice(TOPICS), random.choice(SIGNS)
        wanted = {"words": words, "avoid": "the", "sign": sign} if number % 2 else {"words": words}
        more = f", without the word 'the', ending in {sign}" if number % 2 else ""
        yield Instance(
            id=str(number),
            prompt=f"Write exactly {words} words about {topic}{more}",
            answer=wanted,
            reference=" ".join(["rain"] * words) + sign,
            by={"constraints": str(len(wanted))},
        )


def score(text: str, instance: Instance) -> dict[str, bool]:
    """Which constraints are kept."""
    words, wanted = text.lower().split(), instance.answer
    kept = {
        "words": len(words) == wanted["words"],
        "avoid": wanted.get("avoid") not in words,
        "sign": text.strip().endswith(wanted.get("sign", "")),
    }
    return {name: kept[name] for name in wanted}


CONSTRAINTS = simple_benchmark(
    "constraints", "Constraints", Constraints, instances, score, by=["constraints"]
)
