"""Rule trial_prompts: a few of a part's prompts of each task, spread over their categories."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

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


if job := globals().get("snakemake"):
    run_rule(
        choose_prompts,
        job,
        prompts=Path(job.input.prompts),
        out=Path(job.output.prompts),
    )
