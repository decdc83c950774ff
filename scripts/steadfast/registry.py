"""The benchmarks, found by the entry points of the group ``steadfast.benchmarks``."""

import tomllib
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from steadfast.benchmark import AnyBenchmark, Benchmark
from steadfast.errors import UserError
from steadfast.resources import PACKAGE
from steadfast.schema.config import Config

GROUP = "steadfast.benchmarks"


@cache
def benchmarks() -> dict[str, AnyBenchmark]:
    """All benchmarks by name: this package's in the order of pyproject.toml, then others' by name.

    Raises:
        UserError: an entry point cannot be loaded, is called otherwise than its benchmark, or as
            no benchmark can be called.
    """
    points = {point.name: point for point in _own()}
    others = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    points |= {point.name: point for point in others if point.name not in points}
    return {name: _loaded(point) for name, point in points.items()}


def _own() -> list[EntryPoint]:
    """This package's entry points, which a checkout has without being installed."""
    pyproject = PACKAGE.parents[1] / "pyproject.toml"
    if not pyproject.is_file():
        return list(entry_points(group=GROUP))
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    named = project["entry-points"][GROUP]
    return [EntryPoint(name, value, GROUP) for name, value in named.items()]


def _loaded(point: EntryPoint) -> AnyBenchmark:
    try:
        found = point.load()
    except (ImportError, AttributeError) as error:
        raise UserError(
            f"entry point {point.name} of {GROUP}: {point.value} cannot be loaded ({error}); "
            "correct it, or remove the package that brings it"
        ) from None
    if not isinstance(found, Benchmark) or found.name != point.name:
        raise UserError(
            f"entry point {point.name} of {GROUP}: {point.value} is no benchmark of that name; "
            "name a steadfast.benchmark.Benchmark"
        )
    if not found.name.isidentifier() or found.name in Config.model_fields:
        raise UserError(
            f"entry point {point.name} of {GROUP}: a benchmark's name is a key of the config and "
            "names rules: choose one of letters, digits and '_' that is no key yet"
        )
    return found
