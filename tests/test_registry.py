"""Entry points of invalid benchmarks have an error message, in runs of that benchmark alone."""

import sys
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from steadfast.base.errors import UserError
from steadfast.benchmarks.followbench.benchmark import FOLLOWBENCH
from steadfast.config.load import load_config
from steadfast.contract import registry
from steadfast.jobs.evaluation import Evaluation

SEED = replace(FOLLOWBENCH, name="seed")
DASHED = replace(FOLLOWBENCH, name="my-bench")
TEXT = "no benchmark"


def raises(config, section):
    raise LookupError("no such topic")


def ends(config, section):
    sys.exit("no licence")


def does_not_suit(config, section):
    raise ValueError("mine.topics: there is no topic 3")


MINE = replace(FOLLOWBENCH, name="mine")
FAILS = replace(MINE, task=raises)
LEAVES = replace(MINE, check=ends)
REFUSES = replace(MINE, check=does_not_suit)


class Ends:
    @property
    def now(self):
        sys.exit("no licence")


ENDS = Ends()
"""Its attribute ends the process that loads it."""


@pytest.fixture
def register(monkeypatch):
    """Registers an entry point of this module as the only further one."""

    def register(name: str, value: str) -> None:
        point = EntryPoint(name, value, registry.GROUP)
        monkeypatch.setattr(registry, "entry_points", lambda group: [point])
        registry.installed.cache_clear()

    yield register
    monkeypatch.undo()
    registry.installed.cache_clear()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("mine", "no_such_module:MINE", "entry point mine .* cannot be loaded .*No module"),
        ("mine", f"{__name__}:MISSING", "cannot be loaded .*MISSING"),
        ("mine", f"{__name__}:ENDS.now", r"cannot be loaded \(SystemExit: no licence\)"),
        ("mine", f"{__name__}:TEXT", "not a benchmark of that name"),
        ("mine", f"{__name__}:SEED", "not a benchmark of that name"),
        ("seed", f"{__name__}:SEED", "a key of the config"),
        ("my-bench", f"{__name__}:DASHED", "letters, digits and '_'"),
    ],
)
def test_invalid_entry_point_is_reported(register, name, value, message):
    register(name, value)
    with pytest.raises(UserError, match=message):
        registry.benchmarks([name])


@pytest.mark.parametrize("section", [{"benchmarks": ["mine"]}, {"mine": {"topics": 3}}])
def test_broken_package_stops_only_runs_of_its_benchmark(register, section):
    register("mine", f"{__name__}:ENDS.now")
    config = {"models": {"sim-a": {"engine": "simulated", "max_tokens": {"LSI": 9}}}}
    assert list(Evaluation(load_config(config)).tasks) == list(registry.benchmarks())
    with pytest.raises(UserError, match=r"entry point mine .* no licence"):
        load_config({**config, **section})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("FAILS", rf"benchmark mine: {__file__}: raises fails \(LookupError: no such topic\)"),
        ("LEAVES", rf"benchmark mine: {__file__}: ends fails \(SystemExit: no licence\)"),
        ("REFUSES", "^config: mine.topics: there is no topic 3$"),
    ],
)
def test_failing_function_of_a_package_is_reported(register, value, message):
    register("mine", f"{__name__}:{value}")
    reference = {"a": {"engine": "reference"}}
    config = {"benchmarks": ["mine"], "models": reference, "judges": reference}
    with pytest.raises(UserError, match=message):
        Evaluation(load_config(config))
