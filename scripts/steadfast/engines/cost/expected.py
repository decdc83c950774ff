"""How long a model is expected to take: as its past runs did, else by the stated throughput."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.contract.records import RunRecord, read_runs
from steadfast.engines.cost.forecast import Work

ENOUGH = 20
"""Answers of past runs from which on they count."""
HOURS = 4.0
"""Of a job, where nothing is known of its model's speed."""
MARGIN = 2.0
"""Time that a job asks for, as a multiple of the expected."""
MORE = 0.5
"""Of time or memory with each further attempt."""
START_MINUTES = 10.0
"""Of the jobs of one load: until the first request, and from the last answer to the end."""
RECKONED = {"load_seconds", "prompt_tokens", "computed_tokens", "output_tokens"}
"""Fields of a run's record from which time is reckoned."""
DECODED = 20.0
"""Prompt tokens that take as long as one token of an answer, where no throughput is stated."""


@dataclass(frozen=True)
class Speed:
    """What a model takes on the machine of its jobs."""

    load: float  # seconds until the first request can be sent; 0 where it is not known
    seconds: Callable[[Work], float]  # of some work, once the model is loaded
    source: str  # measured or stated


def speed(plan: Settings, runs: Sequence[RunRecord] = ()) -> Speed | None:
    """What a model is expected to take; None where nothing is known.

    Args:
        plan: what the plan reckons with, of which ``throughput``.
        runs: what its runs took on so many GPUs, as ``past_runs`` finds them.
    """
    throughput = plan.get("throughput") or {"prefill": DECODED, "decode": 1.0}

    def stated(work: Work) -> float:
        prefill = work.distinct / throughput["prefill"]
        return float(prefill + work.output / throughput["decode"])

    loads = [run["load_seconds"] for run in runs if run["load_seconds"]]
    load = sum(loads) / len(loads) if loads else 0.0
    seconds = sum(run["wall_seconds"] - run["load_seconds"] for run in runs)
    if sum(run["answered"] for run in runs) >= ENOUGH and seconds > 0:
        factor = seconds / sum(stated(_work(run)) for run in runs)
        return Speed(load, lambda work: factor * stated(work), "measured")
    return Speed(load, stated, "stated") if plan.get("throughput") else None


def escalated(value: float, attempt: int) -> int:
    """What an attempt asks for of time or memory: half as much again with each further one.

    >>> [escalated(60, attempt) for attempt in (1, 2, 3)]
    [60, 90, 120]
    """
    return math.ceil(value * (1 + MORE * (attempt - 1)))


def job_minutes(
    work: Work, expected: Speed | None, sharing: int, hours: float | None, attempt: int = 1
) -> int:
    """Minutes that a job asks for, for its work and its share of the load."""
    if hours is not None or expected is None:
        return escalated(60 * (HOURS if hours is None else hours), attempt)
    seconds = MARGIN * (expected.seconds(work) + expected.load / sharing)
    return escalated(seconds / 60 + START_MINUTES / sharing, attempt)


def within_most(minutes: Sequence[int], most: float | None) -> list[int]:
    """Minutes that the jobs of one load ask for: all less in proportion beyond so many hours."""
    together = sum(minutes)
    if most is None or together <= 60 * most:
        return list(minutes)
    return [max(1, math.floor(60 * most * own / together)) for own in minutes]


def _work(run: RunRecord) -> Work:
    return Work(run["answered"], run["prompt_tokens"], run["computed_tokens"], run["output_tokens"])


def past_runs(folders: Iterable[Path], gpus: int) -> list[RunRecord]:
    """What a model's runs took on so many GPUs, by the records beside its journals."""
    found = []
    for folder in folders:
        for path in sorted(folder.glob("*.run.json")):
            try:
                runs = read_runs(path)
            except UserError:
                continue  # a record that is damaged says nothing
            for run in runs:
                alike = not gpus or f"{gpus} × " in (run.get("machine") or "")
                # Earlier versions wrote fewer fields.
                if alike and run.keys() >= RECKONED and run["prompt_tokens"] and run["answered"]:
                    found.append(run)
    return found
