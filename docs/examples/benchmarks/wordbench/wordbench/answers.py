"""Responses and verdicts in place of models."""

from collections.abc import Collection
from random import Random

from steadfast.base.files import Settings
from steadfast.contract.components import JudgePrompt, JudgeRequest, JudgeSimulator, Sample
from steadfast.contract.simulated import SimulatedModel


class Writer(SimulatedModel):
    """Writes the requested number of words, or one more."""

    def response(self, sample: Sample, met: Collection[int], rng: Random) -> str:
        """The reference answer where the requirement is met, else a wrong one."""
        right = " ".join(["word"] * sample.source["words"])
        return right if met else f"{right} more"


class Judge(JudgeSimulator):
    """Says that a response is on its topic unless it has a word too many."""

    def reference(self, prompt: JudgePrompt, request: JudgeRequest) -> str:
        """Returns a verdict."""
        return "no" if "more" in prompt.answer else "yes"

    def simulated(
        self, prompt: JudgePrompt, request: JudgeRequest, settings: Settings, rng: Random
    ) -> str:
        """The same, or sometimes a reply that is no verdict."""
        return "perhaps" if rng.random() < settings["slip"] else self.reference(prompt, request)
