"""Seeded prompts in the published schema, and answers that follow some of their instructions."""

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count
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
    its = {one["kind"]: (place in kept, one["kwargs"]) for place, one in enumerate(instructions)}

    def follows(kind: str) -> bool:
        return its[kind][0] if kind in its else False

    def argument(kind: str, name: str) -> Any:
        return its.get(kind, (False, {}))[1].get(name)

    bullets = argument("detectable_format:number_bullet_lists", "num_bullets") or 0
    bullets += bool(bullets) and not follows("detectable_format:number_bullet_lists")
    lines = [f"<<{WORDS['title']}>>"] if follows("detectable_format:title") else []
    body = [WORDS["body"]]
    if "punctuation:no_comma" in its and not follows("punctuation:no_comma"):
        body.append(WORDS["comma"])
    if follows("keywords:existence"):
        body += [f"I think of {word}." for word in argument("keywords:existence", "keywords")]
    if "keywords:forbidden_words" in its and not follows("keywords:forbidden_words"):
        body.append(f"I say {argument('keywords:forbidden_words', 'forbidden_words')[0]}.")
    if follows("detectable_content:number_placeholders"):
        number = argument("detectable_content:number_placeholders", "num_placeholders")
        body.append(f"Ask {' '.join(WORDS['places'][:number])} about it.")
    ending = [f"* {text}" for text in WORDS["bullets"][:bullets]]
    if follows("startend:end_checker"):
        ending.append(argument("startend:end_checker", "end_phrase"))
    words = "length_constraints:number_words"
    if words in its and follows(words) == (argument(words, "relation") == "at least"):
        text = "\n".join([*lines, *body, *ending])
        missing = argument(words, "num_words") - len(WORD.findall(text))
        for number in count():
            if missing <= 0:
                break
            filler = WORDS["filler"][number % len(WORDS["filler"])]
            body.append(f"{filler.capitalize()}.")
            missing -= len(filler.split())
    text = "\n".join([*lines, " ".join(body), *ending])
    return f'"{text}"' if follows("startend:quotation") else text
