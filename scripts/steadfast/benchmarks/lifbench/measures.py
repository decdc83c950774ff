"""LIFEval's metrics from per-sample scores: ARS, IFP and IFS.

A sample without a score (unfinished, overflow, refused, error) is in no mean; it lowers the
coverage. Each repeat counts as a sample of its own. Intervals: ``stats.intervals``, and of IFS
``stats.bootstrap``; the sampling unit is the context with all its samples, stratified by scenario
and length.
"""

from collections.abc import Iterable, Sequence

import pandas as pd

from steadfast.benchmarks.lifbench.frames import NESTED, POINT, row_order, score_frame
from steadfast.benchmarks.lifbench.records import AVERAGE, PERSPECTIVES, ScoreRecord
from steadfast.benchmarks.lifbench.scored_tasks import PAPER, SCORED_TASKS, Rubric
from steadfast.contract import components, records
from steadfast.stats import bootstrap as spreads
from steadfast.stats.bootstrap import Bootstrap, Replicates
from steadfast.stats.chance import crossed, nested
from steadfast.stats.intervals import Clusters, Estimates, joined
from steadfast.stats.tidy import tidy

MODELS_AT_ONCE = 25  # whose replicates are in memory
STRATA = ["stratum", "within"]


def stratified(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns the frame with the column within: a context's length, or ``NESTED``.

    A family of nested contexts is one cluster, which has all lengths.
    """
    has_several = frame.groupby("cluster", observed=True)["length"].nunique() > 1
    is_nested = frame["cluster"].map(has_several).astype(bool)
    return frame.assign(within=frame["length"].astype(str).where(~is_nested, NESTED))


def units(scores: Iterable[components.Scored[ScoreRecord]], rubric: str) -> pd.DataFrame:
    """Returns ``score_frame`` with the strata in one column."""
    frame = stratified(score_frame(scores, rubric))
    return frame.assign(stratum=frame["stratum"].astype(str) + "/" + frame["within"])


def bootstrap(frame: pd.DataFrame, within_lengths: bool = False) -> Bootstrap:
    """Returns a bootstrap that samples contexts within their stratum.

    Within each length too, on request or where the stratum has several contexts of every length.
    """
    contexts = frame.groupby(["stratum", "length"], observed=True)["cluster"].nunique()
    several = frame["stratum"].map(contexts.groupby(level="stratum").min() > 1).astype(bool)
    sampled = stratified(frame)
    within = sampled["within"].where(several | within_lengths, "")
    return Bootstrap(sampled.assign(within=within), STRATA)


def clusters(frame: pd.DataFrame) -> Clusters:
    """Returns contexts within stratum and length, for means: lengths are fixed, not sampled."""
    return Clusters(stratified(frame), STRATA)


def ars(frame: pd.DataFrame, rubric: Rubric = PAPER) -> pd.DataFrame:
    """Returns the automated rubric-based score per task and overall, over all lengths and for each.

    >>> frame = pd.DataFrame({"model": "m", "length": "4k", "total": [1.0, 0.5]})
    >>> frame = frame.assign(task=["OQ", "MF"], stratum=["onedoc", "multidoc"], cluster=["a", "b"])
    >>> rows = ars(frame.astype({"model": "category", "length": "category"}))
    >>> rows.loc[rows["length"] == "", ["task", "value"]].values.tolist()
    [['OQ', 1.0], ['MF', 0.5], ['overall', 0.6]]

    Returns:
        Tidy rows; n counts scored samples. A task without any has no row, and the overall score
        is over the remaining tasks: see ``coverage``.

    Source: equations 2 and 3; the plain mean: section 4.1.
    """
    return tidy([task_means(frame, rubric, by) for by in ([], ["length"])], row_order(frame))


def task_means(frame: pd.DataFrame, rubric: Rubric, by: list[str]) -> pd.DataFrame:
    """Returns the mean total of each task and their weighted mean in each cell of ``by``."""
    means = clusters(frame).means(frame, ["model", "task", *by])
    overall = _over_tasks(means, rubric, by).labelled(task=records.OVERALL)
    return joined([means, overall]).rows()


def overall_means(frame: pd.DataFrame, rubric: Rubric, by: list[str]) -> Estimates:
    """Returns the weighted mean of the tasks' mean totals in each cell of ``by``."""
    return _over_tasks(clusters(frame).means(frame, ["model", "task", *by]), rubric, by)


def _over_tasks(means: Estimates, rubric: Rubric, by: list[str]) -> Estimates:
    weights = rubric.weights
    cell_weights = [weights[task] for task in means.cells.index.get_level_values("task")]
    return means.mean(["model", *by], cell_weights)


def ifp(frame: pd.DataFrame, rubric: Rubric = PAPER) -> pd.DataFrame:
    """Returns instruction following performance by capability, over all lengths and for each.

    >>> frame = pd.DataFrame({"model": ["m"], "length": "4k", "task": "OQ", "stratum": "onedoc"})
    >>> frame = frame.assign(cluster="a", **{"point.correct": 1.0, "point.format": 0.5})
    >>> rows = ifp(frame.astype({"model": "category", "length": "category"}))
    >>> rows.loc[rows["length"] == "", ["capability", "value"]].values.tolist()
    [['Fmt', 0.5], ['Logic', 1.0]]

    Returns:
        Tidy rows; n counts the scored samples that have a score point of the capability.

    Source: equation 4, tables 8 and 9.
    """
    mapping = _mapping(rubric)
    parts = []
    # Point by point, since each sample has few of them.
    for name in frame.columns[frame.columns.str.startswith(POINT)]:
        fractions = frame.loc[frame[name].notna(), ["model", "task", "length", "cluster", name]]
        fractions = fractions.rename(columns={name: "fraction"})
        parts.append(fractions.assign(point=name.removeprefix(POINT)))
    points = pd.concat(parts).astype({"point": "category"})
    units = clusters(frame)
    parts = [_ifp(points, mapping, by, units) for by in ([], ["length"])]
    return tidy(parts, row_order(frame))


def _ifp(
    points: pd.DataFrame, mapping: pd.DataFrame, by: list[str], units: Clusters
) -> pd.DataFrame:
    keys = ["model", "task", *by, "point"]
    fractions = units.means(points, keys, "fraction")
    cells = fractions.cells.index.to_frame(index=False).astype(str).reset_index(names="row")
    cells = cells.merge(mapping, on=["task", "point"])
    index = pd.MultiIndex.from_frame(cells[["model", *by, "capability"]])
    capabilities = fractions.take(cells["row"], index).mean(list(index.names), cells["weight"])
    return capabilities.rows().assign(task=records.OVERALL)


def _mapping(rubric: Rubric) -> pd.DataFrame:
    """Returns score points, their weights and each capability they count for (Table 6)."""
    rows = []
    for task in SCORED_TASKS:
        for name, point in rubric.points(task).items():
            for capability in point.capabilities:
                rows.append((task, name, point.weight, capability))
    return pd.DataFrame(rows, columns=["task", "point", "weight", "capability"])


def ifs(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns instruction following stability: the spread of ARS between groups over its mean.

    The samples of a task are grouped by expression, variable or length; a task whose groups all
    score 0, or that has one group only, has no IFS and is left out of the model's mean. The
    average of the three perspectives is given where all three exist.

    >>> frame = pd.DataFrame({"model": "m", "length": "4k", "task": "OQ", "total": [1.0, 0.5]})
    >>> frame = frame.assign(stratum="onedoc", cluster="a", expression_id=[0, 1], variable_id=0)
    >>> rows = ifs(frame.astype({"model": "category", "length": "category"}))
    >>> rows.loc[rows["length"] == "", ["task", "perspective", "value"]].round(4).values.tolist()
    [['OQ', 'expression', 0.4714], ['overall', 'expression', 0.4714]]

    Returns:
        Tidy rows per task and overall; over all lengths, and within each length for expression
        and variable. n counts a task's groups, and for overall the tasks in the mean. The
        intervals of the length perspective, and of the average, sample contexts within each length.
        Column chance has the IFS that a perfectly stable model of these scores would have
        (``with_chance``).

    Source: equations 5 and 6, with the sample standard deviation; tables 4, 10 and 11.
    """
    bootstraps = bootstrap(frame), bootstrap(frame, within_lengths=True)
    models = frame["model"].unique()
    rows = []
    # Replicates take much room; no model's depend on another's.
    for first in range(0, len(models), MODELS_AT_ONCE):
        batch = models[first : first + MODELS_AT_ONCE]
        rows += _ifs(frame[frame["model"].isin(batch)], *bootstraps)
    return with_chance(tidy(rows, row_order(frame)), frame)


def with_chance(rows: pd.DataFrame, frame: pd.DataFrame) -> pd.DataFrame:
    """Returns rows of IFS with the column chance: the IFS of a perfectly stable model.

    It is estimated from the differences that are left: for expressions between answers with equal
    context and variables (for variables likewise); for lengths within families of nested contexts,
    or between several contexts of one length. Over tasks and perspectives it is their mean, and
    empty where one of them is unknown.
    """
    keys = ["model", "task", "length", "perspective"]
    chances: list[tuple[str, pd.Series]] = []
    for perspective, other in (("expression", "variable_id"), ("variable", "expression_id")):
        column = PERSPECTIVES[perspective]
        # A family of nested contexts has one of each length.
        chances.append((perspective, crossed(frame, column, ["cluster", "length", other], [])))
        chances.append((perspective, crossed(frame, column, ["cluster", other], ["length"])))
    in_families = stratified(frame)["within"] == NESTED
    families = frame[in_families]
    contexts = frame[~in_families]
    if len(families):
        chances.append(("length", crossed(families, "length", ["cluster"])))
    if len(contexts):
        chances.append(("length", nested(contexts, "length", clusters(contexts))))
    parts = []
    for perspective, chance in chances:
        parts.append(chance.rename("chance").reset_index().assign(perspective=perspective))
    spreads = pd.concat(parts, ignore_index=True)
    spreads = spreads.astype(dict.fromkeys(keys, object)).fillna({"length": ""})
    table = rows.merge(spreads, "left", keys)
    for level, total in (("perspective", AVERAGE), ("task", records.OVERALL)):
        other_keys = [key for key in keys if key != level]
        is_total = table[level] == total
        cells = table[~is_total].groupby(other_keys)["chance"]
        means = cells.mean().where(cells.count() == cells.size()).rename("mean")
        table["chance"] = table["chance"].where(~is_total, table.join(means, other_keys)["mean"])
    return table


def _ifs(frame: pd.DataFrame, boot: Bootstrap, within: Bootstrap) -> list[pd.DataFrame]:
    # Lengths are compared, so that each must be in every replicate.
    length = spread(frame, within, "length")
    parts = [length.rows()]
    within_lengths = []
    for perspective in ("expression", "variable"):
        parts.append(spread(frame, boot, perspective).rows())
        parts.append(spread(frame, within, perspective, ["length"]).rows())
        within_lengths.append(spread(frame, within, perspective))
    average = spreads.joined([*within_lengths, length]).mean(["model", "task"])
    averages = average.labelled(perspective=AVERAGE).rows()
    return [*parts, averages[averages["n"] == len(PERSPECTIVES)]]


def spread(
    frame: pd.DataFrame, boot: Bootstrap, perspective: str, by: Sequence[str] = ()
) -> Replicates:
    """Returns IFS in a perspective (the paper's or a column) per task and overall, by cells."""
    keys = ["model", "task", *by]
    groups = PERSPECTIVES.get(perspective, perspective)
    tasks = boot.replicates(frame, [*keys, groups]).variation(keys)
    overall = tasks.mean(["model", *by]).labelled(task=records.OVERALL)
    return spreads.joined([tasks, overall]).labelled(perspective=perspective)
