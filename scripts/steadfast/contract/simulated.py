"""The simulated model and the simulated judge of all benchmarks; they represent no real model.

A sample has numbered requirements. The simulated model meets each with some probability, and the
benchmark makes a response that meets these and no others. For judged benchmarks that response ends
with a line such as ``[simulated: kept 1, 3]``. The simulated judge reads that line only; a response
without it, such as a real model's, gets no verdict.
"""

import re
from abc import abstractmethod
from collections.abc import Collection, Iterable, Sequence
from random import Random
from typing import Any, ClassVar

from steadfast.base.files import Settings
from steadfast.contract.components import (
    JudgePrompt,
    JudgeRequest,
    JudgeSimulator,
    Sample,
    Simulator,
)


class ModelSimulator(Simulator):
    """A model that meets each requirement of a sample with some probability.

    By default a sample has one requirement, whose probability falls with the context's length.
    """

    @abstractmethod
    def response(self, sample: Sample[Any], met: Collection[int], rng: Random) -> str:
        """A response that meets these requirements and no others; all of them: full marks."""

    def requirements(self, sample: Sample[Any]) -> Sequence[int]:
        """The numbers of the sample's requirements."""
        return (1,)

    def tokens(self, sample: Sample[Any]) -> float:
        """The length of the sample's context in tokens."""
        return 0

    def meets(
        self, sample: Sample[Any], number: int, settings: Settings, seen: float, rng: Random
    ) -> bool:
        """Whether a requirement is met, by one call of ``rng.random``."""
        # P(met) = (1 - slip) · seen · 2^(-tokens / span): each span of context halves it.
        halvings = self.tokens(sample) / settings["span"]
        recall: float = (1 - settings["slip"]) * seen * 0.5**halvings
        return rng.random() < recall

    def reference(self, sample: Sample[Any]) -> str:
        """A response that meets every requirement."""
        return self.response(sample, self.requirements(sample), Random(0))

    def simulated(self, sample: Sample[Any], settings: Settings, seen: float, rng: Random) -> str:
        """A response that meets some requirements; the same for the same state of ``rng``."""
        met: list[int] = []
        for number in self.requirements(sample):
            if self.meets(sample, number, settings, seen, rng):
                met.append(number)
        return self.response(sample, met, rng)


_SIGNATURE = re.compile(r"\[simulated: kept ([0-9, ]{0,2000})\]")
# The reply to a response without a signature; no verdict in any benchmark.
UNSIGNED = "[simulated: nothing is known of this answer]"
# Unreadable replies of a simulated judge; no verdict in any benchmark.
CHATTER = (
    "On the whole the answer does well, though not in every respect.",
    "这份回答大体不错，但也有不足。",
    "",
)


def signature(met: Iterable[int]) -> str:
    """The last line of a simulated response, with the numbers of the requirements that it meets."""
    return f"[simulated: kept {', '.join(map(str, sorted(met)))}]"


def signed_requirements(response: str) -> frozenset[int] | None:
    """The requirements that a response meets by its signature; None without one."""
    last_line = response.rstrip().rpartition("\n")[2].strip()
    match = _SIGNATURE.fullmatch(last_line)
    return frozenset(map(int, re.findall(r"\d{1,9}", match[1]))) if match else None


def without_signature(response: str) -> str:
    """A response without its signature.

    >>> without_signature("Four words and this.\\n\\n[simulated: kept 1]")
    'Four words and this.'
    """
    text, _, _ = response.rstrip().rpartition("\n")
    return response if signed_requirements(response) is None else text.rstrip()


class SimulatedJudge(JudgeSimulator):
    """Verdicts on responses by their signatures; none on others."""

    flip: ClassVar[float] = 0.25  # share of a judge's ``slip``: probability of a wrong verdict
    chatter: ClassVar[float] = 0.25  # share of it: probability of an unreadable reply

    @abstractmethod
    def reply(self, prompt: JudgePrompt, request: JudgeRequest, verdicts: Sequence[bool]) -> str:
        """A well-formed reply with a verdict on each number."""

    def numbers(self, request: JudgeRequest) -> Iterable[int]:
        """The numbers of the requirements that a request is about."""
        return (1,)

    def reference(self, prompt: JudgePrompt, request: JudgeRequest) -> str:
        """A well-formed reply with the verdicts by the response's signature."""
        return self.simulated(prompt, request, {}, Random(0))

    def simulated(
        self, prompt: JudgePrompt, request: JudgeRequest, settings: Settings, rng: Random
    ) -> str:
        """The same with wrong verdicts and unreadable replies, as often as ``slip`` says."""
        met = signed_requirements(prompt.answer)
        if met is None:
            return UNSIGNED
        slip = settings.get("slip", 0.0)
        verdicts = []
        # The order of the random numbers determines the reply to a seed.
        for number in self.numbers(request):
            flipped = rng.random() < slip * self.flip
            verdicts.append((number in met) != flipped)
        reply = self.reply(prompt, request, verdicts)
        return rng.choice(CHATTER) if rng.random() < slip * self.chatter else reply
