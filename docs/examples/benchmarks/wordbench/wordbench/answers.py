"""Responses and verdicts in place of models."""

from random import Random

from steadfast.base.files import Settings
from steadfast.contract.components import (
    JudgePrompt,
    JudgeRequest,
    JudgeSimulator,
    Sample,
    Simulator,
)


class Writer(Simulator):
    """Writes the requested number of words."""

    def reference(self, sample: Sample) -> str:
        """The reference answer."""
        return " ".join(["word"] * sample.source["words"])

    def simulated(self, sample: Sample, settings: Settings, seen: float, rng: Random) -> str:
        """The same, sometimes with a word too many."""
        return self.reference(sample) + (" more" if rng.random() < settings["slip"] else "")


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
