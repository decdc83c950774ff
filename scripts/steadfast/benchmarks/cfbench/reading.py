"""What a judge's reply to one record is worth, in either mode, or why it is worth nothing."""

from collections.abc import Sequence
from typing import NamedTuple

from steadfast.base.files import Record
from steadfast.benchmarks.cfbench import released
from steadfast.benchmarks.cfbench.facts import Mode
from steadfast.benchmarks.cfbench.replies import strict_verdicts
from steadfast.benchmarks.cfbench.satisfaction import Satisfaction, satisfaction


class Reading(NamedTuple):
    """What a reply says."""

    extracted: Record  # what was read, or under ``problem`` what stood in the way of reading
    # 1 or 0 of each checkpoint; None where none are known one by one
    verdicts: list[int] | None = None
    rates: Satisfaction | None = None  # CSR, ISR and PSR; None where the reply is unreadable


def read_reply(
    mode: Mode, texts: Sequence[str], priorities: Sequence[str], reply: str, answer: str
) -> Reading:
    """Reads a reply."""
    if mode == "released":
        found = released.outcome(texts, priorities, reply)
        if found.rates is None:
            return Reading({"problem": f"the released code ends with {found.error}"})
        exact = found.parsing == released.PARSED
        values = [int(float(score)) for score in found.scores] if exact else None
        extracted = {"parsing": found.parsing, "scores": list(found.scores)}
        return Reading(extracted, values, found.rates)
    verdicts = strict_verdicts(texts, reply, answer)
    if isinstance(verdicts, str):
        return Reading({"problem": verdicts})
    return Reading({"verdicts": verdicts}, verdicts, satisfaction(priorities, verdicts))
