"""IFScale (arXiv 2507.11538): reports with many keywords, in our own words and vocabulary."""

import re
from pathlib import Path
from typing import Any

from numpy.random import RandomState
from pydantic import Field

from steadfast.base.errors import UserError
from steadfast.schema.strict import StrictModel
from steadfast.simple.benchmark import simple_benchmark
from steadfast.simple.instance import Instance, Mark

REQUEST = "Write a coherent business report in sections, without lists of words.\n"
EMPHASIS = re.compile(r"(\*{1,2}|_{1,2})(.*?)\1")
# Five hundred words of business reports, a vocabulary of our own.
WORDS = Path(__file__).with_name("ifscale_keywords.txt").read_text(encoding="utf-8").split()
PUNCTUATION = '.,!?()[]{}":;*_'  # no hyphen or apostrophe: "tax-free" is not "tax"


class Ifscale(StrictModel):
    """Reports with many keywords."""

    densities: list[int] = Field(default=[10, 50, 100, 250, 500], description="Keywords of each.")
    reports: int = Field(default=20, ge=1, le=1000, description="Reports of each density.")
    keywords: list[str] = Field(default=WORDS, description="The vocabulary.")


def instances(part: str, seed: int, reports: int, keywords: list[str], **_: Any) -> list[Instance]:
    """Returns reports; the keywords of one are the first of those at a higher density."""
    if int(part) > len(keywords):
        raise UserError(f"ifscale.densities: {part} of {len(keywords)} keywords; lower it")
    instances = []
    for number in range(reports):
        # The order in which pandas samples, as the released program does with seeds 0 to 4.
        words = RandomState(seed + number).choice(keywords, int(part), replace=False).tolist()
        lines = [f"{line}. Include the exact word: '{word}'." for line, word in enumerate(words, 1)]
        prompt = "\n".join([REQUEST, *lines])
        instances.append(Instance(str(number), prompt, words, ". ".join(words), max_tokens=8192))
    return instances


def score(text: str, instance: Instance) -> Mark:
    """Returns the share of keywords that are words of the response, and the missing keywords."""
    tokens = EMPHASIS.sub(r"\2", text).lower().split()
    words = {token.strip(PUNCTUATION) for token in tokens}
    missing = [keyword for keyword in instance.answer if keyword.lower() not in words]
    return Mark(1 - len(missing) / len(instance.answer), missing)


IFSCALE = simple_benchmark(
    "ifscale", "IFScale", Ifscale, instances, score,
    parts=lambda section: {str(density): 0 for density in section.densities},
    metrics={"effective_density": "ifscale_density:metric"},
    tables={"effective_density": "ifscale_density:table"},
)  # fmt: skip
