"""Responses in place of a model, of any simple benchmark."""

from collections.abc import Collection
from random import Random
from typing import Any

from steadfast.contract.components import Sample
from steadfast.contract.simulated import ModelSimulator, signature
from steadfast.simple.instance import instance_of

UNKNOWN = "I do not know."
CHARACTERS_PER_TOKEN = 4


class SimpleSimulator(ModelSimulator):
    """The instances' reference answers, or half of their words, or that they are not known.

    ``judged``: whether the last line names what is met, for simulated judges.
    """

    def __init__(self, judged: bool = False):
        self._judged = judged

    def tokens(self, sample: Sample[Any]) -> float:
        """The length of the context, roughly."""
        return len(instance_of(sample).context) / CHARACTERS_PER_TOKEN

    def response(self, sample: Sample[Any], met: Collection[int], rng: Random) -> str:
        """The one requirement is the reference answer."""
        answer = instance_of(sample).reference_answer
        if not met:
            words = answer.split()
            half = " ".join(words[: len(words) // 2])
            answer = half if rng.random() < 0.5 and half else UNKNOWN
        return f"{answer}\n\n{signature(met)}" if self._judged else answer
