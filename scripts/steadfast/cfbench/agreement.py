"""How well judges agree with each other and with people, by checkpoint and by PSR (Table 6)."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.cfbench.facts import FULL, SETS
from steadfast.cfbench.satisfaction import satisfaction
from steadfast.files import Record
from steadfast.metrics.agreement import (
    HUMAN,
    agreement_rows,
    majority,
    read_labels,
)

Records = Sequence[tuple[str, Record]]
"""Each model's score records."""
Human = Mapping[str, Mapping[tuple[str, str, int], int]]
"""People's verdicts by rater, then by model, sample and checkpoint number."""
VALUES = ("n", "raw", "raw_low", "raw_high", "kappa", "kappa_low", "kappa_high")


def verdict_rows(records: Records, judges: Sequence[str], human: Human) -> pd.DataFrame:
    """Agreement of every two judges and people on single checkpoints.

    Args:
        records: each model's score records.
        judges: their names, the one that counts first.
        human: people's verdicts, as ``read_human`` gives them.

    Returns:
        Columns of ``metrics.agreement``; no row where there is one rater only.
    """
    raters = {judge: _verdicts(records, judge, judges[0]) for judge in judges}
    people = {_free(name, judges): given for name, given in human.items()}
    rows = agreement_rows(
        raters | people,
        by=lambda item: item[0],
        cluster=lambda item: item[1],
        humans=people,
    )
    # People label the answers of few models; the others would be rows without a value.
    return rows[(rows["n"] > 0) | (rows["model"] == "")]


def human_rows(
    records: Records, data: Mapping[str, Record], judges: Sequence[str], human: Human
) -> pd.DataFrame:
    """Agreement of each judge's PSR with people's, on the easy, the hard and all records (Table 6).

    People's PSR follows from their verdicts as a judge's does in mode strict; of several raters it
    is what more of them come to.

    Args:
        records: each model's score records.
        data: the records by sample id.
        judges: their names, the one that counts first.
        human: people's verdicts, as ``read_human`` gives them.

    Returns:
        Columns judge, split, n (labelled answers), raw, kappa, and the ends of their intervals; no
        row without people.
    """
    raters = {rater: _psr(verdicts, data) for rater, verdicts in human.items()}
    people = majority(raters) if len(raters) > 1 else next(iter(raters.values()), {})
    rows: list[dict[str, Any]] = []
    for judge in judges if people else ():
        judged = {
            (model, record["sample_id"]): _of_judge(record, judge, judges[0])["total"]
            for model, record in records
        }
        for name in SETS:
            sides = [
                {item: v for item, v in side.items() if name in (FULL, data[item[1]]["split"])}
                for side in (judged, people)
            ]
            pair = dict(zip(("judge", HUMAN), sides, strict=True))
            found = agreement_rows(pair, cluster=lambda item: item[1])
            rows.append({"judge": judge, "split": name, **found.iloc[0][list(VALUES)]})
    return pd.DataFrame(rows, columns=["judge", "split", *VALUES])


def read_human(
    labels: Path | None, records: Records, data: Mapping[str, Record]
) -> dict[str, dict[tuple[str, str, int], int]]:
    """People's verdicts from their file; none without one.

    A record's ``verdicts`` is a list of 1 and 0, one a checkpoint, in their order.

    Raises:
        UserError: see ``metrics.agreement.read_labels``.
    """
    if labels is None:
        return {}

    def parse(verdicts: Any, sample: str) -> dict[int, int]:
        count = len(data[sample]["checkpoints"])
        if not isinstance(verdicts, list) or len(verdicts) != count:
            raise ValueError(f"a list of {count} verdicts was expected, one a checkpoint")
        for number, verdict in enumerate(verdicts, start=1):
            if isinstance(verdict, bool) or verdict not in (0, 1):
                raise ValueError(f"verdict {number} is {verdict!r}, neither 1 nor 0")
        return dict(enumerate(map(int, verdicts), start=1))

    known: dict[str, list[str]] = {}
    for model, record in records:
        known.setdefault(model, []).append(record["sample_id"])
    return read_labels(labels, parse, known)


def _verdicts(records: Records, judge: str, first: str) -> dict[tuple[str, str, int], int]:
    return {
        (model, record["sample_id"], int(number)): int(verdict)
        for model, record in records
        for number, verdict in (_of_judge(record, judge, first)["points"] or {}).items()
    }


def _of_judge(record: Record, judge: str, first: str) -> Mapping[str, Any]:
    """What a judge gave: the first one's stands on top of a record, the others' beside."""
    return record if judge == first else record["also"][judge]


def _psr(
    verdicts: Mapping[tuple[str, str, int], int], data: Mapping[str, Record]
) -> dict[tuple[str, str], int]:
    by_answer: dict[tuple[str, str], list[int]] = {}
    for (model, sample, _), verdict in verdicts.items():  # in the checkpoints' order
        by_answer.setdefault((model, sample), []).append(verdict)
    return {
        (model, sample): satisfaction(
            [checkpoint["priority"] for checkpoint in data[sample]["checkpoints"]], given
        ).psr
        for (model, sample), given in by_answer.items()
    }


def _free(name: str, taken: Collection[str]) -> str:
    """A rater's name that no judge has."""
    return f"{name} (human)" if name in taken else name
