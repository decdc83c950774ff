"""Score files as one data frame, and how much of it is scored."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from steadfast.errors import UserError
from steadfast.files import read_jsonl

STATUSES = ("ok", "length", "overflow", "refused", "error")
REQUIRED = ("sample_id", "task", "status", "truncated", "total")
OPTIONAL = ("context_id", "expression_id", "variable_id", "rubric", "depth")
POINT = "point."
ALSO = "also."


def read_scores(scores: Mapping[tuple[str, str], Path]) -> pd.DataFrame:
    """The scores of several models and parts, one row a sample.

    Args:
        scores: score file of each model and part (LIFBench: length), parts in the order to show.

    Returns:
        Columns model and length (ordered categories), those of the records, and ``point.<name>``
        for each score point (fraction of its weight; empty where the task has no such point or
        the sample is unscored), and ``also.<name>`` for the total by each other rubric.

    Raises:
        UserError: a file is missing or empty, a record lacks a field or has an unknown status,
            or a sample is there twice.
    """
    rows = [row for (model, part), path in scores.items() for row in _rows(model, part, path)]
    frame = pd.DataFrame(rows, columns=None if rows else ["model", "length", *REQUIRED])
    frame["total"] = frame["total"].astype(float)
    for column, position in (("model", 0), ("length", 1)):
        names = list(dict.fromkeys(key[position] for key in scores))
        order = sorted(names) if column == "model" else names
        frame[column] = pd.Categorical(frame[column], categories=order, ordered=True)
    return frame


def _rows(model: str, part: str, path: Path) -> list[dict]:
    rows, seen = [], set()
    for number, record in enumerate(read_jsonl(path), start=1):
        lacking = [name for name in REQUIRED if name not in record]
        if lacking:
            raise UserError(f"{path}: record {number} lacks {lacking[0]!r}; score this file again")
        if record["status"] not in STATUSES:
            raise UserError(
                f"{path}: record {number} has the unknown status {record['status']!r}; "
                f"known are {', '.join(STATUSES)}"
            )
        if record["sample_id"] in seen:
            raise UserError(
                f"{path}: sample {record['sample_id']} is there twice; score this file again"
            )
        seen.add(record["sample_id"])
        row = {"model": model, "length": part} | {name: record[name] for name in REQUIRED}
        row |= {name: record[name] for name in OPTIONAL if name in record}
        row |= {f"{POINT}{name}": value for name, value in (record.get("points") or {}).items()}
        row |= {f"{ALSO}{name}": by["total"] for name, by in (record.get("also") or {}).items()}
        rows.append(row)
    return rows


def coverage(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """How many samples each model should have and how many have a score.

    Expected are the samples that any model has, so that a model without some of them shows it.

    Args:
        frame: scores, as ``read_scores`` gives them.
        by: columns besides the model, such as task and length; may be empty.

    Returns:
        Columns model, those of ``by``, expected, scored, one count per status
        (``status_<name>``) and truncated (samples whose context was cut).
    """
    samples = frame[["length", "sample_id", "task"]].drop_duplicates()
    models = frame[["model"]].drop_duplicates()
    expected = models.merge(samples, how="cross")
    keys = ["model", *by]
    flags = pd.DataFrame({"scored": frame["total"].notna()})
    for status in STATUSES:
        flags[f"status_{status}"] = frame["status"] == status
    flags["truncated"] = frame["truncated"].astype(bool)
    counts = pd.concat([frame[keys], flags], axis=1).groupby(keys, observed=True).sum()
    table = expected.groupby(keys, observed=True).size().to_frame("expected").join(counts)
    return table.fillna(0).astype(int).reset_index()
