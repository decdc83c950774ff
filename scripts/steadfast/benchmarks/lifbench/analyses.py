"""What stands behind LIFBench's results: models compared, rubrics, variance, depth, baseline."""

from collections.abc import Collection

import pandas as pd

from steadfast.benchmarks.lifbench.frames import (
    CAPABILITIES,
    NESTED,
    other_totals,
    row_order,
    sorted_rows,
)
from steadfast.benchmarks.lifbench.measures import bootstrap, clusters, overall_means, task_means
from steadfast.benchmarks.lifbench.scored_tasks import PAPER, SCORED_TASKS, Rubric
from steadfast.contract.records import OVERALL
from steadfast.stats import effective_context_length, intervals, ties
from steadfast.stats.depth import success_by_depth
from steadfast.stats.pairs import compare_models
from steadfast.stats.tidy import rows_of, tidy
from steadfast.stats.variance import variance_shares

LIST = "list"
EASY = "easy"
HARD = "hard"
MOST_EASY = 10  # total weight of an easy task, at most (section 5.4)
FACTORS = {"context": "context", "expression": "expression_id", "variable": "variable_id"}
COLUMNS = ["model", "task", "length", "value", "ars", "baseline", "n"]
# With less left above the baseline, one wrong answer would be many times the share gained.
LEAST_ROOM = 0.05
_SAMPLE = ["prompts", "length", "sample_id"]
SCENARIO_OF = {name: task.scenario for name, task in SCORED_TASKS.items()}


def comparisons(
    frame: pd.DataFrame, rubric: Rubric = PAPER, references: Collection[str] = ()
) -> pd.DataFrame:
    """Compares every two models (``compare_models``); an empty length stands for all lengths."""
    contexts = frame.groupby(["length", "stratum"], observed=True)["cluster"].nunique()
    several = contexts.groupby("length", observed=True).min() > 1
    parts = {"": frame}
    parts |= {name: frame[frame["length"] == name] for name in several.index[several]}
    weights = rubric.weights
    compared = []
    for length, part in parts.items():
        models = part[~part["model"].isin(references)]
        rows = compare_models(models, weights, bootstrap(part))
        compared.append(rows.assign(length=length))
    rows = pd.concat(compared, ignore_index=True)
    return sorted_rows(rows, frame, ["length", "task", "model", "other"])


def nested(
    frame: pd.DataFrame, rubric: Rubric = PAPER, references: Collection[str] = ()
) -> pd.DataFrame:
    """Returns how many pairs differ significantly by families of nested contexts, and by contexts.

    The latter would be right if each scenario and length had a context of its own. Models whose
    contexts are not nested are left out.
    """
    families = frame[frame["cluster"].astype(str).str.endswith(f"/{NESTED}")]
    families = families[~families["model"].isin(references)]
    contexts = families["cluster"].astype(str) + "-" + families["length"].astype(str)
    rows = []
    for unit, cluster in (("families", families["cluster"]), ("contexts", contexts)):
        sampled = families.assign(cluster=cluster.astype("category"))
        sampled["cluster"] = sampled["cluster"].cat.remove_unused_categories()
        pairs = compare_models(sampled, rubric.weights, bootstrap(sampled))
        pairs = rows_of(pairs, task=OVERALL)
        told_apart = int((pairs["p_adjusted"] < intervals.SIGNIFICANT).sum())
        rows.append((unit, sampled["cluster"].nunique(), len(pairs), told_apart))
    return pd.DataFrame(rows, columns=["unit", "clusters", "pairs", "told_apart"])


def effective(frame: pd.DataFrame, rubric: Rubric = PAPER) -> pd.DataFrame:
    """Returns the share of overall ARS at the shortest length that each model keeps at each."""
    lengths = list(map(str, frame["length"].cat.categories))
    return effective_context_length.retention_by_length(
        overall_means(frame, rubric, ["length"]), lengths
    )


