"""Simulated models of any simple benchmark."""

from collections.abc import Collection
from random import Random
from typing import Any

from steadfast.contract.components import Sample
from steadfast.contract.simulated import ModelSimulator, signature
from steadfast.simple.instance import instance_of

UNKNOWN = "I do not know."
CHARACTERS_PER_TOKEN = 4


class SimpleSimulator(ModelSimulator):
    """Responds with the reference answer, and to an instance that it fails with half of its words.

    ``judged``: whether a last line lists for simulated judges what is met.
    """

    def __init__(self, judged: bool = False):
        self._judged = judged

    def tokens(self, sample: Sample[Any]) -> float:
        """Returns the length of the context, roughly."""
        return len(instance_of(sample).context) / CHARACTERS_PER_TOKEN

    def response(self, sample: Sample[Any], met: Collection[int], rng: Random) -> str:
        """Returns the reference answer where its one requirement is met."""
        answer = instance_of(sample).reference_answer
        if not met:
            words = answer.split()
            half = " ".join(words[: len(words) // 2])
            answer = half if rng.random() < 0.5 and half else UNKNOWN
        return f"{answer}\n\n{signature(met)}" if self._judged else answer
