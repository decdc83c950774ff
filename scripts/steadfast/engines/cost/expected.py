"""The expected duration of jobs, by a model's past runs or its stated throughput."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.contract.records import RunRecord, read_runs
from steadfast.engines.cost.forecast import Work

# Responses in past runs from which these are used.
MIN_RESPONSES = 20
# Time limit of a job where its model's throughput is unknown.
HOURS = 4.0
# Time limit of a job, as a multiple of its expected duration.
MARGIN = 2.0
# Increase of time or memory with each further attempt.
INCREASE = 0.5
# Overhead of the jobs of one load, before the first request and after the last response.
START_MINUTES = 10.0
# Fields of a run's record that estimates of time need.
RUN_FIELDS = {"load_seconds", "prompt_tokens", "computed_tokens", "output_tokens"}
# Prompt tokens that take as long as one output token, where no throughput is stated.
DECODED = 20.0


@dataclass(frozen=True)
class Speed:
    """The speed of a model on the machine of its jobs.

    Attributes:
        load: seconds of loading; 0 where unknown.
        prefill, decode: tokens per second of prompts and of responses.
        source: measured or stated.
        factor: by which past runs took longer than these.
    """

    load: float
    prefill: float
    decode: float
    source: str
    factor: float = 1.0

    def seconds(self, work: Work) -> float:
        """The duration of work, once the model is loaded."""
        return self.factor * (work.distinct / self.prefill + work.output / self.decode)


def speed(plan: Settings, runs: Sequence[RunRecord] = ()) -> Speed | None:
    """The expected speed of a model; None where it is unknown.

    Args:
        plan: the model's ``plan_settings``, with ``throughput``.
        runs: its runs on as many GPUs (``past_runs``).
    """
    throughput = plan.get("throughput") or {"prefill": DECODED, "decode": 1.0}
    loads = [run["load_seconds"] for run in runs if run["load_seconds"]]
    load = sum(loads) / len(loads) if loads else 0.0
    stated = Speed(load, throughput["prefill"], throughput["decode"], "stated")
    seconds = sum(run["wall_seconds"] - run["load_seconds"] for run in runs)
    if sum(run["answered"] for run in runs) >= MIN_RESPONSES and seconds > 0:
        # The ratio of prefill to decode is as stated; past runs scale both.
        works = [Work(run["computed_tokens"], run["output_tokens"]) for run in runs]
        factor = seconds / sum(map(stated.seconds, works))
        return replace(stated, source="measured", factor=factor)
    return stated if plan.get("throughput") else None


def with_increase(value: float, attempt: int) -> int:
    """Time or memory that an attempt requests: half as much again with each further one.

    >>> [with_increase(60, attempt) for attempt in (1, 2, 3)]
    [60, 90, 120]
    """
    return math.ceil(value * (1 + INCREASE * (attempt - 1)))


def job_minutes(
    work: Work, expected: Speed | None, sharing: int, hours: float | None, attempt: int = 1
) -> int:
    """Minutes that a job requests, for its work and its share of the load."""
    if hours is not None or expected is None:
        return with_increase(60 * (HOURS if hours is None else hours), attempt)
    seconds = MARGIN * (expected.seconds(work) + expected.load / sharing)
    return with_increase(seconds / 60 + START_MINUTES / sharing, attempt)


def limited_minutes(minutes: Sequence[int], max_hours: float | None) -> list[int]:
    """Minutes that the jobs of one load request, reduced in proportion to ``max_hours`` in all."""
    total = sum(minutes)
    if max_hours is None or total <= 60 * max_hours:
        return list(minutes)
    return [max(1, math.floor(60 * max_hours * job / total)) for job in minutes]


def past_runs(folders: Iterable[Path], gpus: int) -> list[RunRecord]:
    """A model's runs on so many GPUs, from the run records next to its journals."""
    usable = []
    for folder in folders:
        for path in sorted(folder.glob("*.run.json")):
            try:
                runs = read_runs(path)
            except UserError:
                continue  # a damaged record is ignored
            for run in runs:
                same_gpus = not gpus or re.search(rf"\b{gpus} × ", run.get("machine") or "")
                # Earlier versions wrote fewer fields.
                complete = run.keys() >= RUN_FIELDS and run["prompt_tokens"] and run["answered"]
                if same_gpus and complete:
                    usable.append(run)
    return usable
