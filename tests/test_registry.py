"""Entry points that name no benchmark end in a sentence, where the benchmark is asked for."""

import sys
from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from steadfast.base.errors import UserError
from steadfast.benchmarks.followbench.benchmark import FOLLOWBENCH
from steadfast.config.load import load_config
from steadfast.contract import registry
from steadfast.jobs.evaluation import Evaluation

SEED, DASHED = (replace(FOLLOWBENCH, name=name) for name in ("seed", "my-bench"))
NOTHING = "no benchmark"


def raises(config, section):
    """A task of a plugin whose code fails."""
    raise LookupError("no such topic")


def ends(config, section):
    """A check of a plugin that ends the process."""
    sys.exit("no licence")


def does_not_suit(config, section):
    """A check of a plugin that a config does not suit."""
    raise ValueError("mine.topics: there is no topic 3")


MINE = replace(FOLLOWBENCH, name="mine")
FAILS = replace(MINE, task=raises)
LEAVES = replace(MINE, check=ends)
REFUSES = replace(MINE, check=does_not_suit)


class Ends:
    """An object whose attribute ends the process."""

    @property
    def now(self):
        sys.exit("no licence")


ENDS = Ends()


@pytest.fixture
def named(monkeypatch):
    """Registers one more entry point, of this module."""

    def named(name: str, value: str) -> None:
        point = EntryPoint(name, value, registry.GROUP)
        monkeypatch.setattr(registry, "entry_points", lambda group: [point])
        registry.installed.cache_clear()

    yield named
    monkeypatch.undo()
    registry.installed.cache_clear()


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("mine", "no_such_module:MINE", "entry point mine .* cannot be loaded .*No module"),
        ("mine", f"{__name__}:MISSING", "cannot be loaded .*MISSING"),
        ("mine", f"{__name__}:ENDS.now", r"cannot be loaded \(SystemExit: no licence\)"),
        ("mine", f"{__name__}:NOTHING", "not a benchmark of that name"),
        ("mine", f"{__name__}:SEED", "not a benchmark of that name"),
        ("seed", f"{__name__}:SEED", "a key of the config"),
        ("my-bench", f"{__name__}:DASHED", "letters, digits and '_'"),
    ],
)
def test_an_entry_point_that_is_no_benchmark_is_named(named, name, value, complaint):
    named(name, value)
    with pytest.raises(UserError, match=complaint):
        registry.benchmarks([name])


@pytest.mark.parametrize("asked", [{"benchmarks": ["mine"]}, {"mine": {"topics": 3}}])
def test_a_package_that_is_broken_stops_the_runs_that_ask_for_it_alone(named, asked):
    named("mine", f"{__name__}:ENDS.now")
    others = {"models": {"sim-a": {"engine": "simulated", "max_tokens": {"LSI": 9}}}}
    assert list(Evaluation(load_config(others)).tasks) == list(registry.benchmarks())
    with pytest.raises(UserError, match=r"entry point mine .* no licence"):
        load_config({**others, **asked})


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("FAILS", rf"benchmark mine: {__file__}: raises fails \(LookupError: no such topic\)"),
        ("LEAVES", rf"benchmark mine: {__file__}: ends fails \(SystemExit: no licence\)"),
        ("REFUSES", "^config: mine.topics: there is no topic 3$"),
    ],
)
def test_a_function_of_a_package_that_fails_is_one_sentence(named, value, sentence):
    named("mine", f"{__name__}:{value}")
    config = {"benchmarks": ["mine"], "models": {"a": {"engine": "reference"}}}
    with pytest.raises(UserError, match=sentence):
        Evaluation(load_config({**config, "judges": {"a": {"engine": "reference"}}}))
