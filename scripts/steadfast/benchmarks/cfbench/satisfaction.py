"""CSR, ISR and PSR of one record, exactly (equations 1 to 3) and as the released code has them.

The released fallback for replies that do not parse drops zeros, so that a record with a single 1
counts as wholly satisfied; docs/cfbench.md lists its other accidents.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from steadfast.benchmarks.cfbench.facts import PRIMARY, PRIORITIES
from steadfast.benchmarks.cfbench.replies import number, parsed


class Satisfaction(NamedTuple):
    """The rates of one record's answer."""

    csr: float  # share of the checkpoints that hold, 0 to 1
    isr: int  # 1 if all of them hold, else 0
    psr: int  # 1 if they hold well enough by priority, else 0

    @property
    def by_name(self) -> dict[str, float]:
        """The rates by their names in scores (``facts.RATES``)."""
        return {name: float(rate) for name, rate in self._asdict().items()}


def satisfaction(priorities: Sequence[str], verdicts: Sequence[int]) -> Satisfaction:
    """Returns the three rates of one record, without any rounding.

    PSR: a primary checkpoint that does not hold gives 0; otherwise 0.5 + 0.5·A has to exceed 0.8,
    A being the satisfied share of the secondary ones. The paper has no case for records with one
    priority only; as in the released code, without secondary checkpoints nothing more is required,
    and without primary ones CSR itself has to exceed 0.8.

    Args:
        priorities: of each checkpoint, 主需 (primary) or 次需 (secondary); at least one.
        verdicts: 1 or 0 of each checkpoint, in the same order.

    Source: paper, "Evaluation Metrics"; in whole numbers, so that no rounding error decides.
    """
    pairs = list(zip(priorities, verdicts, strict=True))
    held = sum(verdicts)
    count = len(verdicts)
    secondary = [verdict for priority, verdict in pairs if priority != PRIMARY]
    held_secondary = sum(secondary)
    if held - held_secondary < count - len(secondary):
        psr = 0
    elif not secondary:
        psr = 1
    elif len(secondary) == count:
        psr = int(5 * held_secondary > 4 * count)  # CSR > 4/5
    else:
        psr = int(5 * held_secondary > 3 * len(secondary))  # 1/2 + A/2 > 4/5
    return Satisfaction(held / count, int(held == count), psr)


def is_satisfied(*scores: float) -> int:
    """1 where the mean of scores exceeds 0.8, as a satisfied PSR does, else 0.

    Kappa needs categories, and the paper names no other limit than that of PSR. Exact: 0.8 as it
    is written does not exceed it.
    """
    exact = [Fraction(str(score)) for score in scores]
    return int(sum(exact) / len(exact) > Fraction(4, 5))


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
    return rounded_to_hundredths(sum(values) / len(values))


def rounded_to_hundredths(value: float) -> float:
    """Returns a number rounded to two decimals as numpy does it: half to even of the scaled number.

    Python's own ``round`` gives another result for some numbers, such as 0.615.
    """
    return round(value * 100) / 100
