"""Scoring an answer by its rule, or by a judge's reply."""

from collections.abc import Mapping
from typing import Literal

from steadfast.components import INVALID, Answer, Reply, Sample, Score, Scoring
from steadfast.files import Record
from steadfast.followbench.facts import JUDGE, RULE
from steadfast.followbench.rules.decide import satisfied
from steadfast.followbench.verdicts import released, strict

FAILURE = -1.0  # of every constraint, as released, where a reply could not be read


class FollowbenchScoring(Scoring):
    """Scores an answer: ``points`` has 1 or 0 for each constraint, or one for a rule's whole item.

    ``total`` is 1 if all are kept. Without a readable verdict both are None under status invalid;
    in mode released they are −1, unless the judge could not be asked.

    Args:
        mode: how judges' replies are read.
    """

    def __init__(self, mode: Literal["strict", "released"]):
        self._mode = mode

    def facts(self, sample: Sample) -> Record:
        """Level, and what scores the item."""
        return {name: sample.prompt[name] for name in ("level", "scorer")}

    def score(self, sample: Sample, answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        """What an answer is worth."""
        if not answer.answered:
            return Score(answer.status)
        if sample.prompt["scorer"] == JUDGE:
            return self._judged(sample, answer, verdicts.get(sample.id))
        group, level = sample.source, sample.prompt["level"]
        target = group["levels"][level - 1]["target"]
        kept = float(satisfied(group["scorer"], group["language"], level, target, answer.text))
        return Score(answer.status, {RULE: kept}, kept, extracted={"problem": None})

    def _judged(self, sample: Sample, answer: Answer, reply: Reply | None) -> Score:
        """One judge's verdicts on an answer, and what was wrong with its reply."""
        level, verdicts = sample.prompt["level"], None
        problem = reply.status if reply else "missing"
        if reply and reply.answered:
            problem = "unreadable"
            if self._mode == "released":
                verdicts = released(reply.text, level, sample.source["language"])
            else:
                verdicts = strict(reply.text, answer.text, level)
        attempts = reply.attempts if reply else None
        extracted = {"problem": None if verdicts else problem, "attempts": attempts}
        # To released code a refusal is an empty reply; what never came says nothing in any mode.
        failed = self._mode == "released" and problem in ("unreadable", "refused")
        if verdicts is None and not failed:
            return Score(INVALID, extracted=extracted)
        values = [FAILURE] * level if verdicts is None else list(map(float, verdicts))
        points = {str(number): value for number, value in enumerate(values, start=1)}
        return Score(answer.status, points, min(values), extracted=extracted)
