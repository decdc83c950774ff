"""The user's own tasks of a config, read and checked, and what each stage takes of them."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Settings, read_text
from steadfast.base.loading import FILE
from steadfast.base.names import nearest
from steadfast.benchmarks.lifbench.own_tasks import schema
from steadfast.benchmarks.lifbench.tasks import Task
from steadfast.benchmarks.lifbench.templates import check_expressions

MODULE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", re.ASCII)


@dataclass(frozen=True)
class OwnTask:
    """A task of the user's own; a stage takes a part of it, so that a change re-runs that alone."""

    id: str  # its name in the config
    file: schema.TaskFile  # the file's content
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
    def draw(self) -> str:
        """The kind of drawing of its variables, or the function that draws them."""
        return self.file.variables.draw

    @property
    def answer_functions(self) -> list[str]:
        """The functions that answer in place of a model."""
        answers = (self.file.stand_ins.reference, self.file.stand_ins.floor)
        return [answer.function for answer in answers if isinstance(answer, schema.Function)]

    @property
    def scored(self) -> Settings:
        """What scoring takes."""
        weights = {name: point.weight for name, point in self.file.points.items()}
        return {"scoring": self.file.scoring, "weights": weights, "draw": self.draw}

    @property
    def answered(self) -> Settings:
        """What the stand-ins take."""
        return {**self.file.stand_ins.model_dump(), "draw": self.draw}


def own_tasks(files: Mapping[str, str], counts: bool) -> dict[str, OwnTask]:
    """Returns the user's tasks by name."""
    found = {}
    for id, path in files.items():
        if not Path(path).is_file():
            key = f"lifbench.own_tasks.{id}"
            raise UserError(f"config: {key}: {path}: no such file; correct the path")
        found[id] = OwnTask(id, read_task(path), counts)
        check_expressions(found[id].task, found[id].file.templates, path)
    return found


def read_task(path: str) -> schema.TaskFile:
    """Reads a task's file, checked; functions are named relative to the file's folder."""
    file = schema.read_file(schema.TaskFile, path)
    _check_variables(file, path)
    return _with_functions(file, Path(path))


def _check_variables(file: schema.TaskFile, path: str) -> None:
    of, where = file.variables, f"{path}: variables"
    if ":" in of.draw:
        return
    if of.draw not in schema.KINDS:
        raise UserError(
            f"{where}.draw: unknown kind {of.draw!r}; {nearest(of.draw, schema.KINDS)} A function "
            "is named as file.py:function"
        )
    kind = schema.KINDS[of.draw]
    if kind.scenario not in (None, file.scenario):
        raise UserError(
            f"{where}.draw: {of.draw} draws from contexts of the scenario {kind.scenario}, not "
            f"{file.scenario}; take another kind, or name a function"
        )
    space, gives = schema.validated(kind.space, of.space, f"{where}.space"), kind.gives
    if isinstance(space, schema.Listed):
        gives = frozenset(space.settings[0])
    if of.neighbours:
        if getattr(space, "margin", 0) < 1:
            raise UserError(
                f"{where}.neighbours: only positions with a margin of 1 or more have an entry on "
                "both sides; set space.margin to 1, or leave neighbours out"
            )
        gives |= schema.NEIGHBOURS
    for name in (name for group in of.shown for name in group.split("|")):
        if name not in gives:
            raise UserError(f"{where}.shown: {of.draw} gives no {name!r}; {nearest(name, gives)}")


def _with_functions(file: schema.TaskFile, path: Path) -> schema.TaskFile:
    stand_ins, draw = file.stand_ins, file.variables.draw
    answers = {
        key: schema.Function(function=_placed(answer.function, path, f"stand_ins.{key}.function"))
        for key in ("reference", "floor")
        if isinstance(answer := getattr(stand_ins, key), schema.Function)
    }
    drawn = _placed(draw, path, "variables.draw") if ":" in draw else draw
    return file.model_copy(
        update={
            "scoring": _placed(file.scoring, path, "scoring"),
            "stand_ins": stand_ins.model_copy(update=answers),
            "variables": file.variables.model_copy(update={"draw": drawn}),
        }
    )


def _placed(name: str, path: Path, key: str) -> str:
    """Returns a function's name with its file's path; the file is parsed and not run."""
    module, _, function = name.rpartition(":")
    is_file = module.endswith(FILE)
    if not function.isidentifier() or not (is_file or MODULE.fullmatch(module)):
        raise UserError(
            f"{path}: {key}: {name!r} names no function; write file.py:function, the file beside "
            "this one, or package.module:function of an installed package"
        )
    if not is_file:
        if not _installed(module):
            raise UserError(
                f"{path}: {key}: there is no module {module}; install its package, name the "
                "package's folder in PYTHONPATH, or write file.py:function"
            )
        return name
    file = path.parent / module
    if not file.is_file():
        raise UserError(f"{path}: {key}: {file}: no such file; put it beside the task's file")
    try:
        body = ast.parse(read_text(file)).body
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UserError(f"{file}: no valid Python ({error}); mend the file") from None
    functions = [node.name for node in body if isinstance(node, ast.FunctionDef)]
    if function not in functions:
        hint = nearest(function, functions)
        raise UserError(f"{path}: {key}: {file} has no function {function!r}; {hint}")
    return f"{file.as_posix()}:{function}"


def _installed(module: str) -> bool:
    """Tells whether a module of a package is there; nothing of it is run."""
    package, *inner = module.split(".")
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    places = [Path(folder, *inner) for folder in folders or ()]
    return any(
        file.is_file() for at in places for file in (at.with_suffix(".py"), at / "__init__.py")
    )
