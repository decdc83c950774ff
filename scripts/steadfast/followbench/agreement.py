"""How well judges agree with each other and with people, on constraints and on whole items."""

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.followbench.facts import JUDGE, NO, YES
from steadfast.followbench.frames import Scored
from steadfast.metrics.agreement import (
    COLUMNS,
    HUMANS,
    MAJORITY,
    agreement_rows,
    majority,
    read_labels,
)

CONSTRAINT, ITEM = "constraint", "item"
Verdicts = dict[Hashable, int]


def agreement(records: Scored, judges: Sequence[str], labels: Path | None = None) -> pd.DataFrame:
    """Agreement of every two raters on the judged items that both have judged.

    Args:
        records: score records of all models.
        judges: their names, the one that counts first.
        labels: people's verdicts; ``verdicts`` of a record lists YES or NO for each constraint,
            in the order in which they were added.

    Returns:
        Columns measure (constraint: each alone; item: whether all of an item are kept, as in
        Table 3) and those of ``metrics.agreement``. Of several people the majority is compared
        with the judges too.

    Raises:
        UserError: the file of labels is missing or damaged, or not of these answers.
    """
    judged = [(m, record) for m, _, record in records if record["scorer"] == JUDGE]
    raters: dict[str, Verdicts] = {judge: _of_judge(judged, judge, judges[0]) for judge in judges}
    people = {} if labels is None else _people(judged, labels)
    named = {f"{name} (human)" if name in raters else name: v for name, v in people.items()}
    groups = {(model, record["sample_id"]): record["context_id"] for model, record in judged}
    parts = []
    for measure, reduce in ((CONSTRAINT, dict), (ITEM, _whole)):
        of_people = {name: reduce(verdicts) for name, verdicts in named.items()}
        if len(of_people) > 1:
            of_people[MAJORITY] = majority(of_people)
        of_all = {name: reduce(verdicts) for name, verdicts in raters.items()} | of_people
        rows = agreement_rows(
            of_all,
            by=lambda item: item[0],
            cluster=lambda item: groups[item[:2]],
            humans=of_people,
        )
        rows = rows[(rows["kind"] != HUMANS) | (rows["second"] != MAJORITY)]
        parts.append(rows.assign(measure=measure))
    return pd.concat(parts, ignore_index=True)[["measure", *COLUMNS]]


def _of_judge(judged: Sequence[tuple[str, Mapping]], judge: str, first: str) -> Verdicts:
    """Verdicts by model, sample and constraint; a reply that counts −1 has none."""
    return {
        (model, record["sample_id"], int(number)): int(verdict)
        for model, record in judged
        for number, verdict in (_scored(record, judge, first)["points"] or {}).items()
        if verdict >= 0
    }


def _scored(record: Mapping[str, Any], judge: str, first: str) -> Mapping[str, Any]:
    """What a judge gave: the first one's stands on top of a record, the others' beside."""
    return record if judge == first else record["also"][judge]


def _whole(verdicts: Mapping[Any, int]) -> Verdicts:
    """Whether all constraints of an item are kept, by model and sample."""
    found: Verdicts = {}
    for (model, sample, _), verdict in verdicts.items():
        found[model, sample] = min(verdict, found.get((model, sample), 1))
    return found


def _people(judged: Sequence[tuple[str, Mapping]], labels: Path) -> dict[str, Verdicts]:
    levels: dict[str, dict[str, int]] = {}
    for model, record in judged:
        levels.setdefault(model, {})[record["sample_id"]] = record["level"]
    counts = {sample: level for of_model in levels.values() for sample, level in of_model.items()}

    def parse(verdicts: Any, sample: str) -> dict[int, int]:
        if not isinstance(verdicts, list) or len(verdicts) != counts[sample]:
            raise ValueError(f"a list of {counts[sample]} verdicts was expected, one a constraint")
        for number, verdict in enumerate(verdicts, start=1):
            if verdict not in (YES, NO):
                raise ValueError(f"verdict {number} is {verdict!r}, neither {YES!r} nor {NO!r}")
        return {n: int(verdict == YES) for n, verdict in enumerate(verdicts, start=1)}

    return read_labels(labels, parse, levels)
