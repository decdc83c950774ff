"""LIFEval's metrics from per-sample scores: ARS, IFP and IFS, and what lies behind them.

A sample without a score (overflow, refused, error) is in no mean; it lowers the coverage.
Intervals: ``metrics.bootstrap``, with contexts drawn within their scenario.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from steadfast.errors import UserError
from steadfast.lifbench.headline import AVERAGE, headline
from steadfast.lifbench.tasks import RUBRICS, TASKS, total_weight
from steadfast.metrics.bootstrap import Bootstrap, Estimates, joined
from steadfast.metrics.comparison import compare_models
from steadfast.metrics.depth import success_by_depth
from steadfast.metrics.ranks import CORRELATIONS, agreement
from steadfast.metrics.scores import ALSO, POINT, coverage, read_scores
from steadfast.metrics.tidy import OVERALL, in_order, tidy, write_csv
from steadfast.metrics.variance import RESIDUAL, variance_shares

Weighting = Literal["rubric", "mean"]

CAPABILITIES = ("Ori", "Num", "Spat", "Fmt", "Logic", "Recog")  # section 4.2
PERSPECTIVES = {"expression": "expression_id", "variable": "variable_id", "length": "length"}
LIST = "list"
FACTORS = {"context": "cluster", "expression": "expression_id", "variable": "variable_id"}


def compute_metrics(
    scores: Mapping[tuple[str, str], Path],
    weighting: Weighting,
    outs: Mapping[str, Path],
    rubric: str = "released",
    references: Collection[str] = (),
) -> None:
    """Writes the metrics of all models as CSV files.

    Args:
        scores: score file of each model and length, lengths in ascending order.
        weighting: of the tasks in the overall ARS, see ``ars``.
        outs: where to write those of ``ars``, ``ifp``, ``ifs``, ``coverage``, ``comparisons``,
            ``variance``, ``depth``, ``rubrics`` and ``headline`` that are wanted.
        rubric: by which points and totals of the score files were given.
        references: models that give the gold answer; they are not compared and not ranked.

    Raises:
        UserError: a score file is missing or damaged, was scored by another rubric, or has a task
            that LIFBench has not.
    """
    frame = read_scores(scores)
    unknown = sorted(set(frame["task"]) - set(TASKS))
    if unknown:
        raise UserError(f"scores: unknown task {unknown[0]!r}; LIFBench has {', '.join(TASKS)}")
    others = sorted(set(frame["rubric"].dropna()) - {rubric}) if "rubric" in frame else []
    if others:
        raise UserError(f"scores: scored by the rubric {others[0]!r}, not {rubric!r}; score again")
    frame = with_clusters(frame)

    @cache
    def make(name: str) -> pd.DataFrame:
        return makers[name]()

    makers = {
        "ars": lambda: ars(frame, weighting, rubric),
        "ifp": lambda: ifp(frame, rubric),
        "ifs": lambda: ifs(frame),
        "coverage": lambda: full_coverage(frame),
        "comparisons": lambda: comparisons(frame, weighting, rubric, references),
        "variance": lambda: variance(frame),
        "depth": lambda: depth(frame),
        "rubrics": lambda: rubrics(frame, weighting, rubric, references),
        "headline": lambda: headline(*map(make, ("ars", "ifs", "coverage"))),
    }
    for name, path in outs.items():
        write_csv(path, make(name))


def with_clusters(frame: pd.DataFrame) -> pd.DataFrame:
    """The scores with the columns scenario and cluster: the context that samples share.

    Where context_id is not known, a scenario has one context per length, as in the released data.
    """
    if "cluster" in frame:
        return frame
    scenario = frame["task"].map({id: task.scenario for id, task in TASKS.items()})
    cluster = scenario.astype(str) + "-" + frame["length"].astype(str)
    if "context_id" in frame:
        cluster += "/" + frame["context_id"].fillna("").astype(str)
    return frame.assign(
        scenario=scenario, cluster=cluster.astype("category"), task=frame["task"].astype("category")
    )


def _bootstrap(frame: pd.DataFrame, by: list[str]) -> Bootstrap:
    return Bootstrap(frame, ["scenario", *by])


def task_weights(weighting: Weighting, rubric: str = "released") -> dict[str, float]:
    """Each task's weight in the overall ARS."""
    return {task: total_weight(task, rubric) if weighting == "rubric" else 1.0 for task in TASKS}


