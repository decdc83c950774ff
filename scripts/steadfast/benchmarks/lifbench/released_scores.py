"""The benchmark's released per-sample scores (``scores/*.csv``) as score records."""

import csv
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.names import suggestion
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench import paper_tasks, scored_tasks
from steadfast.benchmarks.lifbench.records import ScoreRecord
from steadfast.benchmarks.lifbench.released_files import (
    addresses_to_fetch,
    released_text,
    scores_file,
)
from steadfast.benchmarks.lifbench.tasks import Task
from steadfast.contract.records import OWN
from steadfast.contract.task import Needs, ReleasedModel

KEYS = ("model", "ins_id", "param_id", "length", "total_score")


PAPER_MODELS: dict[str, ReleasedModel] = {}
for _group, _models in facts("lifbench/paper_models.yaml").items():
    for _name, _values in _models.items():
        PAPER_MODELS[_name] = ReleasedModel(group=_group, **_values)


def scores_needs(directory: str | None, tasks: Iterable[Task]) -> Needs:
    """Returns the addresses of the released scores of tasks."""
    url = facts("lifbench/released_scores.yaml")["url"]
    return addresses_to_fetch(directory, [url + scores_file(task) for task in tasks])


def released_scores(
    models: Mapping[str, str],
    cells: Sequence[tuple[str, str]],
    directory: str | None,
    tasks: Sequence[str],
    source: Settings | None = None,
    same: bool = False,
) -> dict[tuple[str, str], list[ScoreRecord]]:
    """Returns the score records of models that others ran and scored, by model and length.

    ``same`` says that the config has exactly the prompts of these models.
    """
    source = source or facts("lifbench/released_scores.yaml")
    lengths = facts("lifbench/released.yaml")["lengths"]
    for _, length in cells:
        if length not in lengths.values():
            raise UserError(
                f"lifbench.lengths: no released scores at {length!r}; "
                f"{suggestion(length, lengths.values())}"
            )
    released_names = set(models.values())
    records: dict[tuple[str, str], list[ScoreRecord]] = defaultdict(list)
    for task in tasks:
        name = scores_file(paper_tasks.TASKS[task])
        pinned = {"url": source["url"] + name, **source["files"][name]}
        origin, text = released_text(f"scores/{name}", directory, pinned)
        seen: set[str] = set()
        for released, record in _records(origin, text, task, lengths):
            seen.add(released)
            if released in released_names:
                if same:
                    record["prompts"] = OWN
                records[released, record["length"]].append(record)
        if unknown := sorted(released_names - seen):
            raise UserError(
                f"{origin}: no scores of model {unknown[0]!r}; {suggestion(unknown[0], seen)}"
            )
    by_cell = {(model, length): records[models[model], length] for model, length in cells}
    for (model, length), scores in by_cell.items():
        if not scores:
            raise UserError(f"{model}: no released scores at {length}; remove one from the config")
    return by_cell


def _records(
    origin: str, text: str, task: str, lengths: Mapping[int, str]
) -> Iterator[tuple[str, ScoreRecord]]:
    """Yields the name in the file and the score record of each line."""
    scenario = paper_tasks.TASKS[task].scenario
    points = list(scored_tasks.RUBRICS["released"][task])
    lines = csv.DictReader(text.splitlines())
    lacking = sorted({*KEYS, *points} - set(lines.fieldnames or ()))
    if lacking:
        raise UserError(
            f"{origin}: no released scores of {task}: column {lacking[0]!r} is missing; fetch the "
            "file again"
        )
    for row in lines:
        try:
            length = lengths[int(row["length"])]
            expression = int(row["ins_id"])
            variable = int(row["param_id"])
            fractions = {point: float(row[point]) for point in points}
            total = float(row["total_score"])
            # Not bounded by 1: where inner lists differ in length, MF's ori is above it.
            if not all(0 <= value < math.inf for value in (*fractions.values(), total)):
                raise ValueError
        except (KeyError, TypeError, ValueError):
            raise UserError(
                f"{origin}:{lines.line_num}: not a line of released scores; numbers and a length "
                f"of {', '.join(map(str, lengths))} were expected: fetch the file again"
            ) from None
        model = PAPER_MODELS.get(row["model"])
        context = f"{scenario}-{length}"
        record: ScoreRecord = {
            "sample_id": f"{task}/{context}/e{expression}/v{variable}",
            "repeat": 0,
            "task": task,
            "context_id": context,
            "expression_id": expression,
            "variable_id": variable,
            "length": length,
            "status": "ok",
            "prompt_truncated": model is not None and length in model.truncated,
            "rubric": "released",
            "points": {**fractions},
            "total": total,
            "extracted": None,
            "judge": None,
            "other_raters": {},
            "depth": None,
        }
        yield row["model"], record
