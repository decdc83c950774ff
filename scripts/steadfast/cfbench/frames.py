"""Score files and data as data frames: a row a sample, and a row a checkpoint."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.cfbench.facts import INVALID, PRIMARY, RATES, read_yaml
from steadfast.engines.request import STATUSES
from steadfast.errors import UserError
from steadfast.files import Record, read_jsonl

Scores = Mapping[tuple[str, str], Path]
"""Score file of each model and part."""

REQUIRED = ("sample_id", "split", "status", "points", "also", *RATES)
MEASURES = {name.upper(): name for name in RATES}
KNOWN_STATUSES = (*STATUSES, INVALID)
PRIMARY_KIND, SECONDARY_KIND = "primary", "secondary"


def read_records(scores: Scores, data: Mapping[str, Record]) -> Iterator[tuple[str, Record]]:
    """Each model's score records, checked.

    Raises:
        UserError: a file is missing or damaged, a record lacks a field, has an unknown status or
            is there twice, or its sample is not in the data.
    """
    seen: set[tuple[str, str]] = set()
    for (model, _), path in scores.items():
        for number, record in enumerate(read_jsonl(path), start=1):
            where = f"{path}: record {number}"
            for name in REQUIRED:
                if name not in record:
                    raise UserError(f"{where} lacks {name!r}; score this file again")
            sample = record["sample_id"]
            if record["status"] not in KNOWN_STATUSES:
                raise UserError(f"{where}: unknown status {record['status']!r}; score it again")
            if sample not in data:
                raise UserError(f"{where}: sample {sample} is not in the data; score it again")
            if (model, sample) in seen:
                raise UserError(f"{where}: sample {sample} is there twice; score it again")
            seen.add((model, sample))
            yield model, record


def sample_frame(records: Sequence[tuple[str, Record]], data: Mapping[str, Record]) -> pd.DataFrame:
    """The scored and unscored samples.

    Returns:
        Columns model, cluster (the sample, for the bootstrap), split, status, parsing (of mode
        released, else None), csr, isr, psr (empty where unscored), and what ``features`` tells.
    """
    told = {sample: features(record) for sample, record in data.items()}
    rows = [
        {
            "model": model,
            "cluster": record["sample_id"],
            "split": record["split"],
            "status": record["status"],
            "parsing": (record.get("extracted") or {}).get("parsing"),
            **{name: record[name] for name in RATES},
            **told[record["sample_id"]],
        }
        for model, record in records
    ]
    columns = ["model", "cluster", "split", "status", "parsing", *RATES]
    frame = pd.DataFrame(rows, columns=None if rows else columns)
    return frame.astype(dict.fromkeys(RATES, float))


def features(record: Record) -> dict[str, Any]:
    """What a record's results may depend on: origin, and the four factors of Figure 6."""
    checkpoints = record["checkpoints"]
    return {
        "source": record["source"],
        "domain": record["domain"],
        "task": record["task"],
        "characters": len(record["prompt"]),
        "checkpoints": len(checkpoints),
        # The blank label counts as a type: so the paper's Table 1 has it.
        "types": len({checkpoint["type"] for checkpoint in checkpoints}),
        "primary": sum(checkpoint["priority"] == PRIMARY for checkpoint in checkpoints),
    }


def checkpoint_frame(
    records: Sequence[tuple[str, Record]], data: Mapping[str, Record]
) -> pd.DataFrame:
    """The checkpoints with a verdict, each twice: under its primary and its secondary type.

    Returns:
        Columns model, cluster, kind (primary or secondary), category (the data's label, which may
        be blank) and value (0 or 1).
    """
    rows = [
        (model, record["sample_id"], kind, checkpoint[key], record["points"][str(number)])
        for model, record in records
        if record["points"]
        for number, checkpoint in enumerate(data[record["sample_id"]]["checkpoints"], start=1)
        for kind, key in ((PRIMARY_KIND, "type"), (SECONDARY_KIND, "subtype"))
    ]
    return pd.DataFrame(rows, columns=["model", "cluster", "kind", "category", "value"])


def long(frame: pd.DataFrame) -> pd.DataFrame:
    """The scored samples with a row a measure: columns measure and value instead of the rates."""
    others = [column for column in frame if column not in RATES]
    names = {name: measure for measure, name in MEASURES.items()}
    rows = frame.melt(others, list(RATES), "measure", "value").dropna(subset="value")
    return rows.assign(measure=rows["measure"].map(names))


def binned(values: Sequence[int], starts: Sequence[int]) -> list[str]:
    """The bin of each value, such as 3, 150-249 or 7+; below the first start counts as in it."""
    names = bin_names(starts)
    return [names[max(0, bisect_right(starts, value) - 1)] for value in values]


def bin_names(starts: Sequence[int]) -> list[str]:
    """The bins' names, from their first values in ascending order."""
    ends = [start - 1 for start in starts[1:]]
    named = [
        str(start) if start == end else f"{start}-{end}"
        for start, end in zip(starts, ends, strict=False)
    ]
    return [*named, f"{starts[-1]}+"]


def factors() -> dict[str, dict[str, Any]]:
    """Name and bins of each factor of Figure 6, by the column that holds it."""
    return read_yaml("factors.yaml")
