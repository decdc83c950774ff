"""Seeded prompts in the published schema, and answers that follow some of their instructions."""

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count, cycle
from pathlib import Path
from random import Random
from typing import Any

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.benchmarks.ifeval.facts import SYNTHETIC
from steadfast.benchmarks.ifeval.own_kinds import KINDS, WORD

WORDS = facts("ifeval/synthetic.yaml")
DRAWS: Mapping[str, Callable[[Random], Record]] = {
    "length_constraints:number_words": lambda rng: rng.choice(
        [
            {"relation": "at least", "num_words": rng.randint(70, 120)},
            {"relation": "less than", "num_words": rng.randint(100, 160)},
        ]
    ),
    "detectable_format:number_bullet_lists": lambda rng: {"num_bullets": rng.randint(2, 4)},
    "detectable_content:number_placeholders": lambda rng: {"num_placeholders": rng.randint(2, 4)},
    "keywords:existence": lambda rng: {"keywords": rng.sample(WORDS["keywords"], 2)},
    "keywords:forbidden_words": lambda rng: {"forbidden_words": rng.sample(WORDS["forbidden"], 2)},
    "startend:end_checker": lambda rng: {"end_phrase": rng.choice(WORDS["endings"])},
}
"""Arguments of the kinds that have some."""


def data(inputs: Mapping[str, Path], prompts: int, seed: int) -> Iterator[Record]:
    """Yields so many different prompts as ``data.instance`` has them; more of them extend fewer."""
    kinds, seen = _dealt(list(KINDS), seed), set[str]()
    for number in range(prompts):
        rng = random.Random(f"{seed}/{number}")
        asked: list[str] = []
        while len(asked) < WORDS["numbers"][number % len(WORDS["numbers"])]:
            if (kind := next(kinds)) not in asked:
                asked.append(kind)
        instructions = [{"kind": k, "kwargs": DRAWS[k](rng) if k in DRAWS else {}} for k in asked]
        prompt = _prompt(rng, instructions)
        while prompt in seen:
            prompt = _prompt(rng, instructions)
        seen.add(prompt)
        yield {
            "prompt_id": f"{SYNTHETIC}/{number}",
            "set": SYNTHETIC,
            "prompt": prompt,
            "instructions": instructions,
        }


def _dealt(kinds: list[str], seed: int) -> Iterator[str]:
    """Yields all kinds over and over, each time in another order."""
    for turn in count():
        random.Random(f"{seed}/kinds/{turn}").shuffle(kinds)
        yield from kinds


def _prompt(rng: Random, instructions: Sequence[Mapping[str, Any]]) -> str:
    subject = f"{rng.choice(WORDS['genres'])} about {rng.choice(WORDS['topics'])}"
    return " ".join([f"Write {subject}.", *map(_asks, instructions)])


def _asks(instruction: Mapping[str, Any]) -> str:
    kwargs = instruction["kwargs"]
    listed = kwargs.get("keywords", kwargs.get("forbidden_words", []))
    form: str = WORDS["asks"][instruction["kind"]]
    return form.format(**kwargs, words=" and ".join(listed))


def written(instructions: Sequence[Mapping[str, Any]], kept: Collection[int]) -> str:
    """Returns an answer that follows the instructions at these places, and none of the others."""
    asked = {one["kind"]: one["kwargs"] for one in instructions}
    follows = {one["kind"] for place, one in enumerate(instructions) if place in kept}
    breaks = asked.keys() - follows
    listed = "detectable_format:number_bullet_lists"
    bullets = asked[listed]["num_bullets"] + (listed in breaks) if listed in asked else 0
    lines = [f"<<{WORDS['title']}>>"] if "detectable_format:title" in follows else []
    body = [WORDS["body"]]
    if "punctuation:no_comma" in breaks:
        body.append(WORDS["comma"])
    if "keywords:existence" in follows:
        body += [f"I think of {word}." for word in asked["keywords:existence"]["keywords"]]
    if "keywords:forbidden_words" in breaks:
        body.append(f"I say {asked['keywords:forbidden_words']['forbidden_words'][0]}.")
    if "detectable_content:number_placeholders" in follows:
        number = asked["detectable_content:number_placeholders"]["num_placeholders"]
        body.append(f"Ask {' '.join(WORDS['places'][:number])} about it.")
    ending = [f"* {text}" for text in WORDS["bullets"][:bullets]]
    if "startend:end_checker" in follows:
        ending.append(asked["startend:end_checker"]["end_phrase"])
    length = "length_constraints:number_words"
    if length in asked and (length in follows) == (asked[length]["relation"] == "at least"):
        text = "\n".join([*lines, *body, *ending])
        missing = asked[length]["num_words"] - len(WORD.findall(text))
        for filler in cycle(WORDS["filler"]):
            if missing <= 0:
                break
            body.append(f"{filler.capitalize()}.")
            missing -= len(filler.split())
    text = "\n".join([*lines, " ".join(body), *ending])
    return f'"{text}"' if "startend:quotation" in follows else text
