"""LIFEval's metrics from per-sample scores: ARS, IFP and IFS, and their coverage.

A sample without a score (overflow, refused, error) is in no mean; it lowers the coverage.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from steadfast.errors import UserError
from steadfast.lifbench.tasks import RUBRIC, TASKS, total_weight
from steadfast.metrics.scores import POINT, coverage, read_scores
from steadfast.metrics.tidy import OVERALL, in_order, tidy, write_csv

Weighting = Literal["rubric", "mean"]

CAPABILITIES = ("Ori", "Num", "Spat", "Fmt", "Logic", "Recog")  # section 4.2
PERSPECTIVES = {"expression": "expression_id", "variable": "variable_id", "length": "length"}
AVERAGE = "average"


def compute_metrics(
    scores: Mapping[tuple[str, str], Path], weighting: Weighting, outs: Mapping[str, Path]
) -> None:
    """Writes the metrics of all models as tidy CSV files.

    Args:
        scores: score file of each model and length, lengths in ascending order.
        weighting: of the tasks in the overall ARS, see ``ars``.
        outs: where to write ``ars``, ``ifp``, ``ifs`` and ``coverage``.

    Raises:
        UserError: a score file is missing or damaged, or has a task that LIFBench has not.
    """
    frame = read_scores(scores)
    unknown = sorted(set(frame["task"]) - set(TASKS))
    if unknown:
        raise UserError(f"scores: unknown task {unknown[0]!r}; LIFBench has {', '.join(TASKS)}")
    write_csv(outs["ars"], ars(frame, weighting))
    write_csv(outs["ifp"], ifp(frame))
    write_csv(outs["ifs"], ifs(frame))
    write_csv(outs["coverage"], full_coverage(frame))


def ars(frame: pd.DataFrame, weighting: Weighting = "rubric") -> pd.DataFrame:
    """Automated rubric-based score: per task and overall, over all lengths and for each.

    Args:
        frame: scores, as ``metrics.scores.read_scores`` gives them.
        weighting: rubric weighs the tasks by their total weights; mean is the plain mean.

    Returns:
        Tidy rows; n counts scored samples. A task without any has no row, and the overall score
        is over the remaining tasks: ``full_coverage`` tells.

    Source: equations 2 and 3; the plain mean: section 4.1.
    """
    parts = []
    for by in ([], ["length"]):
        tasks = _means(frame, ["model", "task", *by])
        parts += [tasks, _overall(tasks, ["model", *by], weighting)]
    return tidy(parts, _order(frame))


def _means(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    scored = frame[frame["total"].notna()]
    totals = scored.groupby(by, observed=True)["total"]
    return totals.agg(value="mean", n="count").reset_index()


def _overall(tasks: pd.DataFrame, by: list[str], weighting: Weighting) -> pd.DataFrame:
    weight = tasks["task"].map(total_weight).astype(float) if weighting == "rubric" else 1.0
    sums = tasks.assign(weight=weight, value=tasks["value"] * weight)
    sums = sums.groupby(by, observed=True)[["value", "weight", "n"]].sum().reset_index()
    return sums.assign(task=OVERALL, value=sums["value"] / sums["weight"]).drop(columns="weight")


def ifp(frame: pd.DataFrame) -> pd.DataFrame:
    """Instruction following performance in each capability, over all lengths and for each.

    Args:
        frame: scores, as ``metrics.scores.read_scores`` gives them.

    Returns:
        Tidy rows; n counts the scored samples that have a score point of the capability.

    Source: equation 4, tables 8 and 9.
    """
    parts = [_ifp(frame, by) for by in ([], ["length"])]
    return tidy(parts, _order(frame))


def _ifp(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    points = [column for column in frame if column.startswith(POINT)]
    fractions = frame.groupby(["model", "task", *by], observed=True)[points]
    keys = ["model", "task", *by, "point"]
    long = pd.concat(
        [
            fractions.mean().stack().rename("fraction").rename_axis(keys),
            fractions.count().stack().rename("n").rename_axis(keys),
        ],
        axis=1,
        join="inner",
    ).reset_index()
    long["point"] = long["point"].str.removeprefix(POINT)
    long = long[long["n"] > 0].merge(_mapping(), on=["task", "point"])
    long["value"] = long["fraction"] * long["weight"]
    sums = long.groupby(["model", *by, "capability"], observed=True)[["value", "weight", "n"]]
    sums = sums.sum().reset_index()
    return sums.assign(task=OVERALL, value=sums["value"] / sums["weight"]).drop(columns="weight")


def _mapping() -> pd.DataFrame:
    """Score points, their weights and each capability they count for (Table 6)."""
    return pd.DataFrame(
        [
            {"task": task, "point": name, "weight": point.weight, "capability": capability}
            for task, points in RUBRIC.items()
            for name, point in points.items()
            for capability in point.capabilities
        ]
    )


def ifs(frame: pd.DataFrame) -> pd.DataFrame:
    """Instruction following stability: spread of ARS between groups of samples, over its mean.

    The samples of a task are grouped by expression, variable or length; a task whose groups all
    score 0, or that has one group only, has no IFS and is left out of the model's mean. The
    average of the three perspectives is given where all three exist.

    Args:
        frame: scores, as ``metrics.scores.read_scores`` gives them.

    Returns:
        Tidy rows per task and overall; over all lengths, and within each length for expression
        and variable. n counts a task's groups, and for overall the tasks in the mean.

    Source: equations 5 and 6, with the sample standard deviation; tables 4, 10 and 11.
    """
    perspectives = [part for by in ([], ["length"]) for part in _perspectives(frame, by)]
    both = pd.concat(perspectives, ignore_index=True)
    whole = both[both["length"].isna()] if "length" in both else both
    averages = whole.groupby(["model", "task"], observed=True)["value"].agg(value="mean", n="count")
    averages = averages[averages["n"] == len(PERSPECTIVES)].reset_index()
    return tidy([both, averages.assign(perspective=AVERAGE)], _order(frame))


def _perspectives(frame: pd.DataFrame, by: list[str]) -> Iterator[pd.DataFrame]:
    for perspective, column in PERSPECTIVES.items():
        if column in by:
            continue
        groups = _means(frame, ["model", "task", *by, column])
        spread = groups.groupby(["model", "task", *by], observed=True)["value"].agg(
            ["mean", "std", "count"]
        )
        spread = spread[(spread["mean"] > 0) & (spread["count"] > 1)].reset_index()
        tasks = spread.assign(
            value=spread["std"] / spread["mean"], n=spread["count"], perspective=perspective
        ).drop(columns=["mean", "std", "count"])
        model = tasks.groupby(["model", *by], observed=True)["value"].agg(value="mean", n="count")
        yield tasks.astype({"model": str})
        yield (
            model.reset_index().assign(task=OVERALL, perspective=perspective).astype({"model": str})
        )


def full_coverage(frame: pd.DataFrame) -> pd.DataFrame:
    """Expected and scored samples of each model by task and length, with their sums.

    Returns:
        Columns model, task (or overall), length (or empty), expected, scored, counts by status,
        truncated.
    """
    parts = [coverage(frame, by) for by in (["task", "length"], ["task"], ["length"], [])]
    rows = pd.concat([part.astype({"model": str}) for part in parts], ignore_index=True)
    rows = rows.reindex(columns=["model", "task", "length", *parts[-1].columns[1:]])
    rows["task"] = rows["task"].astype(object).fillna(OVERALL)
    rows["length"] = rows["length"].astype(object).where(rows["length"].notna(), "")
    order = _order(frame)
    return in_order(rows, {key: order[key] for key in ("model", "task", "length")})


def _order(frame: pd.DataFrame) -> dict[str, Any]:
    return {
        "model": list(frame["model"].cat.categories),
        "task": [*TASKS, OVERALL],
        "length": list(frame["length"].cat.categories),
        "perspective": [*PERSPECTIVES, AVERAGE],
        "capability": CAPABILITIES,
    }
