"""How well judges agree with each other, and with people, on single scoring questions."""

from collections import defaultdict
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.complexbench.scored import Scored
from steadfast.errors import UserError
from steadfast.files import Record
from steadfast.metrics.agreement import (
    HUMANS,
    MAJORITY,
    agreement_rows,
    majority,
    read_labels,
)

WORDS = {"yes": True, "no": False}

Verdicts = dict[Hashable, bool]
"""By model, sample and question."""


def agreement(scored: Scored, labels: Path | None = None) -> pd.DataFrame:
    """Agreement of every two raters on the questions that both have judged.

    Compared are verdicts before dependencies, with what rules made of the judge's copies; one that
    a rule left open is none. Of several people the majority is compared with the judges too.

    Args:
        scored: with all judges' verdicts.
        labels: people's; ``sample_id`` of a record is part and sample, such as zh/899, and
            ``verdicts`` has yes or no by question.

    Returns:
        Columns of ``metrics.agreement.COLUMNS``.

    Raises:
        UserError: the file of labels is missing, damaged, or not of these answers.
    """
    judges = _judges(scored)
    people: dict[str, Mapping] = {} if labels is None else _people(scored, labels)
    groups = {
        (model, _name(part, record)): record["context_id"]
        for (model, part), records in scored.records.items()
        for record in records
    }
    rows = agreement_rows(
        {**judges, **people},
        by=lambda item: item[0],
        cluster=lambda item: groups[item[:2]],
        humans=set(people),
    )
    return rows[(rows["kind"] != HUMANS) | (rows["second"] != MAJORITY)]


def _name(part: str, record: Record) -> str:
    """A sample among those of all parts: an instance has the same id in each language."""
    return f"{part}/{record['sample_id']}"


def _judges(scored: Scored) -> dict[str, Verdicts]:
    found: dict[str, Verdicts] = defaultdict(dict)
    for (model, part), records in scored.records.items():
        for record in records:
            by_judge = {record["judge"]: record["raw"]}
            by_judge |= {judge: also["raw"] for judge, also in record["also"].items()}
            for judge, raw in by_judge.items():
                found[judge] |= {
                    (model, _name(part, record), point): verdict
                    for point, verdict in (raw or {}).items()
                    if isinstance(verdict, bool)
                }
    return dict(found)


def _people(scored: Scored, labels: Path) -> dict[str, Mapping]:
    points: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for (model, part), records in scored.records.items():
        for record in records:
            points[model][_name(part, record)] = set(map(str, record["questions"]))
    people: dict[str, Mapping] = dict(read_labels(labels, _parsed, points))
    for model, sample, point in (item for given in people.values() for item in given):
        if point not in points[model][sample]:
            raise UserError(
                f"{labels}: sample {sample!r} of model {model!r} has no question {point!r}; it has "
                f"{', '.join(sorted(points[model][sample], key=int))}"
            )
    return people | ({MAJORITY: majority(people)} if len(people) > 1 else {})


def _parsed(verdicts: Any, sample_id: str) -> Verdicts:
    if not isinstance(verdicts, dict) or not set(map(str, verdicts.values())) <= set(WORDS):
        raise ValueError('verdicts must be yes or no by question, such as {"0": "yes"}')
    return {point: WORDS[word] for point, word in verdicts.items()}
