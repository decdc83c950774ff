"""Answers in place of a model, of any simple benchmark."""

from random import Random
from typing import Any

from steadfast.base.files import Settings
from steadfast.contract.components import Sample, Simulator
from steadfast.judging.simulator import signature
from steadfast.simple.instance import instance_of

UNKNOWN = "I do not know."
CHARACTERS_PER_TOKEN = 4


class SimpleSimulator(Simulator):
    """The instances' references, and simulated models that forget them.

    ``judged``: whether a simulator for a judge is to believe the answer's last line.
    """

    def __init__(self, judged: bool = False):
        self._judged = judged

    def reference(self, sample: Sample[Any]) -> str:
        return self._signed(instance_of(sample).reference_answer, True)

    def simulated(self, sample: Sample[Any], settings: Settings, seen: float, rng: Random) -> str:
        """The same, half of its words, or that it is not known; seldom where the context is long
        for the simulated model or was cut."""
        instance = instance_of(sample)
        tokens = len(instance.context) / CHARACTERS_PER_TOKEN
        recall = (1 - settings["slip"]) * seen * 0.5 ** (tokens / settings["span"])
        if rng.random() < recall:
            return self._signed(instance.reference_answer, True)
        words = instance.reference_answer.split()
        half = " ".join(words[: len(words) // 2])
        return self._signed(half if rng.random() < 0.5 and half else UNKNOWN, False)

    def _signed(self, answer: str, kept: bool) -> str:
        return f"{answer}\n\n{signature([1] if kept else [])}" if self._judged else answer
