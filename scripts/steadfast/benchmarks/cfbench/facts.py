"""What CFBench is made of: its language, splits, priorities and rates, and its records' fields."""

from typing import Literal

from steadfast.contract import records

FILE = "cfbench_data.json"  # of the released data, and of a directory's
LANGUAGE = "zh"  # the only one that is published
PRIMARY = "主需"
SECONDARY = "次需"
PRIORITIES = (PRIMARY, SECONDARY)
SPLITS = ("easy", "hard")
FULL = "full"  # both splits together
SETS = (*SPLITS, FULL)
REAL_LIFE = "tob"  # the source whose records have a domain; the others name an NLP task
OTHER_TASKS = "(other tasks)"  # those with few records, together
# Of one record, as scores have them.
RATES: tuple[Literal["csr", "isr", "psr"], ...] = ("csr", "isr", "psr")
MEASURES = ("CSR", "ISR", "PSR")  # their means
MEASURE_OF: dict[str, str] = dict(zip(RATES, MEASURES, strict=True))
PRIMARY_KIND = "primary"  # of constraint types
SECONDARY_KIND = "secondary"
Mode = Literal["strict", "released"]

# Direct scoring: a judge's one score of a whole answer, in place of a verdict on each checkpoint
# (paper, Table 6, "GPT-4o DS"). People score from 0 to 1; neither prompt nor code is released, so
# that the form of replies and their reading (``replies.direct_score``) are ours, in both modes.
DIRECT = "direct"  # the name of the judge template, and of the score
DIRECT_FORM = "评分：{score}"  # the last line of a reply


def direct_request(sample: str) -> str:
    """Returns the id of the request for a sample's direct score."""
    return f"{sample}/{DIRECT}"


class ScoreRecord(records.ScoreRecord):
    """``direct`` is the judge's direct score, where one is requested."""

    csr: float | None
    isr: float | None
    psr: float | None
    direct: float | None
