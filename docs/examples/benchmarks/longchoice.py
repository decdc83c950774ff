"""Multiple choice over long documents: where a thing is, stated once in a context of any length."""

from collections.abc import Iterator
from random import Random

from pydantic import Field

from steadfast.schema.strict import StrictModel
from steadfast.simple.benchmark import simple_benchmark
from steadfast.simple.instance import Instance, Mark

THINGS = ("lamp", "clock", "map", "violin", "kettle", "mirror")
PLACES = ("cellar", "attic", "garden", "library")
FILLER = "Nothing happened on day {day}, and nobody wrote it down. "
TOKENS = 13  # of the filler, roughly


class Longchoice(StrictModel):
    """Multiple choice over long documents."""

    lengths: dict[str, int] = Field(
        default={"1k": 1024, "4k": 4096}, description="Tokens of a document, by name."
    )
    documents: int = Field(default=3, ge=1, le=500, description="Documents of each length.")


def instances(part: str, seed: int, lengths: dict[str, int], documents: int) -> Iterator[Instance]:
    """Yields a question on each thing for each document; the same ones at every length."""
    for number in range(documents):
        random = Random(f"{seed}/{number}")
        place_of = {thing: random.choice(PLACES) for thing in THINGS}
        days = [FILLER.format(day=day) for day in range(lengths[part] // TOKENS)]
        for thing, place in place_of.items():
            days.insert(random.randint(0, len(days)), f"The {thing} is in the {place}. ")
        for thing, place in place_of.items():
            letters = dict(zip("ABCD", random.sample(PLACES, len(PLACES)), strict=True))
            choices = "\n".join(f"{letter}. {text}" for letter, text in letters.items())
            yield Instance(
                id=f"{number}-{thing}",
                before="Read this diary.\n\n",
                context="".join(days),
                prompt=f"\n\nWhere is the {thing}? Give the letter alone.\n{choices}",
                answer=next(letter for letter, text in letters.items() if text == place),
                group=str(number),
                by={"thing": thing},
                max_tokens=16,
            )


def score(text: str, instance: Instance) -> Mark:
    """Returns whether the letter is right, and the letter."""
    letter = text.strip()[:1].upper()
    return Mark(float(letter == instance.answer), letter)


LONGCHOICE = simple_benchmark(
    "longchoice",
    "Long choice",
    Longchoice,
    instances,
    score,
    parts=lambda section: section.lengths,
    lengths=True,
    by=["thing"],
)
