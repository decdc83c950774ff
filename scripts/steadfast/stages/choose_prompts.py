"""Rule trial_prompts: a few of a part's prompts of each task, spread over what they differ in."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

from steadfast.base.files import Settings, write_jsonl
from steadfast.contract.records import read_prompts
from steadfast.workflow.script import run_rule

P = TypeVar("P", bound=Settings)


def chosen_prompts(
    prompts: Iterable[P], limit: int, together: str, spread: Sequence[str], seed: int
) -> list[P]:
    """Returns the prompts of a trial, in the order of all prompts.

    The prompts of a larger trial hold those of a smaller one.

    Args:
        prompts: of one part.
        limit: units that are taken of each task; all of a task that has no more.
        together: field of which prompts with the same value are one unit.
        spread: fields over whose values the units are spread, as the first prompt of a unit has
            them; a prompt may lack some.
        seed: of the choice between units that are spread alike.
    """
    prompts = list(prompts)
    tasks: dict[str, dict[str, P]] = {}
    for prompt in prompts:
        tasks.setdefault(prompt["task"], {}).setdefault(str(prompt[together]), prompt)
    chosen = {
        (task, unit)
        for task, units in tasks.items()
        for unit in _spread_units(units, limit, spread, seed)
    }
    return [prompt for prompt in prompts if (prompt["task"], str(prompt[together])) in chosen]


def _spread_units(
    units: Mapping[str, P], limit: int, spread: Sequence[str], seed: int
) -> list[str]:
    """Returns so many units, each of the values that were taken least before it."""
    left = sorted(units, key=lambda unit: Random(f"{seed}/{unit}").random())
    if limit >= len(left):
        return left
    values = {u: [(name, str(first.get(name))) for name in spread] for u, first in units.items()}
    taken: Counter[tuple[str, str]] = Counter()
    found = []
    for _ in range(limit):
        best = min(left, key=lambda unit: sum(taken[value] for value in values[unit]))
        left.remove(best)
        taken.update(values[best])
        found.append(best)
    return found


def choose_prompts(
    prompts: Path, limit: int, together: str, spread: Sequence[str], seed: int, out: Path
) -> None:
    """Writes the prompts of a trial, as they stand among all prompts."""
    whole = list(read_prompts(prompts))
    chosen = chosen_prompts(whole, limit, together, spread, seed)
    print(f"trial of {limit} of each task: {len(chosen):,} of {len(whole):,} prompts")
    write_jsonl(out, chosen)


if job := globals().get("snakemake"):
    run_rule(
        choose_prompts,
        job,
        prompts=Path(job.input.prompts),
        out=Path(job.output.prompts),
    )
