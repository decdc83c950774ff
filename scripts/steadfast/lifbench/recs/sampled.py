"""The expressions of a task as RECS samples them, and what they were sampled from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadfast.files import Record, read_jsonl
from steadfast.lifbench.recs import expressions as sampling
from steadfast.lifbench.recs.statistics import rows


def expressions(inputs: Mapping[str, Path], task: str, seed: int, **settings: Any) -> Record:
    """As ``recs.expressions`` gives them, with ``statistics``: rows of what they are chosen from.

    Args:
        inputs: ``candidates``, ``vectors`` and ``clusters``; ``templates`` where they are released.
        task: a key of ``TASKS``.
        seed: of random texts.
        settings: further ones of ``recs.expressions``.

    Raises:
        UserError: as there.
    """
    found = sampling.expressions(inputs, task, seed=seed, **settings)
    steps = {name: list(read_jsonl(inputs[name])) for name in ("candidates", "vectors", "clusters")}
    of = rows(task, **steps, expressions=found, seed=seed)
    return {**found, "statistics": [{**row, "reviewed": found["reviewed"]} for row in of]}
