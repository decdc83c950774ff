"""The benchmark's released per-sample scores (``scores/*.csv``) as score records."""

import csv
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from steadfast.config.names import nearest
from steadfast.errors import UserError
from steadfast.files import Record, read_text, write_jsonl
from steadfast.lifbench.paper import PAPER_MODELS
from steadfast.lifbench.released import SOURCE
from steadfast.lifbench.tasks import RUBRIC, TASKS
from steadfast.lifbench.variables import read_yaml
from steadfast.pinned import fetch

LOCAL = "set lifbench.released.directory in the config to a directory that holds scores/*.csv"
KEYS = ("model", "ins_id", "param_id", "length", "total_score")


def build_released_scores(
    models: Mapping[str, str],
    tasks: Sequence[str],
    directory: str | None,
    outs: Mapping[tuple[str, str], Path],
    source: Record | None = None,
) -> None:
    """Writes the score files of models that others have run and scored.

    Args:
        models: the config's name of each model, and its name in the released files.
        tasks: keys of ``TASKS``, whose scores are wanted.
        directory: holds ``scores/*.csv``; None fetches them.
        outs: file of each model (the config's name) and length.
        source: url, files (bytes and sha256 of each) and lengths; by default ``scores`` in
            ``resources/lifbench/released.yaml``.

    Raises:
        UserError: a file is missing, of another shape or not the pinned one, or has no scores of
            a model at a length.
    """
    source = source or read_yaml(SOURCE)["scores"]
    lengths = source["lengths"]
    for _, length in outs:
        if length not in lengths.values():
            raise UserError(
                f"lifbench.lengths: no released scores at {length!r}; "
                f"{nearest(length, lengths.values())}"
            )
    wanted = set(models.values())
    records: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for task in tasks:
        name = file_name(task)
        place, text = _read(name, directory, source)
        seen: set[str] = set()
        for released, record in _records(place, text, task, lengths):
            seen.add(released)
            if released in wanted:
                records[released, record["length"]].append(record)
        for released in sorted(wanted - seen):
            raise UserError(f"{place}: no scores of model {released!r}; {nearest(released, seen)}")
    for (model, length), path in outs.items():
        found = records[models[model], length]
        if not found:
            raise UserError(f"{model}: no released scores at {length}; remove one from the config")
        write_jsonl(path, found)


def file_name(task: str) -> str:
    """The name of the file that holds a task's released scores."""
    return f"{TASKS[task].scenario}-{TASKS[task].released_name}.csv"


def local_files(directory: str | None, tasks: Sequence[str]) -> list[str]:
    """The files that are read, so that a change of one is noticed; none where they are fetched."""
    return [f"{directory}/scores/{file_name(task)}" for task in tasks] if directory else []


def _read(name: str, directory: str | None, source: Record) -> tuple[str, str]:
    if directory is not None:
        path = Path(directory) / "scores" / name
        return str(path), read_text(path)
    url = source["url"] + name
    return url, fetch({"url": url, **source["files"][name]}, LOCAL).decode("utf-8")


def _records(
    place: str, text: str, task: str, lengths: Mapping[int, str]
) -> Iterator[tuple[str, Record]]:
    """The name in the file and the score record of each line."""
    scenario, points = TASKS[task].scenario, list(RUBRIC[task])
    lines = csv.DictReader(text.splitlines())
    lacking = sorted({*KEYS, *points} - set(lines.fieldnames or ()))
    if lacking:
        raise UserError(f"{place}: no released scores of {task}, column {lacking[0]!r} is missing")
    for row in lines:
        try:
            length = lengths[int(row["length"])]
            expression, variable = int(row["ins_id"]), int(row["param_id"])
            fractions = {point: float(row[point]) for point in points}
            total = float(row["total_score"])
            # Not bounded by 1: where inner lists differ in length, MF's ori is above it.
            if not all(0 <= value < math.inf for value in (*fractions.values(), total)):
                raise ValueError
        except (KeyError, TypeError, ValueError):
            raise UserError(
                f"{place}:{lines.line_num}: not a line of released scores; numbers and a length of "
                f"{', '.join(map(str, lengths))} were expected: fetch the file again"
            ) from None
        facts = PAPER_MODELS.get(row["model"])
        context = f"{scenario}-{length}"
        yield (
            row["model"],
            {
                "sample_id": f"{task}/{context}/e{expression}/v{variable}",
                "task": task,
                "context_id": context,
                "expression_id": expression,
                "variable_id": variable,
                "length": length,
                "status": "ok",
                "truncated": facts is not None and length in facts.truncated,
                "rubric": "released",
                "points": fractions,
                "total": total,
                "extracted": None,
                "also": {},
                "depth": None,
            },
        )
