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
    """Yields prompts on topics; every second one has three constraints, the others one."""
    random = Random(seed)
    for number in range(prompts):
        words, topic, sign = random.randint(3, 30), random.choice(TOPICS), random.choice(SIGNS)
        constraints, request = {"words": words}, f"Write exactly {words} words about {topic}"
        if number % 2:
            constraints |= {"avoid": "the", "sign": sign}
            request += f", without the word 'the', ending in {sign}"
        yield Instance(
            id=str(number),
            prompt=request,
            answer=constraints,
            reference=" ".join(["rain"] * words) + sign,
            by={"constraints": str(len(constraints))},
        )


def score(text: str, instance: Instance) -> dict[str, bool]:
    """Returns for each constraint whether the response meets it."""
    constraints = instance.answer
    words = text.lower().split()
    met = {
        "words": len(words) == constraints["words"],
        "avoid": constraints.get("avoid") not in words,
        "sign": text.strip().endswith(constraints.get("sign", "")),
    }
    return {name: met[name] for name in constraints}


CONSTRAINTS = simple_benchmark(
    "constraints", "Constraints", Constraints, instances, score, by=["constraints"]
)
