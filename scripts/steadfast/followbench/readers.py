"""Simulated readers and judges: seeded stand-ins, for trying the whole workflow on any machine.

A reader forgets a constraint more easily the more there are, in the middle more than at the ends,
and some groups are harder for it than others. No claim about any model is meant.
"""

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from steadfast.files import Record
from steadfast.followbench.answers import described, reference_answer
from steadfast.followbench.facts import JUDGE, NO, YES
from steadfast.followbench.prompts import Sources, load_part
from steadfast.judging.stand_in import UNSIGNED, signed

FIRST, GROWTH = 0.4, 0.1  # share of a reader's slip that one constraint costs, and each more
MIDDLE = 0.2  # of the position bias, at most, for a constraint in the middle
SPREAD = 0.8  # of a reader's difficulty over groups
JUDGE_SLIP = 4  # a judge slips in one of so many cases where a reader would

_SPOILT: tuple[Callable[[str], str], ...] = (
    lambda answer: f"Sure! Here is what you asked for:\n{answer}\nIs there anything else?",
    lambda answer: f'"{answer[: len(answer) // 2]}"',
    lambda answer: "I am sorry. I do not know that. Please ask about something else! Thank you.",
)
_UNREADABLE: tuple[Callable[[str], str], ...] = (
    lambda verdicts: "On the whole the answer does well, though not in every respect.",
    lambda verdicts: f"{verdicts}\nI hope that this helps.",
    lambda verdicts: verdicts.replace("]", f", '{YES}']"),
    lambda verdicts: verdicts.replace(YES, "satisfied").replace(NO, "not satisfied"),
    lambda verdicts: "",
)


class FollowbenchOracle:
    """Reference answers and simulated readings of one language's prompts."""

    def __init__(self, prompts: Path, sources: Sources):
        self._samples = {
            prompt["sample_id"]: (prompt, group) for prompt, group in load_part(prompts, sources)
        }

    def reference(self, sample_id: str) -> str:
        """An answer that keeps all constraints."""
        return reference_answer(*self._samples[sample_id])

    def simulated(
        self, sample_id: str, reader: Mapping[str, Any], seen: float, rng: random.Random
    ) -> str:
        """What a reader answers."""
        return simulated_answer(*self._samples[sample_id], reader, rng)


def simulated_answer(
    prompt: Record, group: Record, reader: Mapping[str, Any], rng: random.Random
) -> str:
    """What a reader answers to a prompt.

    Args:
        prompt: the prompt record.
        group: the group of the data that it belongs to.
        reader: slip (share of what goes wrong, 0 to 1), position_bias (0 to 1), seed.
        rng: source of everything random in the answer.
    """
    level = prompt["level"]
    own = random.Random(f"{reader['seed']}/{prompt['context_id']}")
    slip = reader["slip"] * own.uniform(1 - SPREAD, 1 + SPREAD)
    kept = [n for n in range(1, level + 1) if rng.random() < _chance(n, level, slip, reader)]
    if group["scorer"] == JUDGE:
        return described(kept)
    answer = reference_answer(prompt, group)
    return answer if len(kept) == level else rng.choice(_SPOILT)(answer)


def _chance(number: int, level: int, slip: float, reader: Mapping[str, Any]) -> float:
    """The chance to keep the constraint of that number, of as many as the level has."""
    depth = (number - 0.5) / level
    lost = MIDDLE * reader["position_bias"] * 4 * depth * (1 - depth) * (level > 1)
    return max(0.0, 1 - slip * (FIRST + GROWTH * level) - lost)


class JudgeOracle:
    """Replies of judges without a model to the judge prompts of one model's answers."""

    def __init__(self, judging: Path):
        from steadfast.judging.requests import by_sample

        self._requests = by_sample(judging)

    def reference(self, sample_id: str) -> str:
        """The verdict that the answer asks for on its last line; none where it has no such line."""
        kept = self._kept(sample_id)
        return UNSIGNED if kept is None else _reply(kept)

    def simulated(
        self, sample_id: str, reader: Mapping[str, Any], seen: float, rng: random.Random
    ) -> str:
        """What a judge replies that errs now and then, and sometimes cannot be read."""
        kept = self._kept(sample_id)
        if kept is None:
            return UNSIGNED
        chance = reader["slip"] / JUDGE_SLIP
        reply = _reply([one != (rng.random() < chance) for one in kept])
        return rng.choice(_UNREADABLE)(reply) if rng.random() < chance else reply

    def _kept(self, sample_id: str) -> list[bool] | None:
        record, request = self._requests[sample_id]
        kept = signed(record["answer"])
        if kept is None:
            return None
        return [number in kept for number in range(1, request["expected"]["count"] + 1)]


def _reply(kept: list[bool]) -> str:
    words = [YES if one else NO for one in kept]
    reasons = [f"- constraint {number}: {word}" for number, word in enumerate(words, start=1)]
    return "\n".join(["1) and 2)", *reasons, f"3) {words}"])
