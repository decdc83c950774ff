"""Simulated responses to the synthetic prompts; of others no right answers are known."""

from collections.abc import Collection, Mapping, Sequence
from itertools import cycle
from random import Random
from typing import Any

from steadfast.base.resources import facts
from steadfast.benchmarks.ifeval.facts import SYNTHETIC, Prompt
from steadfast.benchmarks.ifeval.own_kinds import WORD
from steadfast.contract.components import Sample
from steadfast.contract.simulated import ModelSimulator

STRINGS = facts("ifeval/simulated.yaml")
BULLETS = "detectable_format:number_bullet_lists"
LENGTH = "length_constraints:number_words"


class IfevalSimulator(ModelSimulator):
    """Responses that follow some instructions, or all."""

    def requirements(self, sample: Sample[Prompt]) -> range:
        """The instructions, from 0."""
        return range(len(sample.source["instance"]["instructions"]))

    def tokens(self, sample: Sample[Prompt]) -> float:
        """The length of the text beside the prompt."""
        context = sample.source["context"]
        return context["tokens"] if context else 0

    def response(self, sample: Sample[Prompt], met: Collection[int], rng: Random) -> str:
        """Empty where no right answer is known."""
        instance = sample.source["instance"]
        if instance["set"] != SYNTHETIC:
            return ""
        return response_following(instance["instructions"], met)


def response_following(instructions: Sequence[Mapping[str, Any]], kept: Collection[int]) -> str:
    """Returns an answer that follows the instructions at these places, and none of the others."""
    kwargs = {instruction["kind"]: instruction["kwargs"] for instruction in instructions}
    follows = {instructions[number]["kind"] for number in kept}
    breaks = kwargs.keys() - follows

    title = [f"<<{STRINGS['title']}>>"] if "detectable_format:title" in follows else []
    body = [STRINGS["body"]]
    if "punctuation:no_comma" in breaks:
        body.append(STRINGS["comma"])
    if "keywords:existence" in follows:
        body += [f"I think of {word}." for word in kwargs["keywords:existence"]["keywords"]]
    if "keywords:forbidden_words" in breaks:
        body.append(f"I say {kwargs['keywords:forbidden_words']['forbidden_words'][0]}.")
    if "detectable_content:number_placeholders" in follows:
        number = kwargs["detectable_content:number_placeholders"]["num_placeholders"]
        body.append(f"Ask {' '.join(STRINGS['places'][:number])} about it.")

    ending = []
    if BULLETS in kwargs:  # one too many breaks it
        number = kwargs[BULLETS]["num_bullets"] + (BULLETS in breaks)
        ending = [f"* {text}" for text in STRINGS["bullets"][:number]]
    if "startend:end_checker" in follows:
        ending.append(kwargs["startend:end_checker"]["end_phrase"])

    # "At least" is followed by many words, "less than" is broken by them.
    if LENGTH in kwargs and (LENGTH in follows) == (kwargs[LENGTH]["relation"] == "at least"):
        words = len(WORD.findall("\n".join([*title, *body, *ending])))
        body += _filler(kwargs[LENGTH]["num_words"] - words)
    text = "\n".join([*title, " ".join(body), *ending])
    return f'"{text}"' if "startend:quotation" in follows else text


def _filler(words: int) -> list[str]:
    """Returns sentences of so many words, or a few more."""
    sentences: list[str] = []
    for text in cycle(STRINGS["filler"]):
        if words <= 0:
            break
        sentences.append(f"{text.capitalize()}.")
        words -= len(text.split())
    return sentences