def ars(
    frame: pd.DataFrame, weighting: Weighting = "rubric", rubric: str = "released"
) -> pd.DataFrame:
    """Automated rubric-based score: per task and overall, over all lengths and for each.

    Args:
        frame: scores, as ``metrics.scores.read_scores`` gives them.
        weighting: rubric weighs the tasks by their total weights; mean is the plain mean.
        rubric: whose total weights.

    Returns:
        Tidy rows; n counts scored samples. A task without any has no row, and the overall score
        is over the remaining tasks: ``full_coverage`` tells.

    Source: equations 2 and 3; the plain mean: section 4.1.
    """
    frame = with_clusters(frame)
    return tidy([_ars(frame, weighting, rubric, by) for by in ([], ["length"])], _order(frame))


def _ars(frame: pd.DataFrame, weighting: Weighting, rubric: str, by: list[str]) -> pd.DataFrame:
    weights = task_weights(weighting, rubric)
    tasks = _bootstrap(frame, by).means(frame, ["model", "task", *by])
    weight = [weights[task] for task in tasks.values.index.get_level_values("task")]
    overall = tasks.mean(["model", *by], weight).labelled(task=OVERALL)
    return joined([tasks, overall]).rows()


def ifp(frame: pd.DataFrame, rubric: str = "released") -> pd.DataFrame:
    """Instruction following performance in each capability, over all lengths and for each.

    Args:
        frame: scores, as ``metrics.scores.read_scores`` gives them.
        rubric: whose points' weights.

    Returns:
        Tidy rows; n counts the scored samples that have a score point of the capability.

    Source: equation 4, tables 8 and 9.
    """
    frame, mapping = with_clusters(frame), _mapping(rubric)
    names = [column for column in frame if column.startswith(POINT)]
    points = frame.melt(["model", "task", "length", "cluster"], names, "point", "fraction").dropna(
        subset="fraction"
    )
    points["point"] = points["point"].str.removeprefix(POINT).astype("category")
    boots = [(by, _bootstrap(frame, by)) for by in ([], ["length"])]
    return tidy([_ifp(points, mapping, by, boot) for by, boot in boots], _order(frame))


def _ifp(
    points: pd.DataFrame, mapping: pd.DataFrame, by: list[str], boot: Bootstrap
) -> pd.DataFrame:
    keys = ["model", "task", *by, "point"]
    fractions = boot.means(points, keys, "fraction")
    cells = fractions.values.index.to_frame(index=False).astype(str).reset_index(names="row")
    cells = cells.merge(mapping, on=["task", "point"])
    index = pd.MultiIndex.from_frame(cells[["model", *by, "capability"]])
    capabilities = fractions.take(cells["row"], index).mean(list(index.names), cells["weight"])
    return capabilities.rows().assign(task=OVERALL)


