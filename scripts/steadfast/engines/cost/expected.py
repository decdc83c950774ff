"""How long a model is expected to take: as past runs did, else as stated, else by a roofline."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.contract.records import RunRecord, read_runs
from steadfast.engines.cost.roofline import (
    Machine,
    ModelSize,
    Work,
    hardware_fact,
    load_seconds,
    work_seconds,
)

ENOUGH = 20
"""Answers of past runs from which on they count."""
HOURS = 4.0
"""Of a job, where nothing is known of its model's speed."""
ASSUMED = "assumed"
"""The source of a speed that is that of any server."""
MORE = 0.5
"""Of time or memory with each further attempt."""
START_MINUTES = 10.0
"""Of the jobs of one load: until the first asks, and from the last answer to the end."""


@dataclass(frozen=True)
class Speed:
    """What a model takes on the machine of its jobs."""

    load: float  # seconds until it can be asked; 0 where nothing is loaded or nothing is known
    seconds: Callable[[Work], float]  # of some work, once it is loaded
    source: str  # measured, stated, estimated (from size and hardware) or ASSUMED


def speed(
    answers: Settings, plan: Settings, hardware: Settings, runs: Sequence[RunRecord] = ()
) -> Speed | None:
    """What a model is expected to take; None where nothing is known.

    Args:
        answers: its settings that determine responses: ``model``, ``revision``.
        plan: what the plan reckons with: ``gpus``, ``copies``, ``at_once``, ``size``,
            ``throughput``.
        hardware: the config's: ``gpu``, ``load_gb_per_second``.
        runs: what its runs took on this machine, as ``past_runs`` finds them.
    """
    size, copies = size_of(answers, plan), plan.get("copies") or 1
    machine = Machine.of(hardware, plan["gpus"] // copies)
    given = plan.get("throughput")
    loads = [run["load_seconds"] for run in runs if run["load_seconds"]]
    load = load_seconds(size, machine) if size and machine else 0.0
    load = sum(loads) / len(loads) if loads else load
    if given:

        def seconds(work: Work) -> float:
            return float(work.distinct / given["prefill"] + work.output / given["decode"])
    elif size and machine:

        def seconds(work: Work) -> float:
            return work_seconds(work, size, machine, plan["at_once"]) / copies
    elif answers.get("model") and not plan["gpus"]:
        latency = hardware_fact("server", "latency_seconds")
        decode, at_once = hardware_fact("server", "tokens_per_second"), int(plan["at_once"])

        def seconds(work: Work) -> float:
            return (work.requests * latency + work.output / decode) / at_once
    else:
        return None
    took = sum(run["wall_seconds"] - run["load_seconds"] for run in runs)
    if sum(run["answered"] for run in runs) >= ENOUGH and took > 0:
        factor = took / sum(seconds(_work(run)) for run in runs)
        return Speed(load, lambda work: factor * seconds(work), "measured")
    source = "stated" if given else "estimated" if machine else ASSUMED
    return Speed(load, seconds, source)


def escalated(value: float, attempt: int) -> int:
    """What an attempt asks for of time or memory: half as much again with each further one.

    >>> [escalated(60, attempt) for attempt in (1, 2, 3)]
    [60, 90, 120]
    """
    return math.ceil(value * (1 + MORE * (attempt - 1)))


def job_minutes(
    work: Work,
    found: Speed | None,
    sharing: int,
    hardware: Settings,
    hours: float | None,
    attempt: int = 1,
) -> int:
    """Minutes that a job asks for, for its work and its share of the load."""
    if hours is not None or found is None:
        return escalated(60 * (HOURS if hours is None else hours), attempt)
    seconds = hardware.get("margin", 1.0) * (found.seconds(work) + found.load / sharing)
    asked = seconds / 60 + START_MINUTES / sharing
    if found.source == ASSUMED:  # time without a GPU is cheap, and a guess may be wrong
        asked = max(asked, 60 * HOURS)
    return escalated(asked, attempt)


def within_most(minutes: Sequence[int], hardware: Settings) -> list[int]:
    """Minutes that the jobs of one load ask for: all less in proportion beyond ``max_hours``."""
    most, together = hardware.get("max_hours"), sum(minutes)
    if most is None or together <= 60 * most:
        return list(minutes)
    return [max(1, math.floor(60 * most * own / together)) for own in minutes]


def _work(run: RunRecord) -> Work:
    prompt, distinct = run["prompt_tokens"], run["computed_tokens"]
    return Work(run["answered"], prompt, distinct, run["output_tokens"], 1)


def size_of(answers: Settings, plan: Settings) -> ModelSize | None:
    """A model's size: as the config states it, else as its files have it where they are here."""
    if plan.get("size"):
        return ModelSize.stated(plan["size"])
    model = answers.get("model")
    if not model or not plan["gpus"]:
        return None
    folder = Path(model) if Path(model).is_dir() else _in_cache(model, answers.get("revision"))
    return ModelSize.of_checkpoint(folder) if folder else None


def _in_cache(model: str, revision: str | None) -> Path | None:
    """The folder of a model of the hub, where it is in the cache; nothing is fetched."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = try_to_load_from_cache(model, "config.json", revision=revision)
    except HFValidationError:
        return None
    return Path(found).parent if isinstance(found, str) else None


def past_runs(folders: Iterable[Path], hardware: Settings, gpus: int) -> list[RunRecord]:
    """What a model's runs took on the config's GPUs, by the records beside its journals."""
    named = hardware.get("gpu")
    device = facts("engines/hardware.yaml")["gpus"][named]["device"] if named else ""
    found = []
    for folder in folders:
        for path in sorted(folder.glob("*.run.json")):
            try:
                runs = read_runs(path)
            except (UserError, KeyError, TypeError):
                continue  # a record that is damaged says nothing
            for run in runs:
                machine = run.get("machine") or ""
                if gpus and not (f"{gpus} × " in machine and device in machine):
                    continue
                if run.get("prompt_tokens") and run["answered"]:
                    found.append(run)
    return found
