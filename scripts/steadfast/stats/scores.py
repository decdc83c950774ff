"""Score files of all models, as metrics read them, and the prompts that each model responded to.

Models that run respond to the config's own prompts, released scores may be of the authors' prompts:
the field ``prompts`` of a score distinguishes them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.contract.components import INVALID, Scored
from steadfast.contract.records import OWN, ScoreRecord, read_score_records
from steadfast.contract.request import STATUSES as OUTPUT_STATUSES

STATUSES = (*OUTPUT_STATUSES, INVALID)
REQUIRED = (
    "sample_id", "repeat", "task", "context_id", "status", "prompt_truncated", "judge", "points",
    "total", "extracted", "other_raters",
)  # fmt: skip


def read_scores(
    scores: Mapping[tuple[str, str], Path], fields: Iterable[str] = ()
) -> Iterator[Scored]:
    """Yields each score's record with its model and part; raises UserError for an invalid one.

    Args:
        scores: score file of each model and part.
        fields: further fields that a benchmark's metrics read.
    """
    required = dict.fromkeys((*REQUIRED, *fields))
    for (model, part), path in scores.items():
        seen: set[tuple[str, int]] = set()
        for number, record in enumerate(read_score_records(path), start=1):
            fault = _fault(record, required, seen)
            if fault:
                raise UserError(f"{path}: record {number}{fault}; score this file again")
            seen.add((record["sample_id"], record["repeat"]))
            yield Scored(model, part, record)


def _fault(
    record: ScoreRecord, required: Mapping[str, None], seen: Collection[tuple[str, int]]
) -> str:
    """What is wrong with a record, as the end of a sentence; empty where nothing is."""
    for name in required:
        if name not in record:
            return f" lacks {name!r}"
    status = record["status"]
    if status not in STATUSES:
        return f" has the unknown status {status!r}; known are {', '.join(STATUSES)}"
    twice = (record["sample_id"], record["repeat"]) in seen
    return f": sample {record['sample_id']} is there twice" if twice else ""


def is_empty(record: ScoreRecord) -> bool:
    """Whether a score is of an empty response; unknown, and so false, for released scores."""
    return bool(record.get("empty"))


def models_of(scores: Iterable[Scored]) -> list[str]:
    """The models, by name."""
    return sorted({scored.model for scored in scores})


def prompts_of(record: ScoreRecord) -> str:
    """Whose prompts a score's record is about: ``OWN`` or ``RELEASED``."""
    return str(record.get("prompts", OWN))


def answer_row(scored: Scored) -> dict[str, Any]:
    """The columns of a response in all frames; ``cluster`` is its sampling unit."""
    record = scored.record
    return {
        "model": scored.model,
        "prompts": prompts_of(record),
        "repeat": record["repeat"],
        "sample_id": record["sample_id"],
        "cluster": record["context_id"],
        "status": record["status"],
        "empty": is_empty(record),
        "total": record["total"],
    }


def units(scores: Iterable[Scored], strata: Sequence[str] = ()) -> pd.DataFrame:
    """``answer_row`` of each response, with its stratum by part and fields.

    >>> record = {"repeat": 0, "sample_id": "1", "context_id": "c", "status": "ok", "total": 1.0}
    >>> units([Scored("m", "en", record)], ["part"])[["cluster", "stratum"]].values.tolist()
    [['en/c', 'en']]
    """
    rows = []
    for scored in scores:
        fields: Record = {"part": scored.part, **scored.record}
        stratum = "/".join(str(fields[name]) for name in strata)
        row = answer_row(scored) | {"stratum": stratum}
        if strata:
            row["cluster"] = f"{stratum}/{row['cluster'].removeprefix(f'{stratum}/')}"
        rows.append(row)
    return pd.DataFrame(rows)


def evaluated_models(answers: pd.DataFrame) -> pd.DataFrame:
    """Model, prompts (``prompts_of``) and number of repeats of each model."""
    rows = answers.groupby("model", observed=True).agg(
        prompts=("prompts", "first"), repeats=("repeat", "nunique")
    )
    return rows.reset_index().astype({"model": str})


def expected_responses(
    answers: pd.DataFrame, by: Sequence[str], sample_columns: Sequence[str] = ("sample_id",)
) -> pd.DataFrame:
    """The expected number of responses of each model in each cell: model, ``by``, expected.

    Expected are the samples (``sample_columns``) that any model with the same prompts has, in each
    repeat.
    """
    cell = list(dict.fromkeys(["prompts", *by]))
    samples = answers[list(dict.fromkeys([*cell, *sample_columns]))].drop_duplicates()
    counts = samples.groupby(cell, observed=True).size().rename("expected").reset_index()
    rows = evaluated_models(answers).merge(counts, on="prompts")
    rows["expected"] *= rows["repeats"]
    return rows[["model", *by, "expected"]]


def coverage(
    answers: pd.DataFrame,
    sample_columns: Sequence[str] = ("sample_id",),
    flags: Sequence[str] = (),
    by: Sequence[str] = (),
) -> pd.DataFrame:
    """The number of expected and scored responses of each model, and of those with each status.

    Args:
        answers: a row for each response, with the columns of ``answer_row``.
        sample_columns: columns that name a sample.
        flags: columns of truth values that are counted too.
        by: columns that divide a model's responses.
    """
    keys = ["model", *by]
    statuses = {f"status_{status}": answers["status"] == status for status in STATUSES}
    counted = answers[keys].assign(scored=answers["total"].notna(), **statuses)
    counted[[*flags, "empty"]] = answers[[*flags, "empty"]]
    counts = counted.groupby(keys).sum().reset_index()
    columns = list(counts.columns[len(keys) :])
    # Counts of 0 where a model lacks all responses of a cell that other models have.
    rows = expected_responses(answers, by, sample_columns).merge(counts, "left", keys)
    rows[columns] = rows[columns].fillna(0).astype(int)
    return with_prompts(rows, answers)


def with_prompts(rows: pd.DataFrame, answers: pd.DataFrame) -> pd.DataFrame:
    """The rows with a last column ``prompts``: whose prompts the model responded to."""
    prompts = models_by_prompts(answers[["model", "prompts"]].drop_duplicates())
    return rows.assign(prompts=rows["model"].map(prompts).astype(object))


def models_by_prompts(rows: pd.DataFrame) -> dict[str, str]:
    """Whose prompts each model responded to; ``OWN`` without the column of ``with_prompts``."""
    prompts = rows["prompts"] if "prompts" in rows else [OWN] * len(rows)
    return dict(zip(rows["model"], prompts, strict=True))
