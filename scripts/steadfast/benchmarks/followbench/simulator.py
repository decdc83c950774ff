"""Simulated models and judges, seeded, for trying the whole workflow on any machine.

A simulated model forgets a constraint more easily the more there are, in the middle more than at
the ends, and some groups are harder for it than others. No claim about any model is meant.
"""

import random
from collections.abc import Callable, Collection, Sequence

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import JUDGE, NO, YES, Prompt, affixes, string_list
from steadfast.contract.components import JudgePrompt, JudgeRequest, Sample, Simulator
from steadfast.judging.simulator import BelievingJudge, signature

ANSWER_IN_FORM = "42"


def reference_answer(prompt: Prompt, group: Record) -> str:
    """Returns an answer that keeps all constraints of a prompt's level."""
    rule = group["scorer"]
    level = prompt["level"]
    wanted = group["levels"][level - 1]["target"]
    match rule:
        case "exact" | "option" | "date" | "money" | "contained":
            return str(wanted)
        case "judge":
            return described(range(1, level + 1))
        case "lines":
            return "\n".join(wanted.split("\n")[:level])
        case "member":
            return next(iter(string_list(wanted) or ()))
        case "template":
            return ANSWER_IN_FORM.join(affixes(wanted))
    texts = facts("followbench/reference.yaml")[group["language"]][rule]
    if isinstance(texts, str):
        return texts
    return str(texts[max(start for start in texts if start <= level)])


def described(kept: Collection[int]) -> str:
    """An answer in words for a judge without a model, keeping the constraints of those numbers."""
    return f"An answer stands here.\n{signature(kept)}"


FIRST, GROWTH = (
    0.4,
    0.1,
)  # share of a simulated model's slip that one constraint costs, and each more
MIDDLE = 0.2  # of the position bias, at most, for a constraint in the middle
SPREAD = 0.8  # of a simulated model's difficulty over groups

_SPOILT: tuple[Callable[[str], str], ...] = (
    lambda answer: f"Sure! Here is what you asked for:\n{answer}\nIs there anything else?",
    lambda answer: f'"{answer[: len(answer) // 2]}"',
    lambda answer: "I am sorry. I do not know that. Please ask about something else! Thank you.",
)


class FollowbenchSimulator(Simulator):
    """Reference answers and simulated readings."""

    def reference(self, sample: Sample[Prompt]) -> str:
        return reference_answer(sample.prompt, sample.source)

    def simulated(
        self, sample: Sample[Prompt], settings: Settings, seen: float, rng: random.Random
    ) -> str:
        level = sample.prompt["level"]
        own = random.Random(f"{settings['seed']}/{sample.prompt['context_id']}")
        slip = settings["slip"] * own.uniform(1 - SPREAD, 1 + SPREAD)
        kept = [n for n in range(1, level + 1) if rng.random() < _chance(n, level, slip, settings)]
        if sample.source["scorer"] == JUDGE:
            return described(kept)
        answer = self.reference(sample)
        return answer if len(kept) == level else rng.choice(_SPOILT)(answer)


def _chance(number: int, level: int, slip: float, settings: Settings) -> float:
    """Returns the chance to keep the constraint of that number, of as many as the level has."""
    depth = (number - 0.5) / level
    lost = MIDDLE * settings["position_bias"] * 4 * depth * (1 - depth) * (level > 1)
    return float(max(0.0, 1 - slip * (FIRST + GROWTH * level) - lost))


class FollowbenchJudge(BelievingJudge):
    """Replies of judges without a model."""

    def numbers(self, request: JudgeRequest) -> range:
        return range(1, request.expected["count"] + 1)

    def reply(self, prompt: JudgePrompt, request: JudgeRequest, verdicts: Sequence[bool]) -> str:
        """Returns a reason for each constraint, and the list of verdicts; or a rating."""
        if highest := request.expected.get("highest"):
            # In the upper half only where all is kept.
            share = sum(verdicts) / len(verdicts)
            rating = highest if all(verdicts) else round(highest / 2 * share)
            return f"1) Constraints kept: {sum(verdicts)}\n2) Rating: [[{rating}]]"
        words = [YES if kept else NO for kept in verdicts]
        reasons = [f"- constraint {number}: {word}" for number, word in enumerate(words, start=1)]
        return "\n".join(["1) and 2)", *reasons, f"3) {words}"])
