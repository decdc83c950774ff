"""The benchmarks: those that entry points name, and those of which a config says what they are."""

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
REQUIRED = ("coverage", "summary")
"""Metrics that others read of every benchmark."""
RULE = re.compile(r"^rule (\w+):", re.M)
FOLDERS = ("corpora", "figures", "journal", "logs", "metrics", "summary", "tables")
"""Folders of results that are of no benchmark and bear no rule's name."""


def benchmarks(asked: Iterable[str] = ()) -> dict[str, AnyBenchmark]:
    """Returns this package's benchmarks in pyproject.toml's order, then those asked of others.

    What another package brings is loaded where it is asked for alone, so that one that is broken
    stops no run of others. Further names are passed over.
    """
    names = {*_own(), *asked}
    return {name: _loaded(point) for name, point in installed().items() if name in names}


def benchmarks_of(config: Config) -> dict[str, AnyBenchmark]:
    """Returns the benchmarks of which a config has a section, whether or not they run."""
    known = benchmarks(type(config).model_fields.keys() - Config.model_fields.keys())
    for key, family in families().items():
        of_family = getattr(config, key, {})
        known |= {name: family.benchmark(name, section) for name, section in of_family.items()}
    return known


@cache
def families() -> dict[str, Family[Any]]:
    """Returns the kinds of benchmarks of which a config says what they are, by its key."""
    return {name: point.load() for name, point in _own(FAMILIES).items()}


def checked_members(named: dict[str, Any]) -> dict[str, Any]:
    """The benchmarks of a config; raises ValueError where one cannot be called so."""
    check_names("benchmark", named, dots=False)
    for name in named:
        if name in installed():
            raise ValueError(f"a benchmark {name!r} exists already; choose another name")
    return named


@cache
def installed() -> dict[str, EntryPoint]:
    """Returns where each benchmark is: this package's, then others' by name. None is loaded."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return _own() | {point.name: point for point in points if point.name not in _own()}


def packages(config: Config) -> dict[str, str]:
    """Returns the versions of other packages that bring benchmarks of a run, by name."""
    installed_names = installed().keys() - _own()
    points = [installed()[name] for name in config.benchmarks if name in installed_names]
    return {point.dist.name: point.dist.version for point in points if point.dist}


@cache
def _own(group: str = GROUP) -> dict[str, EntryPoint]:
    """Returns this package's entry points, which a checkout has without being installed."""
    project = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = project["entry-points"][group]
    return {name: EntryPoint(name, value, group) for name, value in named.items()}


@cache
def _loaded(point: EntryPoint) -> AnyBenchmark:
    try:
        benchmark = point.load()
    except (Exception, SystemExit) as error:
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


# --- names, which are known before anything runs ----------------------------------------------


def check_benchmark_names(tasks: Mapping[str, Task]) -> None:
    """Raises UserError where a benchmark is called as a rule, or a folder of results, is."""
    files = [HOME / "Snakefile", *(HOME / "rules").glob("*.smk")]
    reserved = {name for path in files for name in RULE.findall(path.read_text(encoding="utf-8"))}
    reserved |= {*FOLDERS, *(file.step for task in tasks.values() for file in task.data)}
    reserved |= {f"{name}_{kind}" for name in tasks for kind in ("metrics", "tables", "figures")}
    for name in tasks:
        if name.lower() in reserved:
            raise UserError(
                f"benchmark {name}: this is the name of a rule or folder of the workflow; choose "
                "another name"
            )


def checked_task(benchmark: str, task: Task) -> Task:
    """Returns the task of a benchmark, unless its names cannot name files or some are missing."""
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
