"""The files of instruction evolution: five rounds, each made of the replies to the one before."""

from collections.abc import Iterator
from typing import Any

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import LEVELS
from steadfast.contract.components import Component
from steadfast.contract.task import DataFile, Rewriting, rewrites_file

FUNCTIONS = "steadfast.benchmarks.followbench.evolution"
STEP = "followbench_evolution"
FOLDER = "followbench/evolution"
ATTEMPTS = 3


def rewriting(rewriter: str) -> Rewriting:
    """What the rewriter is asked: a round a level."""
    return Rewriting(
        requests={_round(level): _requests(level) for level in LEVELS},
        rewriters=[rewriter],
        readable=Component("steadfast.judging.rewriting.reading:readable"),
        stand_in=Component("steadfast.judging.rewriting.stand_in:RewriterStandIn"),
        attempts=ATTEMPTS,
    )


def evolution_files(
    benchmark: str, initial: str, rewriter: str, language: str
) -> Iterator[DataFile]:
    """The groups and requests of each level; at the end, files in the released shape."""
    start: Component[Any] = Component(f"{FUNCTIONS}:initial", {"file": initial})
    yield DataFile(_groups(0), STEP, start, files=(initial,))
    for level in LEVELS:
        at, groups = {"level": level}, {"groups": _groups(level - 1)}
        yield DataFile(_requests(level), STEP, Component(f"{FUNCTIONS}:requests", at), groups)
        replies = {"replies": rewrites_file(benchmark, rewriter, _round(level))}
        grown: Component[Any] = Component(f"{FUNCTIONS}:grown", at)
        yield DataFile(_groups(level), STEP, grown, groups | replies)
    for category in facts("followbench/evolution/kinds.yaml"):
        path = f"followbench/evolved/{language}/{category}_constraints.json"
        shape: Component[Any] = Component(f"{FUNCTIONS}:released_shape", {"category": category})
        yield DataFile(path, STEP, shape, {"groups": _groups(LEVELS[-1])})


def _round(level: int) -> str:
    return f"level{level}"


def _groups(level: int) -> str:
    return f"{FOLDER}/groups{level}.jsonl"


def _requests(level: int) -> str:
    return f"{FOLDER}/requests{level}.jsonl"
