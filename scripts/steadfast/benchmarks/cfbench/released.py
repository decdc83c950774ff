"""Mode released: what the benchmark's published code makes of a judge's reply, quirk by quirk.

The fallback for replies that do not parse keeps no zero, so that every such record with a single
1 in it counts as wholly satisfied; docs/cfbench.md tells what else is odd.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from steadfast.benchmarks.cfbench.facts import PRIMARY, PRIORITIES
from steadfast.benchmarks.cfbench.replies import number, parsed
from steadfast.benchmarks.cfbench.satisfaction import Satisfaction

THRESHOLD = 0.8  # of PSR (paper, "Evaluation Metrics")
PARSED, PARTLY, UNREADABLE = "1", "0", "-1"  # the released field judge_parsing


@dataclass(frozen=True)
class Outcome:
    """What the released code stores for one record."""

    # 1 parsed, 0 by the fallback, -1 nothing found; None where the code raises
    parsing: str | None = None
    scores: tuple[str, ...] = ()  # the numbers as they stood in the reply
    # CSR rounded to two decimals, ISR and PSR; None where the code raises
    rates: Satisfaction | None = None
    # name of the exception with which the released evaluation ends here, else None
    error: str | None = None


def outcome(texts: Sequence[str], priorities: Sequence[str], reply: str | None) -> Outcome:
    """The released result of one record; where the released code raises, that error's name."""
    if reply is None:
        return Outcome(error="AttributeError")
    scores = parsed(texts, reply)
    if scores is None:
        return _fallback(reply)
    if not set(priorities) <= set(PRIORITIES):
        return Outcome(error="AssertionError")
    values = [float(score) for score in scores]
    csr = _mean(values)
    rates = Satisfaction(csr, int(csr >= 1), _psr(priorities, values, csr))
    return Outcome(PARSED, tuple(scores), rates)


def _fallback(reply: str) -> Outcome:
    scores = []
    for line in reply.split("\n"):
        if line.count("\t") == 1:
            after = line.partition("\t")[2]
            value = number(after)
            if value is None:
                return Outcome(error="ValueError")
            if value == 1:  # a zero is lost, and with it every unsatisfied checkpoint
                scores.append(after.strip())
    if not scores:
        return Outcome(UNREADABLE, ("0",), Satisfaction(0.0, 0, 0))
    return Outcome(PARTLY, tuple(scores), Satisfaction(1.0, 1, 1))


def _psr(priorities: Sequence[str], values: Sequence[float], csr: float) -> int:
    pairs = list(zip(priorities, values, strict=True))
    if any(priority == PRIMARY and not value for priority, value in pairs):
        return 0
    secondary = [value for priority, value in pairs if priority != PRIMARY]
    if not secondary:
        return 1
    if len(secondary) == len(values):
        return int(csr > THRESHOLD)
    return int(0.5 + 0.5 * _mean(secondary) > THRESHOLD)


def _mean(values: Sequence[float]) -> float:
    return hundredths(sum(values) / len(values))


def hundredths(value: float) -> float:
    """Returns a number rounded to two decimals as numpy does it: half to even of the scaled number.

    Python's own ``round`` gives another result for some numbers, such as 0.615.

    >>> hundredths(0.615), round(0.615, 2)
    (0.62, 0.61)
    """
    return round(value * 100) / 100
