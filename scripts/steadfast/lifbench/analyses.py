"""How far LIFBench's results can be trusted: models compared, rubrics, variance, depth."""

from collections.abc import Collection

import pandas as pd

from steadfast.lifbench.frames import OTHER, row_order, sorted_rows
from steadfast.lifbench.measures import bootstrap, clusters, task_means, task_weights
from steadfast.lifbench.tasks import TASKS
from steadfast.metrics.comparison import compare_models
from steadfast.metrics.depth import success_by_depth
from steadfast.metrics.ranks import CORRELATIONS, agreement
from steadfast.metrics.tidy import tidy
from steadfast.metrics.variance import variance_shares

LIST = "list"
FACTORS = {"context": "cluster", "expression": "expression_id", "variable": "variable_id"}


def comparisons(
    frame: pd.DataFrame,
    weighting: str = "rubric",
    rubric: str = "released",
    references: Collection[str] = (),
) -> pd.DataFrame:
    """Every two models on the samples that both have scored: see ``compare_models``.

    Returns:
        Its columns and length: empty for all lengths, or one of those that have several contexts
        of each scenario.
    """
    contexts = frame.groupby(["length", "stratum"], observed=True)["cluster"].nunique()
    several = contexts.groupby("length", observed=True).min() > 1
    parts = {"": frame}
    parts |= {name: frame[frame["length"] == name] for name in several.index[several]}
    weights, found = task_weights(weighting, rubric), []
    for length, part in parts.items():
        models = part[~part["model"].isin(references)]
        rows = compare_models(models, weights, bootstrap(part, []))
        found.append(rows.assign(length=length))
    return sorted_rows(
        pd.concat(found, ignore_index=True), frame, ["length", "task", "model", "other"]
    )


def variance(frame: pd.DataFrame) -> pd.DataFrame:
    """Tidy shares of variance between contexts, expressions and variables, in ``perspective``."""
    return tidy([variance_shares(frame, FACTORS)], row_order(frame))


def depth(frame: pd.DataFrame) -> pd.DataFrame:
    """Success by position per task, and over the tasks of the list scenario (task "list")."""
    tasks = [task for task in TASKS if TASKS[task].scenario == LIST]
    rows = success_by_depth(frame, clusters(frame), {LIST: tasks})
    return sorted_rows(rows, frame, ["task", "model", "bin"], task=[LIST, *TASKS], bin=range(1, 11))


def rubrics(
    frame: pd.DataFrame,
    weighting: str = "rubric",
    chosen: str = "released",
    references: Collection[str] = (),
) -> pd.DataFrame:
    """ARS by each rubric, ranks, and how well the ranks of two rubrics agree.

    Args:
        frame: scores; columns ``other.<rubric>`` hold the totals by other rubrics.
        weighting: of the tasks in the overall ARS; each rubric weighs by its own total weights.
        chosen: the rubric of the column total.
        references: models without a rank, in no correlation.

    Returns:
        Columns measure, rubric, model, task, value, low, high and n. Measures: ars; rank (1 is
        highest, equal ARS share the better rank); spearman and kendall (τ-b), without a model, of
        the rubric with the chosen one, n models. No correlation where a rubric gives all models
        the same.
    """
    totals = {column.removeprefix(OTHER): column for column in frame if column.startswith(OTHER)}
    parts, by_rubric = [], {}
    for rubric, column in ({chosen: "total"} | totals).items():
        rows = task_means(frame.assign(total=frame[column].astype(float)), weighting, rubric, [])
        rows = rows.astype({"model": str, "task": str}).assign(rubric=rubric)
        ranked = rows[~rows["model"].isin(references)].drop(columns=["low", "high"])
        # As written, so that a rounding error breaks no tie.
        by_rubric[rubric] = ranked.assign(value=ranked["value"].round(12))
        rank = by_rubric[rubric].groupby("task")["value"].rank(method="min", ascending=False)
        parts += [rows.assign(measure="ars"), ranked.assign(measure="rank", value=rank)]
    for rubric in totals:
        both = by_rubric[chosen].merge(by_rubric[rubric], on=["model", "task"])
        parts.append(agreement(both).assign(rubric=rubric, model=""))
    columns = ["measure", "rubric", "model", "task", "value", "low", "high", "n"]
    rows = pd.concat(parts, ignore_index=True).reindex(columns=columns)
    measures = ["ars", "rank", *CORRELATIONS]
    return sorted_rows(rows, frame, columns[:4], measure=measures, rubric=[chosen, *totals])
