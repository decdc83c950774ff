"""Rule round_prompts: the prompts of a part in the first rounds of an adaptive run."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Settings, write_jsonl
from steadfast.contract.records import read_prompts
from steadfast.workflow.script import run_rule


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
    run_rule(
        choose_round,
        job,
        prompts=Path(job.input.prompts),
        rounds=int(job.wildcards.rounds),
        out=Path(job.output.prompts),
    )