def _mapping(rubric: str) -> pd.DataFrame:
    """Score points, their weights and each capability they count for (Table 6)."""
    return pd.DataFrame(
        [
            {"task": task, "point": name, "weight": point.weight, "capability": capability}
            for task, points in RUBRICS[rubric].items()
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
        and variable. n counts a task's groups, and for overall the tasks in the mean. The
        intervals of the length perspective, and of the average, draw contexts within each length.

    Source: equations 5 and 6, with the sample standard deviation; tables 4, 10 and 11.
    """
    frame = with_clusters(frame)
    whole, within = _bootstrap(frame, []), _bootstrap(frame, ["length"])
    parts = [
        _ifs(frame, whole, "expression"),
        _ifs(frame, whole, "variable"),
        # Lengths are compared, so that each must be in every replicate.
        _ifs(frame, within, "length"),
        _ifs(frame, within, "expression", ["length"]),
        _ifs(frame, within, "variable", ["length"]),
    ]
    three = joined([_ifs(frame, within, perspective) for perspective in PERSPECTIVES])
    average = three.counting_cells().mean(["model", "task"]).labelled(perspective=AVERAGE)
    rows = [part.rows(rescaled=True) for part in (*parts, average)]
    rows[-1] = rows[-1][rows[-1]["n"] == len(PERSPECTIVES)]
    return tidy(rows, _order(frame))


def _ifs(
    frame: pd.DataFrame, boot: Bootstrap, perspective: str, by: Sequence[str] = ()
) -> Estimates:
    keys = ["model", "task", *by]
    tasks = boot.means(frame, [*keys, PERSPECTIVES[perspective]]).variation(keys)
    overall = tasks.counting_cells().mean(["model", *by]).labelled(task=OVERALL)
    return joined([tasks, overall]).labelled(perspective=perspective)


def comparisons(
    frame: pd.DataFrame,
    weighting: Weighting = "rubric",
    rubric: str = "released",
    references: Collection[str] = (),
) -> pd.DataFrame:
    """Every two models on the samples that both have scored: see ``compare_models``."""
    frame = with_clusters(frame)
    compared = frame[~frame["model"].isin(references)]
    rows = compare_models(compared, task_weights(weighting, rubric), _bootstrap(frame, []))
    order = _order(frame)
    return in_order(rows, {"task": order["task"], "model": order["model"], "other": order["model"]})


def variance(frame: pd.DataFrame) -> pd.DataFrame:
    """Tidy shares of variance between contexts, expressions and variables, in ``perspective``."""
    frame = with_clusters(frame)
    return tidy([variance_shares(frame, FACTORS)], _order(frame))


def depth(frame: pd.DataFrame) -> pd.DataFrame:
    """Success by position per task, and over the tasks of the list scenario (task "list")."""
    frame = with_clusters(frame)
    tasks = [task for task in TASKS if TASKS[task].scenario == LIST]
    rows = success_by_depth(frame, _bootstrap(frame, []), {LIST: tasks})
    order = _order(frame)
    return in_order(rows, {"task": [LIST, *TASKS], "model": order["model"], "bin": range(1, 11)})


def rubrics(
    frame: pd.DataFrame,
    weighting: Weighting = "rubric",
    chosen: str = "released",
    references: Collection[str] = (),
) -> pd.DataFrame:
    """ARS by each rubric, ranks, and how well the ranks of two rubrics agree.

    Args:
        frame: scores; columns ``also.<rubric>`` hold the totals by other rubrics.
        weighting: of the tasks in the overall ARS; each rubric weighs by its own total weights.
        chosen: the rubric of the column total.
        references: models without a rank, in no correlation.

    Returns:
        Columns measure, rubric, model, task, value, low, high and n. Measures: ars; rank (1 is
        highest, equal ARS share the better rank); spearman and kendall (τ-b), without a model, of
        the rubric with the chosen one, n models. No correlation where a rubric gives all models
        the same.
    """
    frame = with_clusters(frame)
    totals = {column.removeprefix(ALSO): column for column in frame if column.startswith(ALSO)}
    parts, by_rubric = [], {}
    for rubric, column in ({chosen: "total"} | totals).items():
        rows = _ars(frame.assign(total=frame[column].astype(float)), weighting, rubric, [])
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
    order = _order(frame) | {"measure": ["ars", "rank", *CORRELATIONS], "rubric": [chosen, *totals]}
    return in_order(rows, {key: order[key] for key in columns[:4]})


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
        "perspective": ["context", *PERSPECTIVES, AVERAGE, RESIDUAL],
        "capability": CAPABILITIES,
    }
