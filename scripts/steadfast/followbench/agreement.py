"""How well judges agree with each other and with people, on constraints and on whole items."""

from collections.abc import Sequence

import pandas as pd

from steadfast.components import Labels, Scored
from steadfast.files import Record
from steadfast.followbench.facts import JUDGE, NO, YES
from steadfast.metrics.agreement import COLUMNS, answer_agreement
from steadfast.metrics.raters import (
    by_answer,
    judge_verdicts,
    listed_verdicts,
    numbered_points,
    read_labels,
)

CONSTRAINT, ITEM = "constraint", "item"


def agreement(
    scores: Sequence[Scored], judges: Sequence[str], labels: Labels | None = None
) -> pd.DataFrame:
    """Agreement of every two raters on the judged items that both have judged.

    Args:
        scores: of all models.
        judges: the names of all.
        labels: people's verdicts; ``verdicts`` of a record lists YES or NO for each constraint,
            in the order in which they were added.

    Returns:
        Columns measure (constraint: each alone; item: whether all of an item are kept, as in
        Table 3) and those of ``metrics.agreement``.

    Raises:
        UserError: the labels are damaged, or not of these answers.
    """
    judged = [score for score in scores if score.record["scorer"] == JUDGE]
    of_judges = judge_verdicts(judged, judges, numbered_points)
    of_people = read_labels(labels, judged, _label)
    items = [by_answer(of, lambda _, kept: min(kept)) for of in (of_judges, of_people)]
    parts = [
        answer_agreement(of_judges, of_people, judged).assign(measure=CONSTRAINT),
        answer_agreement(items[0], items[1], judged).assign(measure=ITEM),
    ]
    return pd.concat(parts, ignore_index=True)[["measure", *COLUMNS]]


def _label(verdicts: object, score: Record) -> dict[int, int]:
    return listed_verdicts(verdicts, score["level"], "constraint", YES, NO)
