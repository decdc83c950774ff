"""Stability in perspectives that the paper leaves open: the context's format, and its domain.

Each format shows the same contexts, so that what formats differ by is the formats' own. Each domain
has contexts of its own: what domains differ by holds chance between contexts too.
"""

from collections.abc import Iterator

import pandas as pd

from steadfast.benchmarks.lifbench.frames import row_order, sorted_rows
from steadfast.benchmarks.lifbench.measures import bootstrap, spread, task_means
from steadfast.benchmarks.lifbench.records import Beyond
from steadfast.benchmarks.lifbench.scored_tasks import PAPER, SCORED_TASKS, Rubric, ScoredTasks
from steadfast.benchmarks.lifbench.tasks import SCENARIOS
from steadfast.contract.records import OVERALL, OWN
from steadfast.corpora.contexts.domains import usual_domain
from steadfast.corpora.contexts.formats import NUMBERED
from steadfast.stats.scores import answers_expected
from steadfast.stats.tidy import tidy

KEYS = ["model", "perspective", "scenario", "group", "length"]
COLUMNS = [*KEYS, "value", "low", "high", "n", "expected", "truncated", "contexts"]


def paper_samples(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns the samples of the paper's measures: those asked for no perspective beyond."""
    paper = frame[frame["perspective"] == ""].reset_index(drop=True)
    return paper.assign(cluster=paper["cluster"].cat.remove_unused_categories())


def beyond_ifs(
    frame: pd.DataFrame, beyond: Beyond, tasks: ScoredTasks = SCORED_TASKS
) -> pd.DataFrame:
    """Returns instruction following stability between formats, and between domains."""
    parts = [pd.DataFrame({"n": []})]
    for perspective in beyond:
        if found := [of for _, of in _compared(frame, perspective, beyond, tasks)]:
            compared = pd.concat(found)
            boot = bootstrap(compared, [])
            parts += [spread(compared, boot, perspective, by).rows() for by in ([], ["length"])]
    return tidy(parts, row_order(frame))


def ars_by_group(frame: pd.DataFrame, beyond: Beyond, rubric: Rubric = PAPER) -> pd.DataFrame:
    """Returns ARS over a scenario's tasks, by format and by domain; an empty length is all."""
    parts = [pd.DataFrame(columns=COLUMNS)]
    for perspective in beyond:
        for scenario, compared in _compared(frame, perspective, beyond, rubric.tasks):
            for by in ([], ["length"]):
                rows = _ars(compared, rubric, [perspective, *by])
                rows = rows.rename(columns={perspective: "group"})
                parts.append(rows.assign(perspective=perspective, scenario=scenario))
    rows = pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
    rows = rows.reindex(columns=COLUMNS)
    rows = rows.astype(dict.fromkeys(KEYS, object)).fillna({"length": ""})
    names = [name for of in beyond.values() for groups in of.values() for name in groups]
    return sorted_rows(rows, frame, KEYS, scenario=SCENARIOS, group=names)


def _ars(compared: pd.DataFrame, rubric: Rubric, by: list[str]) -> pd.DataFrame:
    keys = ["model", *by]
    rows = task_means(compared, rubric, by)
    rows = rows[rows["task"] == OVERALL].drop(columns="task").astype({"model": str})
    counted = compared.groupby(keys, observed=True)
    counts = counted.agg(truncated=("truncated", "sum"), contexts=("cluster", "nunique"))
    expected = answers_expected(compared, by, ["length", "sample_id"])
    rows = expected.merge(rows, on=keys, how="left")
    rows = rows.merge(counts.reset_index().astype({"model": str}), on=keys, how="left")
    numbers = ["n", "truncated", "contexts"]
    return rows.fillna(dict.fromkeys(numbers, 0)).astype(dict.fromkeys(numbers, int))


def _compared(
    frame: pd.DataFrame, perspective: str, beyond: Beyond, tasks: ScoredTasks
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yields each scenario's samples in the groups that are compared (column ``perspective``)."""
    asked = frame[frame["perspective"].isin(["", perspective]) & (frame["prompts"] == OWN)]
    scenarios = asked["task"].astype(str).map({name: task.scenario for name, task in tasks.items()})
    for scenario, groups in beyond[perspective].items():
        part = asked[scenarios == scenario]
        usual = NUMBERED if perspective == "format" else usual_domain(scenario)
        part = part.assign(**{perspective: part[perspective].replace("", usual)})
        part = part[part[perspective].isin(groups)]
        if perspective == "domain":
            part = part.assign(stratum=part["stratum"] + "/" + part["domain"])
        cluster = part["cluster"].astype("category").cat.remove_unused_categories()
        if not part.empty:
            yield scenario, part.assign(cluster=cluster)
