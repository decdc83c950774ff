"""The expressions of a task as RECS samples them, and what they were sampled from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench.recs import expressions as sampling
from steadfast.benchmarks.lifbench.recs.statistics import statistics


def expressions(inputs: Mapping[str, Path], task: Settings, seed: int, **settings: Any) -> Record:
    """As ``recs.expressions`` gives them, with ``statistics``: rows of what they are chosen from.

    Args:
        inputs: ``candidates``, ``vectors`` and ``clusters``; ``templates`` where they are released.
        task: as ``originals.rewritten`` takes it.
        seed: of random texts.
        settings: further ones of ``recs.expressions``.

    Raises:
        UserError: as there.
    """
    found = sampling.expressions(inputs, task, seed=seed, **settings)
    rows = statistics(inputs, task["id"], found, seed)
    return {**found, "statistics": [{**row, "reviewed": found["reviewed"]} for row in rows]}
