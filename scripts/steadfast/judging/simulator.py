"""How simulated models tell simulated judges which requirements a response meets.

A simulator's answer ends with a line such as ``[simulated: kept 1, 3]``. A judge without a model
goes by that line alone; of an answer that has none, such as a real model's, it gives no verdict.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from random import Random
from typing import ClassVar

from steadfast.base.files import Settings
from steadfast.contract.components import JudgePrompt, JudgeRequest, JudgeSimulator

_SIGNATURE = re.compile(r"\[simulated: kept ([0-9, ]{0,2000})\]")
UNSIGNED = "[simulated: nothing is known of this answer]"
"""The reply to an answer without such a line; no verdict in any benchmark."""
CHATTER = (
    "On the whole the answer does well, though not in every respect.",
    "这份回答大体不错，但也有不足。",
    "",
)
"""What a simulated judge writes in place of verdicts now and then; no verdict in any benchmark."""


def signature(kept: Iterable[int]) -> str:
    """Returns the last line of a simulator's answer, which names what it keeps by number."""
    return f"[simulated: kept {', '.join(map(str, sorted(kept)))}]"


def signed(answer: str) -> frozenset[int] | None:
    """Returns the numbers that an answer's last line names; None where it has no such line."""
    last = answer.rstrip().rpartition("\n")[2].strip()
    match = _SIGNATURE.fullmatch(last)
    return frozenset(map(int, re.findall(r"\d{1,9}", match[1]))) if match else None


def unsigned(answer: str) -> str:
    """Returns an answer without its last line where that names what is kept.

    >>> unsigned("Four words and this.\\n\\n[simulated: kept 1]")
    'Four words and this.'
    """
    text, _, _ = answer.rstrip().rpartition("\n")
    return answer if signed(answer) is None else text.rstrip()


class BelievingJudge(JudgeSimulator):
    """Verdicts on answers that say what they kept; on others, none."""

    flip: ClassVar[float] = 0.25  # share of a judge's slip with which it turns a verdict round
    chatter: ClassVar[float] = 0.25  # share of it with which it writes what cannot be read

    @abstractmethod
    def numbers(self, request: JudgeRequest) -> Iterable[int]:
        """Returns the numbers of what is asked about, by which an answer names what it kept."""

    @abstractmethod
    def reply(self, prompt: JudgePrompt, request: JudgeRequest, verdicts: Sequence[bool]) -> str:
        """Returns a well-formed reply with a verdict for each number."""

    def reference(self, prompt: JudgePrompt, request: JudgeRequest) -> str:
        """Returns a well-formed reply that goes by the answer's last line."""
        return self.simulated(prompt, request, {}, Random(0))

    def simulated(
        self, prompt: JudgePrompt, request: JudgeRequest, settings: Settings, rng: Random
    ) -> str:
        """The same with a verdict turned round, or the form missed, by the judge's ``slip``."""
        kept_numbers = signed(prompt.answer)
        slip = settings.get("slip", 0.0)
        if kept_numbers is None:
            return UNSIGNED
        verdicts = [
            (number in kept_numbers) != (rng.random() < slip * self.flip)
            for number in self.numbers(request)
        ]
        reply = self.reply(prompt, request, verdicts)
        return rng.choice(CHATTER) if rng.random() < slip * self.chatter else reply
