"""Score files as data frames: a row a sample, and a row a group."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from steadfast.engines.request import STATUSES
from steadfast.errors import UserError
from steadfast.files import Record, read_jsonl
from steadfast.followbench.facts import CATEGORIES, JUDGE, LEVELS, RULE
from steadfast.followbench.satisfaction import consecutive_levels, failure_consistency

INVALID = "invalid"
UNREADABLE = "unreadable"
KNOWN_STATUSES = (*STATUSES, INVALID)
REQUIRED = ("sample_id", "task", "context_id", "level", "scorer", "status", "points", "total")

Scored = Sequence[tuple[str, str, Record]]
"""Model, language and score record of each sample."""


def read_records(scores: Mapping[tuple[str, str], Path]) -> Iterator[tuple[str, str, Record]]:
    """Each score record with its model and language, checked.

    Raises:
        UserError: a file is missing or damaged, a record lacks a field, has an unknown status,
            category or level, or is there twice.
    """
    for (model, language), path in scores.items():
        seen: set[str] = set()
        for number, record in enumerate(read_jsonl(path), start=1):
            where = f"{path}: record {number}"
            for name in REQUIRED:
                if name not in record:
                    raise UserError(f"{where} lacks {name!r}; score this file again")
            known = {"status": KNOWN_STATUSES, "task": CATEGORIES, "level": LEVELS}
            for name, values in known.items():
                if record[name] not in values:
                    raise UserError(
                        f"{where} has the unknown {name} {record[name]!r}; score this file again"
                    )
            if record["sample_id"] in seen:
                raise UserError(
                    f"{where}: sample {record['sample_id']} is there twice; score this file again"
                )
            seen.add(record["sample_id"])
            yield model, language, record


def sample_frame(records: Scored) -> pd.DataFrame:
    """The scored and unscored samples.

    Returns:
        Columns model, language, category, level (text), kind (rule or judge), cluster (the
        group), sample_id, status, unreadable (in mode released, a reply that counts −1), hard and
        soft (share of constraints kept), both empty where unscored.
    """
    rows = []
    for model, language, record in records:
        points = record["points"]
        problem = (record.get("extracted") or {}).get("problem")
        rows.append(
            {
                "model": model,
                "language": language,
                "category": record["task"],
                "level": str(record["level"]),
                "kind": JUDGE if record["scorer"] == JUDGE else RULE,
                "cluster": record["context_id"],
                "sample_id": record["sample_id"],
                "status": record["status"],
                UNREADABLE: problem is not None and record["status"] != INVALID,
                "hard": record["total"],
                "soft": sum(points.values()) / len(points) if points else None,
            }
        )
    keys = ["model", "language", "category", "level", "kind", "cluster", "sample_id"]
    columns = [*keys, "status", UNREADABLE, "hard", "soft"]
    return pd.DataFrame(rows, columns=columns).astype({"hard": float, "soft": float})


def group_frame(samples: pd.DataFrame) -> pd.DataFrame:
    """The groups of each model, from the hard verdicts of their levels.

    Returns:
        Columns model, language, category, kind, cluster, levels (consecutive satisfied ones, empty
        where missing verdicts matter) and consistency (see ``satisfaction``, None likewise).
    """
    keys = ["model", "language", "category", "kind", "cluster"]
    by_level = samples.pivot(index=keys, columns="level", values="hard")
    by_level = by_level.reindex(columns=[str(level) for level in LEVELS])
    rows = []
    for key, hard in zip(by_level.index, by_level.to_numpy(), strict=True):
        verdicts = [None if pd.isna(verdict) else verdict for verdict in hard]
        rows.append((*key, consecutive_levels(verdicts), failure_consistency(verdicts)))
    frame = pd.DataFrame(rows, columns=[*keys, "levels", "consistency"])
    return frame.astype({"levels": float})
