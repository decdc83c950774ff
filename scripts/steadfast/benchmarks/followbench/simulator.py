"""Simulated responses and verdicts; a response meets the constraints of its level, or some."""

from collections.abc import Callable, Collection, Sequence
from random import Random

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import JUDGE, NO, YES, Prompt, affixes, string_list
from steadfast.contract.components import JudgePrompt, JudgeRequest, Sample
from steadfast.contract.simulated import ModelSimulator, SimulatedJudge, signature

FIRST = 0.4  # share of a model's slip that one constraint costs
GROWTH = 0.1  # what each constraint of the level adds to that share
MIDDLE = 0.2  # share of the position bias that a constraint in the middle costs
SPREAD = 0.8  # of the slip over groups, around the model's
ANSWER_IN_FORM = "42"

_BROKEN: tuple[Callable[[str], str], ...] = (
    lambda answer: f"Sure! Here is what you asked for:\n{answer}\nIs there anything else?",
    lambda answer: f'"{answer[: len(answer) // 2]}"',
    lambda answer: "I am sorry. I do not know that. Please ask about something else! Thank you.",
)


class FollowbenchSimulator(ModelSimulator):
    """Responses that meet the constraints of a prompt's level, or some of them."""

    def requirements(self, sample: Sample[Prompt]) -> range:
        """The constraints, from 1."""
        return range(1, sample.prompt["level"] + 1)

    def meets(
        self, sample: Sample[Prompt], number: int, settings: Settings, seen: float, rng: Random
    ) -> bool:
        """One of many is missed more often, in the middle most, and in some groups."""
        level = sample.prompt["level"]
        group = Random(f"{settings['seed']}/{sample.prompt['context_id']}")
        slip = settings["slip"] * group.uniform(1 - SPREAD, 1 + SPREAD)
        # P(met) = 1 - slip · (FIRST + GROWTH · level) - MIDDLE · bias · 4 · depth · (1 - depth)
        depth = (number - 0.5) / level
        lost = MIDDLE * settings["position_bias"] * 4 * depth * (1 - depth) * (level > 1)
        chance: float = 1 - slip * (FIRST + GROWTH * level) - lost
        return rng.random() < chance

    def response(self, sample: Sample[Prompt], met: Collection[int], rng: Random) -> str:
        """Words for a judge; for a rule the reference answer, broken unless all is met."""
        if sample.source["scorer"] == JUDGE:
            return f"An answer stands here.\n{signature(met)}"
        answer = _rule_answer(sample)
        return answer if len(met) == sample.prompt["level"] else rng.choice(_BROKEN)(answer)


def _rule_answer(sample: Sample[Prompt]) -> str:
    """Returns an answer that meets the rule of a group at the prompt's level."""
    rule = sample.source["scorer"]
    level = sample.prompt["level"]
    target = sample.source["levels"][level - 1]["target"]
    match rule:
        case "exact" | "option" | "date" | "money" | "contained":
            return str(target)
        case "lines":
            return "\n".join(target.split("\n")[:level])
        case "member":
            return next(iter(string_list(target) or ()))
        case "template":
            return ANSWER_IN_FORM.join(affixes(target))
    texts = facts("followbench/reference.yaml")[sample.source["language"]][rule]
    if isinstance(texts, str):
        return texts
    # By the level from which each text on meets the rule.
    return str(texts[max(start for start in texts if start <= level)])


class FollowbenchJudge(SimulatedJudge):
    """Verdicts as FollowBench's judges write them."""

    def numbers(self, request: JudgeRequest) -> range:
        return range(1, request.expected["count"] + 1)

    def reply(self, prompt: JudgePrompt, request: JudgeRequest, verdicts: Sequence[bool]) -> str:
        """Returns a reason for each constraint, and the list of verdicts; or a rating."""
        if highest := request.expected.get("highest"):
            # In the upper half only where all is kept.
            share = sum(verdicts) / len(verdicts)
            rating = highest if all(verdicts) else round(highest / 2 * share)
            return f"1) Constraints kept: {sum(verdicts)}\n2) Rating: [[{rating}]]"
        words = [YES if is_kept else NO for is_kept in verdicts]
        reasons = [f"- constraint {number}: {word}" for number, word in enumerate(words, start=1)]
        return "\n".join(["1) and 2)", *reasons, f"3) {words}"])
