"""Scores of answers by a judge's verdicts on their checkpoints."""

from collections.abc import Mapping

from steadfast.cfbench.facts import RATES, Mode
from steadfast.cfbench.reading import read_reply
from steadfast.components import INVALID, Answer, Reply, Sample, Score, Scoring
from steadfast.files import Record


class CfbenchScoring(Scoring):
    """``points`` by checkpoint number, ``csr``, ``isr``, ``psr``, and ``total``, which is the PSR.

    A sample without an answer keeps its output's status, one whose verdict is missing or
    unreadable is invalid; both have None for points and rates.

    Args:
        mode: strict, or as the released code does: there points are None where a reply gives
            scores that belong to no checkpoint.
    """

    def __init__(self, mode: Mode):
        self._mode = mode

    def facts(self, sample: Sample) -> Record:
        """The split."""
        return {"split": sample.source["split"]}

    def score(self, sample: Sample, answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        """What one judge's reply makes of an answer."""
        if not answer.answered:
            return _unscored(answer.status)
        reply = verdicts.get(sample.id)
        if reply is None or not reply.answered:
            status = reply.status if reply else "missing"
            return _unscored(INVALID, {"problem": f"the judge's reply: {status}"})
        texts, priorities = (
            [checkpoint[key] for checkpoint in sample.source["checkpoints"]]
            for key in ("text", "priority")
        )
        reading = read_reply(self._mode, texts, priorities, reply.text, answer.text)
        if reading.rates is None:
            return _unscored(INVALID, reading.extracted)
        points = None
        if reading.verdicts is not None:
            points = {str(n): float(v) for n, v in enumerate(reading.verdicts, start=1)}
        rates = dict(zip(RATES, map(float, reading.rates), strict=True))
        return Score(answer.status, points, rates["psr"], rates, reading.extracted)


def _unscored(status: str, extracted: Record | None = None) -> Score:
    return Score(status, values=dict.fromkeys(RATES), extracted=extracted)
