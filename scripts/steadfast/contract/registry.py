"""The benchmarks: those that entry points name, and those that a config defines."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.resources import HOME
from steadfast.contract.task import AnyBenchmark, Benchmark, Family, Task
from steadfast.schema.config import Config
from steadfast.schema.strict import check_names

GROUP = "steadfast.benchmarks"
FAMILIES = "steadfast.families"
# Metrics that every benchmark has.
REQUIRED = ("coverage", "summary")
RULE = re.compile(r"^rule (\w+):", re.M)
# Folders of results that belong to no benchmark, and are not named after a rule.
FOLDERS = ("corpora", "figures", "journal", "logs", "metrics", "summary", "tables")


def benchmarks(requested: Iterable[str] = ()) -> dict[str, AnyBenchmark]:
    """This package's benchmarks in pyproject.toml's order, then those ``requested``.

    Another package's benchmark is loaded only on request, so that a broken one stops no
    other run. Unknown names are ignored.
    """
    names = {*_own_entry_points(), *requested}
    return {name: _loaded(point) for name, point in installed().items() if name in names}


def benchmarks_of(config: Config) -> dict[str, AnyBenchmark]:
    """The benchmarks with a section in a config, whether or not they run."""
    configured = benchmarks(type(config).model_fields.keys() - Config.model_fields.keys())
    for key, family in families().items():
        for name, section in getattr(config, key, {}).items():
            configured[name] = family.benchmark(name, section)
    return configured


@cache
def families() -> dict[str, Family[Any]]:
    """The families of benchmarks that a config defines, by its key."""
    return {name: point.load() for name, point in _own_entry_points(FAMILIES).items()}


def checked_members(members: dict[str, Any]) -> dict[str, Any]:
    """The benchmarks that a config defines, by name; raises ValueError for an invalid name."""
    check_names("benchmark", members, dots=False)
    for name in members:
        if name in installed():
            raise ValueError(f"a benchmark {name!r} exists already; choose another name")
    return members


@cache
def installed() -> dict[str, EntryPoint]:
    """The entry point of each benchmark: this package's, then others' by name. None is loaded."""
    points = dict(_own_entry_points())
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        if point.name not in _own_entry_points():
            points[point.name] = point
    return points


def packages(config: Config) -> dict[str, str]:
    """The versions of other packages with benchmarks of a run, by name."""
    versions: dict[str, str] = {}
    for name in config.benchmarks:
        point = installed().get(name)  # None: the config itself defines it
        if point and name not in _own_entry_points() and point.dist:
            versions[point.dist.name] = point.dist.version
    return versions


@cache
def _own_entry_points(group: str = GROUP) -> dict[str, EntryPoint]:
    """This package's entry points, which a checkout has without being installed."""
    project = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    targets = project["entry-points"][group]
    return {name: EntryPoint(name, target, group) for name, target in targets.items()}


@cache
def _loaded(point: EntryPoint) -> AnyBenchmark:
    try:
        benchmark = point.load()
    except (Exception, SystemExit) as error:  # importing another package may do anything
        raise UserError(
            f"entry point {point.name} of {GROUP}: {point.value} cannot be loaded "
            f"({type(error).__name__}: {error}); correct it, or remove the package that brings it"
        ) from None
    if not isinstance(benchmark, Benchmark) or benchmark.name != point.name:
        raise UserError(
            f"entry point {point.name} of {GROUP}: {point.value} is not a benchmark of that name; "
            "name a steadfast.contract.task.Benchmark"
        )
    if (
        not benchmark.name.isidentifier()
        or benchmark.name in Config.model_fields.keys() | families()
    ):
        raise UserError(
            f"entry point {point.name} of {GROUP}: a benchmark's name becomes a key of the config "
            "and part of rules' names: choose one of letters, digits and '_' that is no key yet"
        )
    return benchmark


def check_benchmark_names(tasks: Mapping[str, Task]) -> None:
    """Raises UserError where a benchmark has the name of a rule or of a folder of results."""
    reserved = {*FOLDERS}
    for path in (HOME / "Snakefile", *(HOME / "rules").glob("*.smk")):
        reserved.update(RULE.findall(path.read_text(encoding="utf-8")))
    for name, task in tasks.items():
        reserved.update(file.step for file in task.data)
        reserved.update((f"{name}_metrics", f"{name}_tables", f"{name}_figures"))
    for name in tasks:
        if name.lower() in reserved:
            raise UserError(
                f"benchmark {name}: this is the name of a rule or folder of the workflow; choose "
                "another name"
            )


def checked_task(benchmark: str, task: Task) -> Task:
    """The task of a benchmark; raises UserError where names are invalid or missing."""
    names = {"part": list(task.parts), "metric": task.metrics.names}
    names |= {"table": task.tables.names, "figure": task.figures.names}
    try:
        for kind, kind_names in names.items():
            check_names(kind, kind_names, dots=False)
        if not task.parts:
            raise ValueError("its task has no part; add at least one")
        for name in REQUIRED:
            if name not in task.metrics.names:
                raise ValueError(f"its metrics lack {name!r}, which every benchmark has; add it")
        for name in task.tables.names:
            if not name.startswith(f"{benchmark}_"):
                raise ValueError(
                    f"the table {name!r} shares a folder with other benchmarks' tables; begin its "
                    f"name with {benchmark}_"
                )
    except ValueError as error:
        raise UserError(f"benchmark {benchmark}: {error}") from None
    return task
