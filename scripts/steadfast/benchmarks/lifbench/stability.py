"""Stability beyond the paper's three perspectives: between formats, domains, and samplings.

All formats show the same contexts, so that only the format differs. Each domain has contexts of its
own, so that differences between domains include those between contexts. RECS's choice of
expressions is compared with a random choice (Figure 7).
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy  # whose parts are loaded where they are first used: tables and figures need none

from steadfast.base.files import Record
from steadfast.benchmarks.lifbench import frames, tasks
from steadfast.benchmarks.lifbench.measures import bootstrap, spread, task_means
from steadfast.benchmarks.lifbench.records import AVERAGE, PERSPECTIVES, Beyond
from steadfast.benchmarks.lifbench.scored_tasks import PAPER, SCORED_TASKS, Rubric
from steadfast.contract.components import Data
from steadfast.contract.records import OVERALL, OWN
from steadfast.corpora.contexts import domains, formats
from steadfast.stats.bootstrap import Replicates
from steadfast.stats.intervals import TAIL
from steadfast.stats.scores import expected_responses
from steadfast.stats.tidy import tidy

KEYS = ["model", "perspective", "scenario", "group", "length"]
COLUMNS = [*KEYS, "value", "low", "high", "n", "expected", "prompt_truncated", "contexts"]


def paper_samples(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns the samples of the paper's measures, without those of further perspectives."""
    paper = frame[frame["perspective"] == ""].reset_index(drop=True)
    return paper.assign(cluster=paper["cluster"].cat.remove_unused_categories())


def beyond_ifs(frame: pd.DataFrame, beyond: Beyond) -> pd.DataFrame:
    """Returns instruction following stability between formats, and between domains."""
    parts = [pd.DataFrame({"n": []})]
    for perspective in beyond:
        by_scenario = dict(_compared(frame, perspective, beyond))
        if by_scenario:
            compared = pd.concat(list(by_scenario.values()))
            boot = bootstrap(compared)
            parts.append(spread(compared, boot, perspective).rows())
            parts.append(spread(compared, boot, perspective, ["length"]).rows())
    return tidy(parts, frames.row_order(frame))


def ars_by_group(frame: pd.DataFrame, beyond: Beyond, rubric: Rubric) -> pd.DataFrame:
    """Returns ARS over a scenario's tasks, by format and by domain; an empty length is all."""
    parts = [pd.DataFrame(columns=COLUMNS)]
    for perspective in beyond:
        for scenario, compared in _compared(frame, perspective, beyond):
            for by in ([], ["length"]):
                rows = _ars(compared, rubric, [perspective, *by])
                rows = rows.rename(columns={perspective: "group"})
                parts.append(rows.assign(perspective=perspective, scenario=scenario))
    rows = pd.concat(list(filter(len, parts)) or parts, ignore_index=True)
    rows = rows.reindex(columns=COLUMNS)
    rows = rows.astype(dict.fromkeys(KEYS, object)).fillna({"length": ""})
    names: list[str] = []
    for groups_by_scenario in beyond.values():
        names += chain.from_iterable(groups_by_scenario.values())
    return frames.sorted_rows(rows, frame, KEYS, scenario=tasks.SCENARIOS, group=names)


def _ars(compared: pd.DataFrame, rubric: Rubric, by: list[str]) -> pd.DataFrame:
    keys = ["model", *by]
    rows = task_means(compared, rubric, by)
    rows = rows[rows["task"] == OVERALL].drop(columns="task").astype({"model": str})
    cells = compared.groupby(keys, observed=True)
    counted = {"prompt_truncated": ("prompt_truncated", "sum"), "contexts": ("cluster", "nunique")}
    counts = cells.agg(**counted).reset_index().astype({"model": str})
    rows = expected_responses(compared, by, frames.SAMPLE).merge(rows, "left", keys)
    rows = rows.merge(counts, "left", keys)
    numbers = ["n", "prompt_truncated", "contexts"]
    return rows.fillna(dict.fromkeys(numbers, 0)).astype(dict.fromkeys(numbers, int))


