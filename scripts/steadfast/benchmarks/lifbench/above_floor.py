"""What a score is worth above the floor, which a reader reaches who looks nothing up."""

import numpy as np
import pandas as pd

from steadfast.benchmarks.lifbench.frames import sorted_rows
from steadfast.benchmarks.lifbench.measures import task_weights
from steadfast.benchmarks.lifbench.scored_tasks import SCORED_TASKS, ScoredTasks
from steadfast.stats.tidy import OVERALL

COLUMNS = ["model", "task", "length", "value", "ars", "floor", "n"]
ROOM = 0.05
"""With less left to gain, its share says nothing: one slip would be many times all of it."""
_SAMPLE = ["prompts", "length", "sample_id"]


def above_floor(
    frame: pd.DataFrame,
    weighting: str,
    rubric: str,
    floor: str | None,
    tasks: ScoredTasks = SCORED_TASKS,
) -> pd.DataFrame:
    """Returns what each model gains of what the floor leaves open: (ARS − floor) ÷ (1 − floor).

    The floor is the mean of the floor reader's totals on the very answers that the model's mean is
    of: a sample that either has no score for is in neither.

    >>> frame = pd.DataFrame({"model": ["floor", "m"], "total": [0.5, 0.75], "task": "OQ"})
    >>> frame = frame.assign(prompts="own", length="4k", sample_id="OQ/1")
    >>> frame = frame.astype({"model": "category", "length": "category"})
    >>> rows = above_floor(frame, "rubric", "released", "floor")
    >>> rows.loc[rows["task"] == "OQ", ["model", "length", "value"]].values.tolist()
    [['floor', '', 0.0], ['floor', '4k', 0.0], ['m', '', 0.5], ['m', '4k', 0.5]]

    Returns:
        Columns model, task (or overall), length (or empty: all), value (empty where the floor
        leaves less than ``ROOM`` open), ars and floor (means of those answers) and n (answers).
    """
    totals = frame.loc[frame["total"].notna(), ["model", "task", *_SAMPLE, "total"]]
    under = totals[totals["model"] == floor].drop_duplicates(_SAMPLE)
    both = totals.merge(under[[*_SAMPLE, "total"]], on=_SAMPLE, suffixes=("", "_floor"))
    both = both.astype({"model": str, "task": str, "length": str})
    weights = task_weights(weighting, rubric, tasks)
    parts = [_means(both, weights, by) for by in ([], ["length"])]
    rows = pd.concat(parts, ignore_index=True).reindex(columns=COLUMNS).fillna({"length": ""})
    room = 1 - rows["floor"]
    rows["value"] = ((rows["ars"] - rows["floor"]) / room.where(room >= ROOM)).astype(float)
    return sorted_rows(rows, frame, ["model", "task", "length"])


def _means(both: pd.DataFrame, weights: dict[str, float], by: list[str]) -> pd.DataFrame:
    """Returns both means of each task and over all tasks, and the answers behind them."""
    means = {"ars": ("total", "mean"), "floor": ("total_floor", "mean"), "n": ("total", "size")}
    tasks = both.groupby(["model", "task", *by]).agg(**means).reset_index()
    tasks["weight"] = tasks["task"].map(weights)
    parts = [
        {
            **dict(zip(["model", *by], np.atleast_1d(key), strict=True)),
            "task": OVERALL,
            **{of: np.average(part[of], weights=part["weight"]) for of in ("ars", "floor")},
            "n": part["n"].sum(),
        }
        for key, part in tasks.groupby(["model", *by])
    ]
    return pd.concat([tasks, pd.DataFrame(parts, columns=tasks.columns)])
