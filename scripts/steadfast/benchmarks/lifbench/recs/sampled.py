"""The expressions of a task as RECS samples them, and what they were sampled from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench.recs import expressions as sampling
from steadfast.benchmarks.lifbench.recs.statistics import statistics


def expressions(inputs: Mapping[str, Path], task: Settings, seed: int, **settings: Any) -> Record:
    """Returns what ``recs.expressions`` gives, and ``statistics`` of what they are chosen from."""
    found = sampling.expressions(inputs, task, seed=seed, **settings)
    rows = statistics(inputs, task["id"], found, seed)
    return {**found, "statistics": [{**row, "reviewed": found["reviewed"]} for row in rows]}