def _compared(
    frame: pd.DataFrame, perspective: str, beyond: Beyond
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yields each scenario's samples in the groups that are compared (column ``perspective``)."""
    own_rows = frame[frame["perspective"].isin(["", perspective]) & (frame["prompts"] == OWN)]
    scenarios = own_rows["task"].astype(str).map(lambda task: SCORED_TASKS[task].scenario)
    for scenario, groups in beyond[perspective].items():
        part = own_rows[scenarios == scenario]
        usual = formats.NUMBERED if perspective == "format" else domains.usual_domain(scenario)
        part = part.assign(**{perspective: part[perspective].replace("", usual)})
        part = part[part[perspective].isin(groups)]
        if perspective == "domain":
            part = part.assign(stratum=part["stratum"] + "/" + part["domain"])
        cluster = part["cluster"].astype("category").cat.remove_unused_categories()
        if not part.empty:
            yield scenario, part.assign(cluster=cluster)


class Sets(NamedTuple):
    """Which expressions of each task were chosen, by their expression_id."""

    nearest: Mapping[str, Collection[int]]  # to the centres of their clusters; empty if none were
    random: Sequence[Mapping[str, Collection[int]]]  # of each random sample

    @property
    def shown(self) -> Mapping[str, Collection[int]]:
        """The set that all other metrics are of: the nearest, else the first random sample."""
        return self.nearest or self.random[0]


def sets_of(data: Mapping[str, Data]) -> Sets | None:
    """Returns the sets of a run's expressions, the same in every part; None without any."""
    nearest = {}
    random: dict[int, dict[str, Collection[int]]] = defaultdict(dict)
    for task, record in _expressions(data).items():
        sets = record.get("sampling", {"nearest": [], "random": []})
        if sets["nearest"]:
            nearest[task] = sets["nearest"]
        for number, ids in enumerate(sets["random"]):
            random[number][task] = ids
    return Sets(nearest, list(random.values())) if nearest or random else None


def _expressions(data: Mapping[str, Data]) -> Mapping[str, Record]:
    """Returns the expressions of each task, which every part has alike."""
    return next(iter(data.values()), {}).get("expressions", {})


def chosen(
    frame: pd.DataFrame,
    expression_ids: Mapping[str, Collection[int]],
    whole_tasks: Collection[str] = (),
) -> pd.DataFrame:
    """Returns the samples of some expressions, all of ``whole_tasks``, and of others' prompts."""
    chosen_pairs: list[tuple[str, int]] = []
    for task, ids in expression_ids.items():
        chosen_pairs += [(task, expression_id) for expression_id in ids]
    pairs = pd.MultiIndex.from_arrays([frame["task"], frame["expression_id"]])
    is_chosen = pairs.isin(pd.MultiIndex.from_tuples(chosen_pairs))
    return frame[is_chosen | (frame["prompts"] != OWN) | frame["task"].isin(whole_tasks)]


def omitted_tasks(frame: pd.DataFrame, expression_ids: Mapping[str, Collection[int]]) -> list[str]:
    """Returns the tasks whose samples, in a trial, have none of some expressions."""
    evaluated_tasks = set(chosen(frame[frame["prompts"] == OWN], expression_ids)["task"])
    return [task for task in expression_ids if task not in evaluated_tasks]


def sampling_effect(frame: pd.DataFrame, sets: Sets) -> pd.DataFrame:
    """Returns IFS of RECS's expressions less the mean IFS of the random samples, of each model.

    Perspectives are three and their average; n counts the tasks in it (section 5.3, Figure 7).
    """
    own_rows = frame[frame["prompts"] == OWN]
    nearest = _spreads(chosen(own_rows, sets.nearest))
    random_samples = [_spreads(chosen(own_rows, random_set)) for random_set in sets.random]
    parts = []
    for perspective in nearest:
        random = [random_sample[perspective] for random_sample in random_samples]
        differences = _difference(nearest[perspective], random)
        parts.append(differences.assign(perspective=perspective))
    rows = tidy(parts, frames.row_order(frame))
    samples = own_rows["total"].groupby(own_rows["model"].astype(str))
    return rows.join(samples.agg(expected="size", scored="count"), on="model")


def rubric_stability(frame: pd.DataFrame, chosen: Rubric = PAPER) -> pd.DataFrame:
    """Returns IFS by each rubric and the judge, and less that by the chosen rubric, of each model.

    All are of the samples that every one of them scores: ``scored`` of those expected.
    """
    columns = frames.other_totals(frame)
    common = frame.dropna(subset=["total", *columns.values()])
    by_chosen = _spreads(common)
    parts = []
    for rubric, column in {chosen.name: "total", **columns}.items():
        spreads = _spreads(common.assign(total=common[column]))
        for perspective, cells in spreads.items():
            rows = _difference(cells, [by_chosen[perspective]])
            values = cells.values.loc[rows["model"], 0].to_numpy()
            parts.append(rows.assign(rubric=rubric, perspective=perspective, ifs=values))
    rows = pd.concat(parts, ignore_index=True)
    expected = frame["model"].astype(str).value_counts()
    scored = common["model"].astype(str).value_counts()
    counts = pd.DataFrame({"expected": expected, "scored": scored})
    rows = rows.join(counts.fillna(0).astype(int), on="model")
    keys = ["rubric", "perspective", "model"]
    values = ["ifs", "value", "low", "high", "n", "scored", "expected"]
    order = {"rubric": [chosen.name, *columns]}
    return frames.sorted_rows(rows[[*keys, *values]], frame, keys, **order)


def _spreads(frame: pd.DataFrame) -> dict[str, Replicates]:
    """Returns overall IFS of each perspective, and their average where there are all three."""
    boot = bootstrap(frame)
    within = bootstrap(frame, within_lengths=True)
    spreads = {}
    parts = []
    for perspective in PERSPECTIVES:
        cells = _overall(spread(frame, within, perspective))
        parts.append(cells.values)
        # Lengths are compared, so that each must be in every replicate.
        if perspective != "length":
            cells = _overall(spread(frame, boot, perspective))
        spreads[perspective] = cells
    models = parts[0].index.intersection(parts[1].index).intersection(parts[2].index)
    mean = sum(part.loc[models] for part in parts) / len(parts)
    last = spreads["length"]
    spreads[AVERAGE] = Replicates(mean, last.n.loc[models], last.degrees_of_freedom.loc[models])
    return spreads


def _overall(cells: Replicates) -> Replicates:
    index = cells.values.index
    is_overall = index.get_level_values("task") == OVERALL
    models = index[is_overall].get_level_values("model")
    parts = (cells.values, cells.n, cells.degrees_of_freedom)
    return Replicates(*[part[is_overall].set_axis(models) for part in parts])


def _difference(cells: Replicates, others: Sequence[Replicates]) -> pd.DataFrame:
    """Returns IFS less the mean of other IFS, with its interval, for models that have all."""
    models = cells.values.index
    for other in others:
        models = models.intersection(other.values.index)
    # A set of which a trial has one context, or nothing, has no replicates.
    columns = range(min(part.values.shape[1] for part in (cells, *others)))
    other_values = [other.values.loc[models, columns].to_numpy() for other in others]
    values = cells.values.loc[models, columns].to_numpy() - np.mean(other_values, axis=0)
    observed = values[:, 0]
    replicates = values[:, 1:]
    low, high = np.full((2, len(models)), np.nan)
    if replicates.shape[1] and len(models):
        lower, middle, upper = np.nanquantile(replicates, [TAIL, 0.5, 1 - TAIL], axis=1)
        degrees = cells.degrees_of_freedom.loc[models].to_numpy(float)
        t = scipy.special.stdtrit(np.where(degrees > 1, degrees, np.nan), 1 - TAIL)
        # Few clusters bias both spreads and underestimate their variance:
        #   low = observed + (lower quantile - median) · t / z,  as in bootstrap
        stretch = t / scipy.special.ndtri(1 - TAIL)
        low = observed + (lower - middle) * stretch
        high = observed + (upper - middle) * stretch
    n = cells.n.loc[models].to_numpy()
    return pd.DataFrame({"model": models, "value": observed, "low": low, "high": high, "n": n})


def sign_test(above: int, n: int) -> float:
    """Returns the two-sided p-value of so many of n values above zero, were each as likely below.

    p = min(1, 2 · P(X ≤ min(above, n − above))), X binomial with n trials of probability ½.
    """
    fewer = min(above, n - above)
    return min(1.0, 2 * float(scipy.special.bdtr(fewer, n, 0.5)))


def statistics_rows(data: Mapping[str, Data]) -> pd.DataFrame:
    """Returns the statistics of the texts from which each task's expressions were chosen."""
    rows = []
    for record in _expressions(data).values():
        for row in record.get("statistics", ()):
            rows.append({name: _flat(value) for name, value in row.items()})
    return pd.DataFrame(rows)


def _flat(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return " ".join(map(str, value)) if isinstance(value, list) else value
