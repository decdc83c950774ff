"""The user's own tasks of a config, and what each stage takes of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench.own_tasks.reading import read_task
from steadfast.benchmarks.lifbench.own_tasks.schema import Function, TaskFile
from steadfast.benchmarks.lifbench.tasks import Task
from steadfast.benchmarks.lifbench.templates import check_expressions


@dataclass(frozen=True)
class OwnTask:
    """A task of the user's own, as its file says.

    A stage takes a part of it, plain values for its component's settings: a change of the file
    re-runs what takes the changed part.
    """

    id: str  # its name in the config
    file: TaskFile  # the file's content
    counts: bool  # whether it counts in the overall values

    @property
    def shown(self) -> Settings:
        """What metrics and tables take: a ``ScoredTask``."""
        names = {"name", "scenario", "points"}
        return {**self.file.model_dump(include=names), "counts": self.counts}

    @property
    def task(self) -> Task:
        """How it is asked."""
        names = {"scenario", "max_tokens", "directions", "variables"}
        return Task.of({"id": self.id, **self.file.model_dump(include=names)})

    @property
    def templates(self) -> list[Record]:
        """Its templates, as expressions."""
        return [
            {**one.model_dump(), "origin": one.origin or self.file.origin}
            for one in self.file.expressions
        ]

    @property
    def scored(self) -> Settings:
        """What scoring takes."""
        weights = {name: point.weight for name, point in self.file.points.items()}
        return {"scoring": self.file.scoring, "weights": weights, "draw": self.file.variables.draw}

    @property
    def answered(self) -> Settings:
        """What the stand-ins take."""
        return {**self.file.stand_ins.model_dump(), "draw": self.file.variables.draw}


def own_tasks(files: Mapping[str, str], counts: bool) -> dict[str, OwnTask]:
    """Returns the user's tasks by name."""
    found = {}
    for id, path in files.items():
        if not Path(path).is_file():
            key = f"lifbench.own_tasks.{id}"
            raise UserError(f"config: {key}: {path}: no such file; correct the path")
        found[id] = OwnTask(id, read_task(path), counts)
        check_expressions(found[id].task, found[id].templates, path)
    return found


def scoring_functions(tasks: Iterable[OwnTask]) -> tuple[str, ...]:
    """Returns the functions that score."""
    return tuple(task.file.scoring for task in tasks)


def drawing_functions(tasks: Iterable[OwnTask]) -> tuple[str, ...]:
    """Returns the functions that draw variables."""
    draws = (task.file.variables.draw for task in tasks)
    return tuple(draw for draw in draws if ":" in draw)


def answer_functions(tasks: Iterable[OwnTask]) -> tuple[str, ...]:
    """Returns the functions that answer in place of a model."""
    stand_ins = (task.file.stand_ins for task in tasks)
    answers = (answer for one in stand_ins for answer in (one.reference, one.floor))
    return tuple(answer.function for answer in answers if isinstance(answer, Function))
