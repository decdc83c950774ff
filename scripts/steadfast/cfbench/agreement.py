"""How well judges agree with each other and with people, by checkpoint and by PSR (Table 6)."""

from collections.abc import Mapping, Sequence

import pandas as pd

from steadfast.cfbench.facts import FULL, SETS
from steadfast.cfbench.satisfaction import satisfaction
from steadfast.components import Labels, Scored
from steadfast.files import Record
from steadfast.metrics.agreement import agreement_rows, answer_agreement, majority
from steadfast.metrics.raters import (
    HUMAN,
    by_answer,
    judge_verdicts,
    listed_verdicts,
    numbered_points,
    read_labels,
)

VALUES = ["n", "raw", "raw_low", "raw_high", "kappa", "kappa_low", "kappa_high"]


def agreement(
    scores: Sequence[Scored],
    data: Mapping[str, Record],
    judges: Sequence[str],
    labels: Labels | None,
) -> dict[str, pd.DataFrame]:
    """Agreement of judges and people on single checkpoints, and of each judge's PSR with people's.

    People's PSR follows from their verdicts as a judge's does in mode strict; of several raters it
    is what more of them come to. It is about the first draw of a sample, which people label.

    Args:
        scores: of all models.
        data: the records by sample id.
        judges: the names of all.
        labels: people's verdicts; ``verdicts`` of a record lists 1 or 0 for each checkpoint.

    Returns:
        agreement: columns of ``metrics.agreement``. humans (Table 6): columns judge, split (easy,
        hard, full), n (labelled answers), raw, kappa, and the ends of their intervals; no row
        without people.

    Raises:
        UserError: the labels are damaged, or not of these answers.
    """

    def label(verdicts: object, score: Record) -> dict[int, int]:
        checkpoints = data[score["sample_id"]]["checkpoints"]
        return listed_verdicts(verdicts, len(checkpoints), "checkpoint")

    def psr(sample: str, verdicts: Sequence[int]) -> int:
        priorities = [checkpoint["priority"] for checkpoint in data[sample]["checkpoints"]]
        return satisfaction(priorities, verdicts).psr

    people = read_labels(labels, scores, label)
    rows = answer_agreement(judge_verdicts(scores, judges, numbered_points), people, scores)
    first_draws = [score for score in scores if not score.record["draw"]]
    totals = judge_verdicts(first_draws, judges, lambda rated: {"": rated["total"]})
    by_judge = by_answer(totals, lambda _, total: total[0])
    raters = by_answer(people, psr)
    human = majority(raters) if len(raters) > 1 else next(iter(raters.values()), {})
    pairs = pd.concat(
        agreement_rows(
            {judge: verdicts},
            {HUMAN: human},
            by=lambda item: data[item[1]]["split"],
            cluster=lambda item: item[1],
        )
        for judge, verdicts in by_judge.items()
    ).replace({"model": {"": FULL}})
    index = pd.MultiIndex.from_product([judges if human else [], SETS], names=["judge", "split"])
    humans = pairs.set_index(["first", "model"])[VALUES].reindex(index).fillna({"n": 0})
    return {
        # People label the answers of few models; the others would be rows without a value.
        "agreement": rows[(rows["n"] > 0) | (rows["model"] == "")],
        "humans": humans.reset_index(),
    }
