"""Scoring answers by a judge's verdicts, and by rules on what the judge copied."""

from collections.abc import Mapping, Sequence

from steadfast.base.files import Record
from steadfast.benchmarks.complexbench import judge, replies
from steadfast.benchmarks.complexbench.aggregation import apply_dependencies
from steadfast.benchmarks.complexbench.facts import STRICT, Prompt
from steadfast.benchmarks.complexbench.rules import released, strict
from steadfast.benchmarks.complexbench.rules.checks import UNDECIDED, RuleError, Verdict
from steadfast.contract.components import INVALID, MISSING, Answer, Reply, Sample, Score, Scoring
from steadfast.contract.votes import ON_RULES, majority_vote

SHOWN = 200  # characters of a copied part that a record keeps
# The verdict on a question, None where there is none, and how it came about.
Decision = tuple[Verdict | None, Record]


class ComplexbenchScoring(Scoring):
    """Scores an answer question by question.

    ``raw`` has the verdict on each question, ``points`` 1 or 0 once dependencies count, which may
    lie in earlier turns, and ``total`` the share of 1 among them. A question whose verdict is
    missing or unreadable has None; its sample is invalid and has no total, but the other questions
    stand. A sample without an answer keeps its output's status, and has neither.
    """

    def __init__(self, mode: str, judging: str):
        self._mode = mode
        self._judging = judging

    def facts(self, sample: Sample[Prompt]) -> Record:
        """Returns the instance, and the positions of its questions that the answer is judged by."""
        return {"instance": sample.prompt["main_id"], "questions": sample.prompt["points"]}

    def score(self, sample: Sample[Prompt], answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        """Returns an answer's score; questions of earlier turns are decided by their answers."""
        if not answer.answered:
            return Score(answer.status, values={"raw": None})
        decided = self._decided(sample, answer, verdicts)
        judged = self._beside_rules(sample, answer, verdicts)
        return self._scored(sample, answer, decided, judged)

    def majority(
        self,
        sample: Sample[Prompt],
        answer: Answer,
        verdicts: Sequence[Mapping[str, Reply]],
    ) -> Score:
        """Most judges' verdicts on each question, before dependencies count."""
        if not answer.answered:
            return Score(answer.status, values={"raw": None})
        decided = _majority([self._decided(sample, answer, replies) for replies in verdicts])
        judged = _majority([self._beside_rules(sample, answer, replies) for replies in verdicts])
        return self._scored(sample, answer, decided, judged)

    def _beside_rules(
        self, sample: Sample[Prompt], answer: Answer, verdicts: Mapping[str, Reply]
    ) -> dict[int, Decision]:
        """A judge's verdicts on the questions that a rule decides, where they were requested."""
        questions = sample.source["scoring_questions"]
        route = judge.plain_route(sample, self._mode)
        decisions = {}
        for point in sample.prompt["points"]:
            reply = verdicts.get(judge.rule_item_id(sample.id, point))
            if reply:
                decisions[point] = self._decision(answer, route, questions[point], reply)
        return decisions

    def _decided(
        self, sample: Sample[Prompt], answer: Answer, verdicts: Mapping[str, Reply]
    ) -> dict[int, Decision]:
        questions = sample.source["scoring_questions"]
        decided = dict[int, Decision]()
        for turn, turn_answer in zip(sample.turns, answer.turns, strict=True):
            # A turn without a response has no judge's request.
            for point, route in judge.routes(turn, self._mode, self._judging).items():
                reply = verdicts.get(judge.request_id(turn.id, point), MISSING)
                decided[point] = self._decision(turn_answer, route, questions[point], reply)
        return decided

    def _scored(
        self,
        sample: Sample[Prompt],
        answer: Answer,
        decided: Mapping[int, Decision],
        judged: Mapping[int, Decision],
    ) -> Score:
        all_points = range(len(sample.source["scoring_questions"]))
        raw = [decided[point][0] if point in decided else None for point in all_points]
        counted = apply_dependencies(raw, sample.source)
        own_points: list[int] = sample.prompt["points"]
        points: dict[str, float | None] = {}
        for point in own_points:
            is_known = counted[point] is not None
            points[str(point)] = float(counted[point] is True) if is_known else None
        decided_points = [value for value in points.values() if value is not None]
        is_complete = len(decided_points) == len(own_points)
        beside_rules = {}
        if judged:
            beside_rules[ON_RULES] = self._scored(sample, answer, {**decided, **judged}, {})
        return Score(
            status=answer.status if is_complete else INVALID,
            points=points,
            total=sum(decided_points) / len(decided_points) if is_complete else None,
            values={"raw": {str(point): raw[point] for point in own_points}},
            extracted={str(point): decided[point][1] for point in own_points},
            other_raters=beside_rules,
        )

    def _decision(
        self, answer: Answer, route: judge.Route, question: Record, reply: Reply
    ) -> Decision:
        about: Record = {"by": route.by}
        if not reply.answered:
            return None, about | {"problem": f"the judge's reply: {reply.status}"}
        is_strict = self._mode == STRICT
        if route.by != "rule":
            shown_text = judge.answer_for_judge(answer, route.by, self._mode)
            read = (
                replies.strict_verdict(reply.text, shown_text)
                if is_strict
                else replies.released_verdict(reply.text)
            )
            return read, about if read is not None else about | {"problem": "no readable verdict"}
        if is_strict:
            segments = replies.strict_segments(answer.text, reply.text, route.each)
        else:
            segments = replies.released_segments(answer.text, reply.text)
        if segments is None:
            return None, about | {"problem": "no readable copy of a part of the answer"}
        about["segments"] = [segment[:SHOWN] for segment in segments]
        try:
            return verdict(question["rule"], segments, self._mode), about
        except RuleError as error:
            # The released code ends here, without a number: the other questions keep theirs.
            return UNDECIDED, about | {"problem": f"the rule: {error.name}, {error}"}


def _majority(by_judge: Sequence[Mapping[int, Decision]]) -> dict[int, Decision]:
    """Returns most judges' verdict on each question, with the first decision that has it."""
    majorities = {}
    for point in by_judge[0]:
        decisions = [decisions[point] for decisions in by_judge if point in decisions]
        majority = majority_vote(verdict for verdict, _ in decisions)
        majorities[point] = next(decision for decision in decisions if decision[0] == majority)
    return majorities


def verdict(rule: str, segments: Sequence[str], mode: str) -> Verdict:
    """Whether the segments of an answer satisfy a rule, which mode released may leave undecided."""
    return strict.verdict(rule, segments) if mode == STRICT else released.verdict(rule, segments)
