"""Scoring an answer by its rule, or by a judge's reply."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from steadfast.base.files import Record
from steadfast.benchmarks.followbench import replies
from steadfast.benchmarks.followbench.facts import JUDGE, PATH, RATING, RULE, Prompt, request_id
from steadfast.benchmarks.followbench.rules import is_satisfied
from steadfast.contract.components import INVALID, MISSING, Answer, Reply, Sample, Score, Scoring
from steadfast.contract.votes import ON_RULES
from steadfast.judging.majority import voted_points

FAILURE = -1.0  # of every constraint, as released, where a reply could not be read
THRESHOLD = 5.0  # a higher rating means that all constraints are kept (section 5.1)


class FollowbenchScoring(Scoring):
    """Scores an answer: ``points`` has 1 or 0 for each constraint.

    A rule, and a judge's rating, have one for the whole item. ``total`` is 1 if all are kept.
    Without a readable verdict both are None under status invalid; in mode released they are −1,
    unless the judge's request failed.
    """

    def __init__(self, mode: Literal["strict", "released"], judge_prompts: Sequence[str] = (PATH,)):
        self._mode = mode
        self._judge_prompts = judge_prompts

    def facts(self, sample: Sample[Prompt]) -> Record:
        return {name: sample.prompt[name] for name in ("level", "scorer")}

    def score(self, sample: Sample[Prompt], answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        if not answer.answered:
            return Score(answer.status)
        if sample.prompt["scorer"] == JUDGE:
            scores = {}
            for judge_prompt in self._judge_prompts:
                scores[judge_prompt] = self._judged(sample, answer, judge_prompt, verdicts)
            return replace(scores.pop(self._judge_prompts[0]), other_raters=scores)
        group = sample.source
        level = sample.prompt["level"]
        target = group["levels"][level - 1]["target"]
        is_kept = float(
            is_satisfied(group["scorer"], group["language"], level, target, answer.text)
        )
        score = Score(answer.status, {RULE: is_kept}, is_kept, extracted={"problem": None})
        judge_prompt = self._judge_prompts[0]
        if request_id(sample.id, judge_prompt) not in verdicts:
            return score
        judged = self._judged(sample, answer, judge_prompt, verdicts)
        return replace(score, other_raters={ON_RULES: judged})

    def majority(
        self, sample: Sample[Prompt], answer: Answer, verdicts: Sequence[Mapping[str, Reply]]
    ) -> Score:
        """Most judges' verdicts on each constraint, in each of the judge's prompts."""
        scores = [self.score(sample, answer, judge_replies) for judge_replies in verdicts]
        other_prompts = {}
        for judge_prompt in scores[0].other_raters:
            raters = [score.other_raters[judge_prompt] for score in scores]
            other_prompts[judge_prompt] = voted_points(raters)
        return replace(voted_points(scores), other_raters=other_prompts)

    def _judged(
        self,
        sample: Sample[Prompt],
        answer: Answer,
        judge_prompt: str,
        verdicts: Mapping[str, Reply],
    ) -> Score:
        """Returns one judge's verdicts on an answer, and what was wrong with its reply."""
        points: dict[str, float] | None = None
        values: Record = {}
        reply = verdicts.get(request_id(sample.id, judge_prompt), MISSING)
        problem = reply.status
        if reply.answered:
            problem = "unreadable"
            points, values = self._read(sample, answer, judge_prompt, reply.text)
        extracted = {"problem": None if points else problem, "attempts": reply.attempts}
        # To released code a refusal is an empty reply; a missing reply is a failure in no mode.
        failed = self._mode == "released" and problem in ("unreadable", "refused")
        if points is None and not failed:
            return Score(INVALID, extracted=extracted)
        if points is None:
            constraints = map(str, range(1, sample.prompt["level"] + 1))
            points = dict.fromkeys([RATING] if judge_prompt == RATING else constraints, FAILURE)
        return Score(answer.status, points, min(points.values()), values, extracted)

    def _read(
        self, sample: Sample[Prompt], answer: Answer, judge_prompt: str, reply: str
    ) -> tuple[dict[str, float] | None, Record]:
        """Returns the points of a reply, None where it is unreadable, and the rating itself."""
        is_strict = self._mode == "strict"
        if judge_prompt == RATING:
            if is_strict:
                rating = replies.strict_rating(reply, answer.text)
            else:
                rating = replies.released_rating(reply)
            if rating is None:
                return None, {}
            return {RATING: float(rating > THRESHOLD)}, {RATING: rating}
        level = sample.prompt["level"]
        if is_strict:
            verdicts = replies.strict_verdicts(reply, answer.text, level)
        else:
            verdicts = replies.released_verdicts(reply, level, sample.source["language"])
        if verdicts is None:
            return None, {}
        return {str(number): float(value) for number, value in enumerate(verdicts, start=1)}, {}
