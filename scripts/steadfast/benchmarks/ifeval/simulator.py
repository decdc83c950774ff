"""Answers in place of a model, to the synthetic prompts; of others no right answers are known."""

from collections.abc import Collection, Mapping, Sequence
from itertools import cycle
from random import Random
from typing import Any

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.ifeval.facts import SYNTHETIC, Prompt
from steadfast.benchmarks.ifeval.own_kinds import WORD
from steadfast.contract.components import Sample, Simulator

STRINGS = facts("ifeval/simulated.yaml")


class IfevalSimulator(Simulator):
    """Readers who follow each instruction by itself, less often the longer the text is."""

    def reference(self, sample: Sample[Prompt]) -> str:
        """Returns an answer that follows all instructions; empty where none is known."""
        instance = sample.source["instance"]
        if instance["set"] != SYNTHETIC:
            return ""
        return written(instance["instructions"], range(len(instance["instructions"])))

    def simulated(
        self, sample: Sample[Prompt], settings: Settings, seen: float, rng: Random
    ) -> str:
        """Returns one that follows each with a probability that halves with each ``span``."""
        instance = sample.source["instance"]
        context = sample.source["context"]
        if instance["set"] != SYNTHETIC:
            return ""
        tokens = context["tokens"] if context else 0
        recall = (1 - settings["slip"]) * seen * 0.5 ** (tokens / settings["span"])
        asked = range(len(instance["instructions"]))
        return written(instance["instructions"], [at for at in asked if rng.random() < recall])


def written(instructions: Sequence[Mapping[str, Any]], kept: Collection[int]) -> str:
    """Returns an answer that follows the instructions at these places, and none of the others."""
    asked = {one["kind"]: one["kwargs"] for one in instructions}
    follows = {one["kind"] for place, one in enumerate(instructions) if place in kept}
    breaks = asked.keys() - follows
    listed = "detectable_format:number_bullet_lists"
    bullets = asked[listed]["num_bullets"] + (listed in breaks) if listed in asked else 0
    lines = [f"<<{STRINGS['title']}>>"] if "detectable_format:title" in follows else []
    body = [STRINGS["body"]]
    if "punctuation:no_comma" in breaks:
        body.append(STRINGS["comma"])
    if "keywords:existence" in follows:
        body += [f"I think of {word}." for word in asked["keywords:existence"]["keywords"]]
    if "keywords:forbidden_words" in breaks:
        body.append(f"I say {asked['keywords:forbidden_words']['forbidden_words'][0]}.")
    if "detectable_content:number_placeholders" in follows:
        number = asked["detectable_content:number_placeholders"]["num_placeholders"]
        body.append(f"Ask {' '.join(STRINGS['places'][:number])} about it.")
    ending = [f"* {text}" for text in STRINGS["bullets"][:bullets]]
    if "startend:end_checker" in follows:
        ending.append(asked["startend:end_checker"]["end_phrase"])
    length = "length_constraints:number_words"
    if length in asked and (length in follows) == (asked[length]["relation"] == "at least"):
        text = "\n".join([*lines, *body, *ending])
        missing = asked[length]["num_words"] - len(WORD.findall(text))
        for filler in cycle(STRINGS["filler"]):
            if missing <= 0:
                break
            body.append(f"{filler.capitalize()}.")
            missing -= len(filler.split())
    text = "\n".join([*lines, " ".join(body), *ending])
    return f'"{text}"' if "startend:quotation" in follows else text
