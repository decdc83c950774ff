"""How long a model is expected to take: as past runs did, else as stated, else by a roofline."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_json
from steadfast.base.resources import facts
from steadfast.engines.cost.roofline import Machine, Size, Work, load_seconds, work_seconds

ENOUGH = 20
"""Answers of past runs from which on they count."""
HOURS = 4.0
"""Of a job, where nothing is known of its model's speed."""
ASSUMED = "assumed"
"""The source of a speed that is that of any server."""
START_MINUTES = 10.0
"""Of the jobs of one load: until the first asks, and from the last answer to the end."""


@dataclass(frozen=True)
class Speed:
    """What a model takes on the machine of its jobs.

    Attributes:
        load: seconds until it can be asked; 0 where nothing is loaded or nothing is known.
        seconds: of some work, once it is loaded.
        source: ``measured``, ``stated``, ``estimated`` from size and hardware, or ``ASSUMED``.
    """

    load: float
    seconds: Callable[[Work], float]
    source: str


def speed(
    answers: Settings, plan: Settings, hardware: Settings, runs: Sequence[Record] = ()
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
            return work.distinct / given["prefill"] + work.output / given["decode"]
    elif size and machine:

        def seconds(work: Work) -> float:
            return work_seconds(work, size, machine, plan["at_once"]) / copies
    elif answers.get("model") and not plan["gpus"]:
        server = facts("engines/hardware.yaml")["server"]

        def seconds(work: Work) -> float:
            waiting = work.requests * server["latency_seconds"]
            return float(waiting + work.output / server["tokens_per_second"]) / plan["at_once"]
    else:
        return None
    took = sum(run["wall_seconds"] - run["load_seconds"] for run in runs)
    if sum(run["answered"] for run in runs) >= ENOUGH and took > 0:
        factor = took / sum(seconds(_work(run)) for run in runs)
        return Speed(load, lambda work: factor * seconds(work), "measured")
    source = "stated" if given else "estimated" if machine else ASSUMED
    return Speed(load, seconds, source)


def requested_minutes(
    work: float | None, load: float, sharing: float, hardware: Settings, hours: float | None
) -> float:
    """Minutes that a job asks for at its first attempt.

    Args:
        work: seconds that its requests are expected to take; None: not known.
        load: seconds until its model can be asked.
        sharing: jobs that share one load.
        hardware: the config's: ``margin``.
        hours: that the config states for the job; they hold as they are.

    Example:
        >>> round(requested_minutes(600.0, 300.0, 6, {"margin": 2.0}, None), 2)
        23.33
    """
    if hours is not None:
        return 60 * hours
    if work is None:
        return 60 * HOURS
    margin = hardware.get("margin", 1.0)
    return margin * (work + load / sharing) / 60 + START_MINUTES / sharing


def _work(run: Record) -> Work:
    prompt, distinct = run["prompt_tokens"], run["computed_tokens"]
    return Work(run["answered"], prompt, distinct, run["output_tokens"], 1)


def size_of(answers: Settings, plan: Settings) -> Size | None:
    """A model's size: as the config states it, else as its files have it where they are here."""
    if plan.get("size"):
        return Size.stated(plan["size"])
    model = answers.get("model")
    if not model or not plan["gpus"]:
        return None
    folder = Path(model) if Path(model).is_dir() else _in_cache(model, answers.get("revision"))
    return Size.of_checkpoint(folder) if folder else None


def _in_cache(model: str, revision: str | None) -> Path | None:
    """The folder of a model of the hub, where it is in the cache; nothing is fetched."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = try_to_load_from_cache(model, "config.json", revision=revision)
    except HFValidationError:
        return None
    return Path(found).parent if isinstance(found, str) else None


def past_runs(folders: Iterable[Path], hardware: Settings, gpus: int) -> list[Record]:
    """What a model's runs took, of those that say how many tokens they were and what answered.

    Args:
        folders: of the model's journals.
        hardware: the config's; runs on another GPU than the one it names do not count.
        gpus: that share the model; runs on more or fewer do not count.
    """
    named = hardware.get("gpu")
    device = facts("engines/hardware.yaml")["gpus"][named]["device"] if named else ""
    found = []
    for folder in folders:
        for path in sorted(folder.glob("*.run.json")):
            try:
                runs = read_json(path)["runs"]
            except (UserError, KeyError, TypeError):
                continue  # a record that is damaged says nothing
            for run in runs:
                machine = run.get("machine") or ""
                if gpus and not (f"{gpus} × " in machine and device in machine):
                    continue
                if run.get("prompt_tokens") and run["answered"]:
                    found.append(run)
    return found
