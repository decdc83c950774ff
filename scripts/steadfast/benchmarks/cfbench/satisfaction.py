"""CSR, ISR and PSR of one record from its verdicts, exactly (paper, equations 1 to 3)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from steadfast.benchmarks.cfbench.facts import PRIMARY


class Satisfaction(NamedTuple):
    """What one record's answer is worth."""

    csr: float  # share of the checkpoints that hold, 0 to 1
    isr: int  # 1 if all of them hold, else 0
    psr: int  # 1 if they hold well enough by priority, else 0


def satisfaction(priorities: Sequence[str], verdicts: Sequence[int]) -> Satisfaction:
    """Returns the three rates of one record, without any rounding.

    PSR: a primary checkpoint that does not hold gives 0; otherwise 0.5 + 0.5·A has to exceed 0.8,
    A being the satisfied share of the secondary ones. The paper has no case for records with one
    priority only; as in the released code, without secondary checkpoints nothing more is asked,
    and without primary ones CSR itself has to exceed 0.8.

    Args:
        priorities: of each checkpoint, 主需 (primary) or 次需 (secondary); at least one.
        verdicts: 1 or 0 of each checkpoint, in the same order.

    Source: paper, "Evaluation Metrics"; in whole numbers, so that no rounding error decides.

    >>> satisfaction(["主需", "次需", "次需", "次需"], [1, 1, 1, 0])
    Satisfaction(csr=0.75, isr=0, psr=1)
    """
    pairs = list(zip(priorities, verdicts, strict=True))
    held, count = sum(verdicts), len(verdicts)
    secondary = [verdict for priority, verdict in pairs if priority != PRIMARY]
    kept = sum(secondary)
    if held - kept < count - len(secondary):
        psr = 0
    elif not secondary:
        psr = 1
    elif len(secondary) == count:
        psr = int(5 * kept > 4 * count)  # CSR > 4/5
    else:
        psr = int(5 * kept > 3 * len(secondary))  # 1/2 + A/2 > 4/5
    return Satisfaction(held / count, int(held == count), psr)


def is_satisfied(*scores: float) -> int:
    """1 where the mean of scores exceeds 0.8, as a satisfied PSR does, else 0.

    Kappa needs categories, and the paper names no other limit than that of PSR, which is what
    users are content with. Exact: 0.8 as it is written does not exceed it.

    >>> is_satisfied(0.8, 0.8, 0.8), is_satisfied(0.8, 0.9)
    (0, 1)
    """
    exact = [Fraction(str(score)) for score in scores]
    return int(sum(exact) / len(exact) > Fraction(4, 5))
