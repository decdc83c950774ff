"""ComplexBench's metrics from score records: DRFR, accuracies by constraint, coherent test.

A question without a verdict is in no mean; it lowers the coverage. Intervals:
``metrics.bootstrap``, with groups drawn whole, for their instances are nearly the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from steadfast.complexbench.aggregation import (
    CLASSES,
    COHERENT_MEASURES,
    CONSTRAINT_MEASURES,
    DRFR_MEASURES,
    DROP,
    OTHERS,
    Instance,
    Verdicts,
    cells,
    coherent_test,
    counts,
    group_of,
)
from steadfast.complexbench.coverage import coverage, judging
from steadfast.complexbench.raters import agreement
from steadfast.complexbench.scored import DECOMPOSED, DIFFERENCE, WHOLE, Scored, read_scored
from steadfast.complexbench.taxonomy import taxonomy
from steadfast.metrics.bootstrap import Bootstrap, Estimates
from steadfast.metrics.headline import HEADLINE
from steadfast.metrics.tidy import in_order, write_csv
from steadfast.registry import Sources

VALUES = ["value", "low", "high", "n", "expected"]


def compute_metrics(
    scores: Mapping[tuple[str, str], Path],
    sources: Mapping[str, Sources],
    settings: Mapping[str, Any],
    files: Mapping[str, Path],
    outs: Mapping[str, Path],
) -> None:
    """Writes the metrics of all models as CSV files.

    Args:
        scores: score file of each model and part.
        sources: of each part, the data by language.
        settings: ``mode``, and ``languages``, the first of which gives the headline.
        files: ``labels``, people's verdicts, where there are some.
        outs: where to write those of drfr, constraints, coherent, decomposition, agreement,
            judging, coverage and headline that are wanted.

    Raises:
        UserError: a file is missing or damaged.
    """
    scored = read_scored(scores, sources)
    metrics = Metrics(scored, settings["mode"])
    makers = {
        "drfr": lambda: metrics.drfr,
        "constraints": metrics.constraints,
        "coherent": metrics.coherent,
        "decomposition": metrics.decomposition,
        "agreement": lambda: agreement(scored, files.get("labels")),
        "judging": lambda: judging(scored),
        "coverage": lambda: coverage(scored),
        "headline": lambda: metrics.headline(settings["languages"][0]),
    }
    for name, path in outs.items():
        write_csv(path, makers[name]())


class Metrics:
    """The metrics of all models.

    Args:
        scored: what their answers were found to satisfy.
        mode: strict, or released: that merges Selection_and_Chain into Selection, and takes a rule
            that decides nothing for wrong in DRFR and for right in the accuracies.
    """

    def __init__(self, scored: Scored, mode: str):
        self._scored, self._mode = scored, mode
        self._whole = {name: p for name, p in scored.parts.items() if p.split == WHOLE}

    @cached_property
    def drfr(self) -> pd.DataFrame:
        """Decomposed requirements following ratio: the share of questions that are satisfied.

        Returns:
            Columns model, language, measure (overall; category; family: a category over its
            depths; task: the task type; nesting: the instance's composition types), category (the
            key within the measure), value, low, high, n (questions that have a verdict) and
            expected (questions).

        Source: supplement, section 4.1 and the released code; Σ_i Σ_j r'_ij / Σ_i m_i.
        """
        return self._shares(DRFR_MEASURES, "category")

    def constraints(self) -> pd.DataFrame:
        """Accuracy of the questions on each constraint type and composition type, and dimension.

        Returns:
            Columns model, language, measure (constraint_type, dimension), dimension (the key),
            value, low, high, n and expected.
        """
        return self._shares(CONSTRAINT_MEASURES, "dimension")

    def coherent(self) -> pd.DataFrame:
        """Coherent test for Selection: instances, and groups whose instances all pass.

        Returns:
            Columns model, language, kind (single, multiple), measure (origin; coherent;
            relative_drop), value, low, high, n (instances; groups) and expected. A class without
            groups has no row, one where no instance passes no relative drop.
        """
        keys, frames, expected = ["language", "kind", "measure"], [], []
        for name, part in self._whole.items():
            instances = list(part.instances.values())
            sure = [[True] * len(instance["scoring_questions"]) for instance in instances]
            expected.append(_coherent_frame(part.language, instances, sure))
            for model, verdicts in self._verdicts(name):
                its = [verdicts[number] for number in part.instances]
                frames.append(_coherent_frame(part.language, instances, its).assign(model=model))
        frame = pd.concat(frames, ignore_index=True)
        if frame.empty:
            return _empty(["model", *keys])
        means = self._bootstrap.means(frame, ["model", *keys], "passes")
        origin, coherent = (
            _cell(means, measure, ["model", "language", "kind"]) for measure in COHERENT_MEASURES
        )
        drop = _drop(origin, coherent).rows().assign(measure=DROP)
        sizes = pd.concat(expected).groupby(keys).size().rename("expected").reset_index()
        # The drop rests on the groups.
        of_drop = sizes[sizes["measure"] == COHERENT_MEASURES[1]].assign(measure=DROP)
        found = pd.concat([means.rows(), drop]).merge(pd.concat([sizes, of_drop]), on=keys)
        order = {"measure": [*COHERENT_MEASURES, DROP], "kind": CLASSES}
        return self._sorted(found, ["model", *keys], order)

    def decomposition(self) -> pd.DataFrame:
        """DRFR of the same questions, asked as a whole and turn by turn.

        Over the questions that have a verdict in both runs.

        Returns:
            Columns model, language, category (its family; "" for all), measure (whole,
            decomposed, difference: turn by turn minus whole), value, low, high, n (questions) and
            expected.
        """
        shares = self._questions[self._questions["measure"].isin(["overall", "family"])]
        sides = [
            shares[shares["split"] == split].rename(columns={"value": split})
            for split in (WHOLE, DECOMPOSED)
        ]
        same = ["model", "language", "instance", "place", "measure", "key"]
        both = sides[0].merge(sides[1][[*same, DECOMPOSED]], on=same)
        columns = ["model", "language", "category", "measure"]
        if both.empty:
            return _empty(columns)
        both[DIFFERENCE] = both[DECOMPOSED] - both[WHOLE]
        found = pd.concat(
            self._bootstrap.means(both, ["model", "language", "key"], measure)
            .rows()
            .assign(measure=measure)
            for measure in (WHOLE, DECOMPOSED, DIFFERENCE)
        )
        counted = self._counted[self._counted["split"] == DECOMPOSED]
        counted = counted[counted["measure"].isin(["overall", "family"])]
        expected = counted.groupby(["language", "key"]).size().rename("expected").reset_index()
        found = found.merge(expected, on=["language", "key"]).rename(columns={"key": "category"})
        order = {"measure": [WHOLE, DECOMPOSED, DIFFERENCE], "category": _KEYS["family"]}
        return self._sorted(found, columns, order)

    def headline(self, language: str) -> pd.DataFrame:
        """Overall DRFR of each model in a language, for the report over all benchmarks.

        Returns:
            Columns of ``metrics.headline``; n counts questions that have a verdict.
        """
        rows = self.drfr[(self.drfr["measure"] == "overall") & (self.drfr["language"] == language)]
        counted = coverage(self._scored)
        counted = counted[(counted["language"] == language) & (counted["split"] == WHOLE)]
        expected = counted[["model", "expected", "scored"]].rename(columns={"scored": "n"})
        found = expected.merge(rows[["model", "value", "low", "high"]], on="model", how="left")
        return found.assign(measure="DRFR")[list(HEADLINE)]

    def _shares(self, measures: Sequence[str], column: str) -> pd.DataFrame:
        frame, counted = (
            rows[(rows["split"] == WHOLE) & rows["measure"].isin(measures)]
            for rows in (self._questions, self._counted)
        )
        columns = ["model", "language", "measure", column]
        if frame.empty:
            return _empty(columns)
        keys = ["language", "measure", "key"]
        means = self._bootstrap.means(frame, ["model", *keys], "value")
        expected = counted.groupby(keys).size().rename("expected").reset_index()
        found = means.rows().merge(expected, on=keys).rename(columns={"key": column})
        known = [key for measure in measures for key in _KEYS.get(measure, ())]
        order = {"measure": measures, column: known}
        found = self._sorted(found, ["language", "measure", column, "model"], order)
        return found[[*columns, *VALUES]]

    @cached_property
    def _counted(self) -> pd.DataFrame:
        """A row for each thing that a question counts for, in each part."""
        rows = [
            (name, part.language, part.split, number, place, measure, key, group_of(instance))
            for name, part in self._scored.parts.items()
            for number, instance in part.instances.items()
            for place, measure, key in cells(instance, self._mode)
        ]
        columns = ["part", "language", "split", "instance", "place", "measure", "key", "cluster"]
        frame = pd.DataFrame(rows, columns=columns)
        return frame.assign(cluster=_cluster(frame["language"], frame["cluster"]))

    @cached_property
    def _questions(self) -> pd.DataFrame:
        """Of those the ones that have a verdict, of each model: 1 where it counts as right."""
        rows = [
            (model, name, number, place, counts("overall", verdict), counts("dimension", verdict))
            for name in self._scored.parts
            for model, verdicts in self._verdicts(name)
            for number, its in verdicts.items()
            for place, verdict in enumerate(its)
            if verdict is not None
        ]
        columns = ["model", "part", "instance", "place", "drfr", "accuracy"]
        known = pd.DataFrame(rows, columns=columns)
        found = self._counted.merge(known, on=["part", "instance", "place"])
        right = np.where(found["measure"].isin(DRFR_MEASURES), found["drfr"], found["accuracy"])
        return found.drop(columns=["drfr", "accuracy"]).assign(value=right.astype(float))

    def _verdicts(self, part: str) -> Iterator[tuple[str, dict[int, Any]]]:
        for model in self._scored.models:
            if (model, part) in self._scored.records:
                yield model, self._scored.verdicts(model, part)

    @cached_property
    def _bootstrap(self) -> Bootstrap:
        return Bootstrap(self._counted[["cluster", "language"]], ["language"])

    def _sorted(
        self, rows: pd.DataFrame, columns: Sequence[str], order: Mapping[str, Sequence[str]]
    ) -> pd.DataFrame:
        """Rows by columns, each in its own order; what an order does not know comes last."""
        languages = list(dict.fromkeys(part.language for part in self._scored.parts.values()))
        orders = {"model": self._scored.models, "language": languages, **order}
        whole = {}
        for column in columns:
            others = sorted(set(rows[column]) - set(orders[column]) - {""})
            whole[column] = list(dict.fromkeys([*orders[column], *others]))
        return in_order(rows, whole)[[*columns, *VALUES]]


def _cluster(language: Any, group: Any) -> Any:
    return language + "/" + group


def _coherent_frame(
    language: str, instances: Sequence[Instance], verdicts: Sequence[Verdicts]
) -> pd.DataFrame:
    rows = [
        (language, measure, kind, _cluster(language, group), float(passes))
        for measure, kind, group, passes in coherent_test(instances, verdicts)
    ]
    return pd.DataFrame(rows, columns=["language", "measure", "kind", "cluster", "passes"])


def _empty(columns: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame(columns=[*columns, *VALUES])


def _cell(means: Estimates, measure: str, index: list[str]) -> Estimates:
    """The cells of one measure, under the other keys."""
    rows = np.flatnonzero(means.values.index.get_level_values("measure") == measure)
    chosen = means.take(rows)
    return chosen.take(range(len(rows)), chosen.values.index.droplevel("measure").set_names(index))


def _drop(origin: Estimates, coherent: Estimates) -> Estimates:
    """By how much of itself the share falls when whole groups must pass; none of a share of 0."""
    before = origin.values.loc[coherent.values.index]
    values = ((before - coherent.values) / before).where(before > 0)
    return replace(coherent, values=values).known()


def _depths(name: str, facts: Mapping[str, Any]) -> list[str]:
    return [f"{name}_{depth}" for depth in facts["depths"]] or [name]


_FACTS = taxonomy()
_TYPES = _FACTS["constraint_types"]
# How the keys of a measure are sorted.
_KEYS: dict[str, list[str]] = {
    "category": [key for name, of in _FACTS["categories"].items() for key in _depths(name, of)],
    "family": list(_FACTS["categories"]),
    "task": _FACTS["task_types"],
    "constraint_type": [
        *dict.fromkeys(name for key, of in _TYPES.items() for name in (key, of["released"])),
        OTHERS,
        *_FACTS["composition_types"],
    ],
    "dimension": [name for of in _TYPES.values() for name in of["dimensions"]],
}
