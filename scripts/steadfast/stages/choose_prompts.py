"""The prompts that are evaluated where not all are.

Rule trial_prompts: a few of a part's prompts of each task, spread over their categories.
Rule round_prompts: the prompts of a part in the first rounds of an adaptive run.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from steadfast.base.errors import UserError
from steadfast.base.files import Settings, write_jsonl
from steadfast.contract.records import read_prompts
from steadfast.workflow.script import run_rule

P = TypeVar("P", bound=Settings)


def chosen_prompts(
    prompts: Iterable[P],
    limit: int,
    together: str,
    spread: Sequence[str],
    seed: int,
    part: str = "",
) -> list[P]:
    """The prompts of a trial, in the order of all prompts.

    The prompts of a larger trial include those of a smaller one. Units whose names differ only in
    the part that they begin with are chosen alike, so that a trial's lengths are paired.

    Args:
        prompts: of one part.
        limit: maximum units of each task.
        together: field whose value names the unit of a prompt.
        spread: fields over whose values (of a unit's first prompt) units are spread; a prompt may
            lack some.
        seed: of the choice between equally good units.
        part: its name.
    """
    prompts = list(prompts)
    tasks: dict[str, dict[str, P]] = {}  # by task the first prompt of each unit
    for prompt in prompts:
        tasks.setdefault(prompt["task"], {}).setdefault(str(prompt[together]), prompt)
    chosen = {}
    for task, units in tasks.items():
        chosen[task] = _spread_units(units, limit, spread, seed, f"{part}/")
    return [prompt for prompt in prompts if str(prompt[together]) in chosen[prompt["task"]]]


def _spread_units(
    units: Mapping[str, P], limit: int, spread: Sequence[str], seed: int, prefix: str
) -> Collection[str]:
    """The ids of ``limit`` units, each with the values that were chosen least so far."""

    def rank(unit: str) -> float:
        return Random(f"{seed}/{unit.removeprefix(prefix)}").random()

    remaining = sorted(units, key=rank)
    if limit >= len(remaining):
        return units.keys()
    values = {}
    for unit, prompt in units.items():
        values[unit] = [(name, str(prompt.get(name))) for name in spread]
    counts: Counter[tuple[str, str]] = Counter()
    chosen = set()
    for _ in range(limit):
        best = min(remaining, key=lambda unit: sum(counts[value] for value in values[unit]))
        remaining.remove(best)
        counts.update(values[best])
        chosen.add(best)
    return chosen


def choose_prompts(
    prompts: Path, limit: int, together: str, spread: Sequence[str], seed: int, out: Path
) -> None:
    """Writes the prompts of a trial, in the order of all prompts."""
    all_prompts = list(read_prompts(prompts))
    chosen = chosen_prompts(all_prompts, limit, together, spread, seed, prompts.stem)
    print(f"trial of {limit} of each task: {len(chosen):,} of {len(all_prompts):,} prompts")
    write_jsonl(out, chosen)


def rounds_of(prompts: Iterable[Settings], contexts: int, seed: int) -> dict[str, int]:
    """The round, from 1 on, of each context, by its id.

    Contexts of each kind (those with the same tasks) are spread over the rounds as evenly as
    possible, in random order. With as many contexts of each kind as rounds, each round has one.

    Args:
        prompts: of one part; the prompts of a context or group share their context_id.
        contexts: rounds.
        seed: of the order.

    Raises:
        ValueError: there are fewer contexts than rounds.
    """
    tasks: dict[str, set[str]] = {}
    for prompt in prompts:
        tasks.setdefault(sampling_unit(prompt), set()).add(
            f"{prompt['task']} {prompt.get('domain', '')}"
        )
    if len(tasks) < contexts:
        raise ValueError(f"{len(tasks)} contexts or groups are too few for {contexts} rounds")
    kinds: dict[str, list[str]] = {}
    for unit in sorted(tasks, key=lambda unit: Random(f"{seed}/{unit}").random()):
        kinds.setdefault(" ".join(sorted(tasks[unit])), []).append(unit)
    positions = []
    for kind, units in kinds.items():
        # Each kind starts elsewhere, or all of them would have their contexts in the same rounds.
        start = Random(f"{seed}/{kind}").random()
        for number, unit in enumerate(units):
            positions.append(((number + start) / len(units), unit))
    positions.sort()
    return {unit: 1 + rank * contexts // len(tasks) for rank, (_, unit) in enumerate(positions)}


def sampling_unit(prompt: Mapping[str, Any]) -> str:
    """The sampling unit of a prompt: its family of nested contexts, or its context or group.

    Contexts of a family share a round at every length.
    """
    unit: str = prompt.get("family") or prompt["context_id"]
    return unit


def choose_round(prompts: Path, rounds: int, contexts: int, seed: int, out: Path) -> None:
    """Writes the prompts of the first rounds, in the order of all prompts."""
    all_prompts = list(read_prompts(prompts))
    try:
        round_of = rounds_of(all_prompts, contexts, seed)
    except ValueError as error:
        raise UserError(
            f"{prompts}: {error}; lower adaptive.contexts, or add contexts to the benchmark"
        ) from None
    chosen = [prompt for prompt in all_prompts if round_of[sampling_unit(prompt)] <= rounds]
    print(f"rounds 1 to {rounds} of {contexts}: {len(chosen):,} of {len(all_prompts):,} prompts")
    write_jsonl(out, chosen)


if job := globals().get("snakemake"):
    prompts = Path(job.input.prompts)
    out = Path(job.output.prompts)
    if job.wildcards.get("rounds"):
        run_rule(choose_round, job, prompts=prompts, rounds=int(job.wildcards.rounds), out=out)
    else:
        run_rule(choose_prompts, job, prompts=prompts, out=out)
