"""A judge's reply to one record, in either mode: verdicts and rates, or why there are none."""

from collections.abc import Sequence
from typing import NamedTuple

from steadfast.cfbench import direct, released
from steadfast.cfbench.facts import Mode
from steadfast.cfbench.satisfaction import Satisfaction, satisfaction
from steadfast.cfbench.strict import read_verdicts
from steadfast.files import Record
from steadfast.judging.reply import own_words


class Reading(NamedTuple):
    """What a reply says.

    Attributes:
        extracted: what was read, or under ``problem`` what stood in the way of reading.
        verdicts: 1 or 0 of each checkpoint; None where none are known one by one.
        rates: CSR, ISR and PSR; None where the reply is unreadable.
    """

    extracted: Record
    verdicts: list[int] | None = None
    rates: Satisfaction | None = None


def read_reply(
    mode: Mode, texts: Sequence[str], priorities: Sequence[str], reply: str, answer: str
) -> Reading:
    """Reads a reply.

    Args:
        mode: strict, or as the released code does.
        texts: the checkpoints.
        priorities: of each checkpoint.
        reply: the judge's.
        answer: that was judged, whose repetition in the reply is not the judge's word (strict).
    """
    if mode == "released":
        found = released.outcome(texts, priorities, reply)
        if found.rates is None:
            return Reading({"problem": f"the released code ends with {found.error}"})
        exact = found.parsing == released.PARSED
        values = [int(float(score)) for score in found.scores] if exact else None
        extracted = {"parsing": found.parsing, "scores": list(found.scores)}
        return Reading(extracted, values, found.rates)
    verdicts = _strictly(texts, reply, answer)
    if isinstance(verdicts, str):
        return Reading({"problem": verdicts})
    return Reading({"verdicts": verdicts}, verdicts, satisfaction(priorities, verdicts))


def _strictly(texts: Sequence[str], reply: str, answer: str) -> list[int] | str:
    own = own_words(reply, answer)
    verdicts = read_verdicts(texts, own)
    if isinstance(verdicts, str) and own != reply:
        # A checkpoint of several lines may show a form that the answer rightly has, and an answer
        # that forges its verdicts must not undo those of a judge who disagrees: the whole reply
        # counts unless its verdicts stand in the answer too, one after the other. (To look for
        # each by itself would let an answer with a list of ones and a list of zeros undo any.)
        judged, forged = _verdict_lines(reply), _verdict_lines(answer)
        if f"\n{judged}\n" not in f"\n{forged}\n":
            return read_verdicts(texts, reply)
    return verdicts


def _verdict_lines(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines() if "\t" in line)


def readable(expected: Record, reply: str, answer: str) -> bool:
    """Whether a reply needs no further asking.

    Args:
        expected: of the judge request: mode, and checkpoints or that a score is asked for.
        reply: the judge's.
        answer: that was judged.
    """
    if direct.NAME in expected:
        return direct.direct_score(expected["mode"], reply, answer) is not None
    texts = expected["checkpoints"]
    if expected["mode"] == "released":
        return released.parsed(texts, reply) is not None
    return isinstance(_strictly(texts, reply, answer), list)
