"""The simulated model and the simulated judge of all benchmarks; no claim about any model is meant.

A sample has requirements, each with a number. The simulated model meets or misses each by chance,
and a benchmark gives the response that meets these and misses the others. For judged benchmarks
that response ends with a line such as ``[simulated: kept 1, 3]``. The simulated judge goes by that
line alone; a response without it, such as a real model's, gets no verdict.
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
    """A model that meets each requirement of a sample, or misses it, by chance.

    By default a sample has one requirement, and the chance to meet it falls with the length of the
    context.
    """

    @abstractmethod
    def response(self, sample: Sample[Any], met: Collection[int], rng: Random) -> str:
        """Returns a response that meets the requirements of these numbers, and misses the others.

        One that meets all of them gets full marks.
        """

    def requirements(self, sample: Sample[Any]) -> Sequence[int]:
        """Returns the numbers of what a response to the sample can meet or miss."""
        return (1,)

    def tokens(self, sample: Sample[Any]) -> float:
        """Returns the length of the sample's context."""
        return 0

    def meets(
        self, sample: Sample[Any], number: int, settings: Settings, seen: float, rng: Random
    ) -> bool:
        """Returns whether a requirement is met, by one call of ``rng.random``."""
        # P(met) = (1 - slip) · seen · 2^(-tokens / span): each span of context halves it.
        halvings = self.tokens(sample) / settings["span"]
        recall: float = (1 - settings["slip"]) * seen * 0.5**halvings
        return rng.random() < recall

    def reference(self, sample: Sample[Any]) -> str:
        """A response that meets every requirement."""
        return self.response(sample, self.requirements(sample), Random(0))

    def simulated(self, sample: Sample[Any], settings: Settings, seen: float, rng: Random) -> str:
        """A response that meets some requirements; the same for the same state of ``rng``."""
        met = [
            number
            for number in self.requirements(sample)
            if self.meets(sample, number, settings, seen, rng)
        ]
        return self.response(sample, met, rng)


# --- what a response says of itself, and the judge that believes it ------------------------------

_SIGNATURE = re.compile(r"\[simulated: kept ([0-9, ]{0,2000})\]")
UNSIGNED = "[simulated: nothing is known of this answer]"
"""The reply to a response without such a line; no verdict in any benchmark."""
CHATTER = (
    "On the whole the answer does well, though not in every respect.",
    "这份回答大体不错，但也有不足。",
    "",
)
"""What a simulated judge writes in place of verdicts now and then; no verdict in any benchmark."""


def signature(met: Iterable[int]) -> str:
    """Returns the last line of a simulated response, which names what it meets by number."""
    return f"[simulated: kept {', '.join(map(str, sorted(met)))}]"


def signed(response: str) -> frozenset[int] | None:
    """Returns the numbers that a response's last line names; None where it has no such line."""
    last_line = response.rstrip().rpartition("\n")[2].strip()
    match = _SIGNATURE.fullmatch(last_line)
    return frozenset(map(int, re.findall(r"\d{1,9}", match[1]))) if match else None


def unsigned(response: str) -> str:
    """Returns a response without its last line where that names what it meets.

    >>> unsigned("Four words and this.\\n\\n[simulated: kept 1]")
    'Four words and this.'
    """
    text, _, _ = response.rstrip().rpartition("\n")
    return response if signed(response) is None else text.rstrip()


class SimulatedJudge(JudgeSimulator):
    """Verdicts on responses whose last line names what they meet; on others, none."""

    flip: ClassVar[float] = 0.25  # share of a judge's slip with which it turns a verdict round
    chatter: ClassVar[float] = 0.25  # share of it with which it writes what cannot be read

    @abstractmethod
    def reply(self, prompt: JudgePrompt, request: JudgeRequest, verdicts: Sequence[bool]) -> str:
        """Returns a well-formed reply with a verdict for each number."""

    def numbers(self, request: JudgeRequest) -> Iterable[int]:
        """Returns the numbers of the requirements that a request is about."""
        return (1,)

    def reference(self, prompt: JudgePrompt, request: JudgeRequest) -> str:
        """Returns a well-formed reply that goes by the response's last line."""
        return self.simulated(prompt, request, {}, Random(0))

    def simulated(
        self, prompt: JudgePrompt, request: JudgeRequest, settings: Settings, rng: Random
    ) -> str:
        """The same with a verdict turned round, or the form missed, by the judge's ``slip``."""
        met = signed(prompt.answer)
        if met is None:
            return UNSIGNED
        slip = settings.get("slip", 0.0)
        verdicts = []
        for number in self.numbers(request):
            flipped = rng.random() < slip * self.flip
            verdicts.append((number in met) != flipped)
        reply = self.reply(prompt, request, verdicts)
        return rng.choice(CHATTER) if rng.random() < slip * self.chatter else reply
