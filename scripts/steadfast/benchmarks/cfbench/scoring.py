"""Scores of answers by a judge's verdicts on their checkpoints."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from steadfast.base.files import Record
from steadfast.benchmarks.cfbench.facts import DIRECT, RATES, Mode, direct_request
from steadfast.benchmarks.cfbench.replies import direct_score, strict_verdicts
from steadfast.benchmarks.cfbench.satisfaction import PARSED, Satisfaction, outcome, satisfaction
from steadfast.contract.components import INVALID, MISSING, Answer, Reply, Sample, Score, Scoring
from steadfast.judging.majority import voted_points


class Reading(NamedTuple):
    """A reply as read."""

    extracted: Record  # what was read, or under ``problem`` what stood in the way of reading
    # 1 or 0 of each checkpoint; None where none are known one by one
    verdicts: list[int] | None = None
    rates: Satisfaction | None = None  # None where the reply is unreadable


def read_reply(
    mode: Mode, texts: Sequence[str], priorities: Sequence[str], reply: str, answer: str
) -> Reading:
    """Reads a reply."""
    if mode == "released":
        result = outcome(texts, priorities, reply)
        if result.rates is None:
            return Reading({"problem": f"the released code ends with {result.error}"})
        exact = result.parsing == PARSED
        values = [int(float(score)) for score in result.scores] if exact else None
        extracted = {"parsing": result.parsing, "scores": list(result.scores)}
        return Reading(extracted, values, result.rates)
    verdicts = strict_verdicts(texts, reply, answer)
    if isinstance(verdicts, str):
        return Reading({"problem": verdicts})
    return Reading({"verdicts": verdicts}, verdicts, satisfaction(priorities, verdicts))


class CfbenchScoring(Scoring):
    """``points`` by checkpoint number, ``csr``, ``isr``, ``psr``, and ``total``, which is the PSR.

    A sample without an answer keeps its output's status, one whose verdict is missing or
    unreadable is invalid; both have None for points and rates. With direct scoring, ``direct`` is
    the judge's score of the whole answer, 0 to 1, or None.
    """

    def __init__(self, mode: Mode, direct: bool = False):
        self._mode = mode
        self._direct = direct

    def facts(self, sample: Sample) -> Record:
        return {"split": sample.source["split"]}

    def score(self, sample: Sample, answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        score = self._checklist(sample, answer, verdicts)
        if not self._direct:
            return score
        if not answer.answered:
            return replace(score, values={**score.values, DIRECT: None})
        reply = verdicts.get(direct_request(sample.id), MISSING)
        value = None
        read = _no_reply(reply)
        if reply.answered:
            value = direct_score(self._mode, reply.text, answer.text)
            read = {"problem": "the reply gives no score"} if value is None else {"score": value}
        extracted = {**score.extracted, DIRECT: read}
        return replace(score, values={**score.values, DIRECT: value}, extracted=extracted)

    def majority(
        self, sample: Sample, answer: Answer, verdicts: Sequence[Mapping[str, Reply]]
    ) -> Score:
        """Most judges' verdicts on each checkpoint; ``direct`` is that of the first one read."""
        score = voted_points([self.score(sample, answer, replies) for replies in verdicts])
        if not score.points:
            return score
        priorities = [checkpoint["priority"] for checkpoint in sample.source["checkpoints"]]
        points = [int(point or 0) for point in score.points.values()]
        rates = satisfaction(priorities, points).by_name
        extracted = {**score.extracted, "verdicts": points}
        values = {**score.values, **rates}
        return replace(score, total=rates["psr"], values=values, extracted=extracted)

    def _checklist(self, sample: Sample, answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        if not answer.answered:
            return _unscored(answer.status)
        reply = verdicts.get(sample.id, MISSING)
        if not reply.answered:
            return _unscored(INVALID, _no_reply(reply))
        checkpoints = sample.source["checkpoints"]
        texts = [checkpoint["text"] for checkpoint in checkpoints]
        priorities = [checkpoint["priority"] for checkpoint in checkpoints]
        reading = read_reply(self._mode, texts, priorities, reply.text, answer.text)
        if reading.rates is None:
            return _unscored(INVALID, reading.extracted)
        points = None
        if reading.verdicts is not None:
            points = {str(n): float(v) for n, v in enumerate(reading.verdicts, start=1)}
        rates = reading.rates.by_name
        return Score(answer.status, points, rates["psr"], rates, reading.extracted)


def _unscored(status: str, extracted: Record | None = None) -> Score:
    return Score(status, values=dict.fromkeys(RATES), extracted=extracted)


def _no_reply(reply: Reply) -> Record:
    return {"problem": f"the judge's reply: {reply.status}"}
