"""Score files of all models, as metrics read them."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.contract.components import INVALID, Scored
from steadfast.contract.records import ScoreRecord, read_score_records
from steadfast.contract.request import STATUSES as OUTPUT_STATUSES

STATUSES = (*OUTPUT_STATUSES, INVALID)
REQUIRED = (
    "sample_id", "draw", "task", "context_id", "status", "truncated", "judge", "points", "total",
    "extracted", "other_raters",
)  # fmt: skip


def read_scores(
    scores: Mapping[tuple[str, str], Path], fields: Iterable[str] = ()
) -> Iterator[Scored]:
    """Yields each score's record with its model and part, checked.

    Args:
        scores: score file of each model and part.
        fields: that a benchmark's metrics read beside those that all records have.

    Raises:
        UserError: a file is missing or damaged, a record lacks a field or has an unknown status,
            or a sample is there twice.
    """
    required = (*REQUIRED, *fields)
    for (model, part), path in scores.items():
        seen: set[tuple[str, int]] = set()
        for number, record in enumerate(read_score_records(path), start=1):
            where, again = f"{path}: record {number}", "score this file again"
            if lacking := [name for name in required if name not in record]:
                raise UserError(f"{where} lacks {lacking[0]!r}; {again}")
            if (status := record["status"]) not in STATUSES:
                known = ", ".join(STATUSES)
                raise UserError(
                    f"{where} has the unknown status {status!r}; known are {known}: {again}"
                )
            if (sample := (record["sample_id"], record["draw"])) in seen:
                raise UserError(f"{where}: sample {sample[0]} is there twice; {again}")
            seen.add(sample)
            yield Scored(model, part, record)


def is_empty(record: ScoreRecord) -> bool:
    """Returns whether a score is of an answer without any text; not known of released scores."""
    return bool(record.get("empty"))


def models_of(scores: Iterable[Scored]) -> list[str]:
    """Returns the models, by name."""
    return sorted({scored.model for scored in scores})
