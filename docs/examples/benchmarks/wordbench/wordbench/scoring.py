"""Scores a response by its number of words, or by a judge's reply."""

from collections.abc import Mapping

from steadfast.base.files import Record
from steadfast.contract.components import INVALID, Answer, Reply, Sample, Score, Scoring


class WordScoring(Scoring):
    """1 where the request is met, else 0."""

    def score(self, sample: Sample, answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        """Returns the score of one response; it never raises."""
        if not answer.answered:
            return Score(answer.status)
        if sample.source["scorer"] == "rule":
            met = len(answer.text.split()) == sample.source["words"]
            return Score(answer.status, {"words": float(met)}, float(met))
        reply = verdicts.get(sample.id)
        if reply is None or not reply.answered or not readable({}, reply.text, answer.text):
            return Score(INVALID)
        met = reply.text.strip() == "yes"
        return Score(answer.status, {"topic": float(met)}, float(met))


def readable(expected: Record, reply: str, answer: str) -> bool:
    """Whether a judge's reply is a verdict."""
    return reply.strip() in ("yes", "no")