def variance(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns tidy shares of variance between contexts, expressions and variables (perspective)."""
    contexts = frame["cluster"].astype(str) + "-" + frame["length"].astype(str)
    shares = variance_shares(frame.assign(context=contexts), FACTORS)
    keys = ["model", "task", "perspective"]
    return tidy([shares], row_order(frame)).merge(shares[[*keys, "chance"]], "left", keys)


def depth(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns success by position and length per task, and over the list scenario (task "list")."""
    lists = [name for name, scenario in SCENARIO_OF.items() if scenario == LIST]
    rows = success_by_depth(frame, clusters(frame), {LIST: lists})
    keys = ["task", "model", "length", "bin"]
    bins = range(1, 11)
    return sorted_rows(rows, frame, keys, task=[LIST, *SCORED_TASKS], bin=bins)


def complexity(frame: pd.DataFrame, rubric: Rubric) -> pd.DataFrame:
    """Returns ARS of the easy (weight of at most 10) and the hard tasks (section 5.4, Figure 6)."""
    hard = frame["task"].map(lambda task: rubric.total_weight(task) > MOST_EASY).astype(bool)
    parts = []
    for split, rows in {EASY: frame[~hard], HARD: frame[hard]}.items():
        for by in ([], ["length"]):
            if len(rows):
                means = task_means(rows, rubric, by).astype({"task": str, "model": str})
                parts.append(means[means["task"] == OVERALL].assign(split=split))
    rows = pd.concat(parts, ignore_index=True)
    rows["length"] = rows["length"].astype(object).fillna("")
    columns = ["model", "split", "length", "value", "low", "high", "n"]
    return sorted_rows(rows[columns], frame, columns[:3], split=[EASY, HARD])


def weights(frame: pd.DataFrame, rubric: Rubric) -> pd.DataFrame:
    """Returns the weight of each task's points, in all and by capability (Table 6, Figure 2)."""
    rows = []
    present = set(frame["task"].unique())
    for task in SCORED_TASKS:
        if task not in present:
            continue
        rows.append((task, "", rubric.total_weight(task)))
        for capability in CAPABILITIES:
            points = rubric.points(task).values()
            value = sum(point.weight for point in points if capability in point.capabilities)
            rows += [(task, capability, value)] if value else []
    return pd.DataFrame(rows, columns=["task", "capability", "value"])


def rubrics(
    frame: pd.DataFrame, chosen: Rubric = PAPER, references: Collection[str] = ()
) -> pd.DataFrame:
    """Returns ARS by each rubric and the judge, ranks, and how well the ranks of two agree.

    Each rubric weighs by its own total weights, the judge by the chosen one's. Models among
    ``references`` have no rank. Measures: ars; rank (1 is highest); spearman and kendall (τ-b) of
    the rubric with the chosen one.
    """
    totals = other_totals(frame)
    parts = []
    by_rubric = {}
    for rubric, column in ({chosen.name: "total"} | totals).items():
        scored = frame.assign(total=frame[column].astype(float))
        rows = task_means(scored, chosen.renamed(rubric), [])
        rows = rows.astype({"model": str, "task": str}).assign(rubric=rubric)
        ranked = rows[~rows["model"].isin(references)].drop(columns=["low", "high"])
        # As written, so that a rounding error breaks no tie.
        by_rubric[rubric] = ranked.assign(value=ranked["value"].round(12))
        rank = by_rubric[rubric].groupby("task")["value"].rank(method="min", ascending=False)
        parts += [rows.assign(measure="ars"), ranked.assign(measure="rank", value=rank)]
    for rubric in totals:
        joined = by_rubric[chosen.name].merge(by_rubric[rubric], on=["model", "task"])
        parts.append(ties.agreement(joined).assign(rubric=rubric, model=""))
    columns = ["measure", "rubric", "model", "task", "value", "low", "high", "n"]
    rows = pd.concat(parts, ignore_index=True).reindex(columns=columns)
    measures = ["ars", "rank", *ties.CORRELATIONS]
    return sorted_rows(rows, frame, columns[:4], measure=measures, rubric=[chosen.name, *totals])


def above_baseline(
    frame: pd.DataFrame, baseline: str | None, rubric: Rubric = PAPER
) -> pd.DataFrame:
    """Returns each model's ARS above the baseline: (ARS − baseline) ÷ (1 − baseline).

    The baseline is the mean of the baseline's totals on the very answers that the model's mean is
    of; value is empty where it leaves less than ``LEAST_ROOM`` open.
    """
    totals = frame.loc[frame["total"].notna(), ["model", "task", *_SAMPLE, "total"]]
    by_baseline = totals[totals["model"] == baseline].drop_duplicates(_SAMPLE)
    by_baseline = by_baseline[[*_SAMPLE, "total"]]
    joined = totals.merge(by_baseline, on=_SAMPLE, suffixes=("", "_baseline"))
    joined = joined.astype({"model": str, "task": str, "length": str})
    parts = [_means(joined, rubric.weights, by) for by in ([], ["length"])]
    rows = pd.concat(parts, ignore_index=True).reindex(columns=COLUMNS).fillna({"length": ""})
    room = 1 - rows["baseline"]
    gain = rows["ars"] - rows["baseline"]
    rows["value"] = (gain / room.where(room >= LEAST_ROOM)).astype(float)
    return sorted_rows(rows, frame, ["model", "task", "length"])


def _means(joined: pd.DataFrame, weights: dict[str, float], by: list[str]) -> pd.DataFrame:
    """Returns both means of each task and over all tasks, and the answers behind them."""
    counted = {"ars": ("total", "mean"), "baseline": ("total_baseline", "mean")}
    cells = joined.groupby(["model", "task", *by])
    tasks = cells.agg(**counted, n=("total", "size")).reset_index()
    weight = tasks["task"].map(weights)
    means = ["ars", "baseline"]
    weighted = tasks.assign(weight=weight, **tasks[means].mul(weight, axis=0))
    overall = weighted.groupby(["model", *by])[[*means, "n", "weight"]].sum().reset_index()
    overall[means] = overall[means].div(overall["weight"], axis=0)
    return pd.concat([tasks, overall.assign(task=OVERALL)])
