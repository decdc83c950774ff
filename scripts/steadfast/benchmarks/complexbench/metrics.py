"""ComplexBench's metrics from score records: DRFR, accuracies by constraint, coherent test.

A question without a verdict is in no mean; it lowers the coverage. Each repeat counts as a
response of its own. Intervals: ``stats.intervals``; the sampling unit is the group, whose instances
are nearly the same, with all their responses.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

import numpy as np
import pandas as pd

from steadfast.benchmarks.complexbench import scored
from steadfast.benchmarks.complexbench.aggregation import (
    CLASSES,
    COHERENT_MEASURES,
    CONSTRAINT_MEASURES,
    DRFR_MEASURES,
    DROP,
    OTHERS,
    Verdicts,
    cells,
    coherent_test,
    counts_as_right,
    group_of,
)
from steadfast.benchmarks.complexbench.facts import (
    DECOMPOSED,
    WHOLE,
    ScoreRecord,
    dimensions,
    taxonomy,
)
from steadfast.contract.components import Data, Frames, Labels, Scored
from steadfast.contract.records import OVERALL
from steadfast.stats.corrected import NOTHING_CORRECTED, corrected_rows, raw_values
from steadfast.stats.intervals import Clusters, Estimates
from steadfast.stats.pairs import joint_summary, pairs, sampling_units
from steadfast.stats.tidy import in_order, rows_of

DIFFERENCE = "difference"  # turn by turn minus whole
VALUES = ["value", "low", "high", "n", "expected"]


def metrics(
    scores: Iterable[Scored[ScoreRecord]],
    data: Mapping[str, Data],
    labels: Labels | None,
    mode: str,
    languages: Sequence[str],
    judges: Sequence[str],
    references: Collection[str] = (),
) -> Frames:
    """Returns the metrics of all models."""
    answers = scored.ScoredAnswers(scores, data)
    drfr_metrics = DrfrMetrics(answers, mode)
    compared = drfr_metrics.comparisons(references)
    summary = drfr_metrics.summary(languages[0], compared)
    by_people = NOTHING_CORRECTED
    if labels:
        labelled = scored.ScoredAnswers(scored.labelled_scores(answers, labels), data)
        by_people = drfr_metrics.corrected(
            DrfrMetrics(labelled, mode), languages[0], summary, compared
        )
    return {
        "drfr": drfr_metrics.drfr,
        "constraints": drfr_metrics.constraints(),
        "coherent": drfr_metrics.coherent(),
        "decomposition": drfr_metrics.decomposition(),
        "agreement": scored.agreement(answers, judges, labels),
        "judging": scored.judging(answers),
        "coverage": scored.coverage(answers),
        "comparisons": compared,
        "sampling_units": drfr_metrics.sampling_units(),
        "summary": summary,
        "corrected": by_people,
    }


class DrfrMetrics:
    """The metrics of all models."""

    def __init__(self, answers: scored.ScoredAnswers, mode: str):
        self._answers = answers
        self._mode = mode
        languages = list(dict.fromkeys(part.language for part in answers.parts.values()))
        self._orders = {"model": answers.models, "language": languages}

    @cached_property
    def drfr(self) -> pd.DataFrame:
        """Decomposed requirements following ratio: the share of questions that are satisfied.

        Measures are overall, category, family (a category over its depths), task (the task type)
        and nesting (the instance's composition types); the column category has the key of each.

        Source: supplement, section 4.1 and the released code; Σ_i Σ_j r'_ij / Σ_i m_i.
        """
        return self._shares(DRFR_MEASURES, "category")

    def constraints(self) -> pd.DataFrame:
        """Accuracy of the questions on each constraint type and composition type, and dimension."""
        return self._shares(CONSTRAINT_MEASURES, "dimension")

    def coherent(self) -> pd.DataFrame:
        """Coherent test for Selection: instances, and groups whose instances all pass."""
        keys = ["language", "kind", "measure"]
        parts = self._answers.parts
        rows = []
        for (model, name), by_repeat in self._answers.verdicts.items():
            for verdicts in by_repeat.values():
                rows += [(model, *row) for row in _coherent_rows(parts[name], verdicts)]
        all_right = list(chain.from_iterable(map(_coherent_rows, parts.values())))
        frame = pd.DataFrame(rows, columns=["model", *keys, "cluster", "value"])
        means = self._clusters.means(frame, ["model", *keys], "value")
        coherent = _cells(means, "coherent")
        drop = coherent.drop_from(_cells(means, "origin")).rows().assign(measure=DROP)
        rows_of_means = pd.concat([means.rows(), drop])
        counted = pd.DataFrame(all_right, columns=[*keys, "cluster", "value"])[keys]
        # The drop rests on the groups.
        drop_rows = counted[counted["measure"] == "coherent"].assign(measure=DROP)
        order = {"measure": [*COHERENT_MEASURES, DROP], "kind": CLASSES}
        return self._table(rows_of_means, pd.concat([counted, drop_rows]), ["model", *keys], order)

    def decomposition(self) -> pd.DataFrame:
        """DRFR of the same questions, whole and turn by turn; empty category: all."""
        shares, counted = self._of(["overall", "family"], "category")
        columns = ["model", "language", "category", "measure"]
        question = [*columns, "cluster", "instance", "place", "repeat"]
        by_split = shares.pivot(index=question, columns="split", values="value")
        by_split = by_split.reindex(columns=[WHOLE, DECOMPOSED]).dropna().droplevel("measure")
        by_split[DIFFERENCE] = by_split[DECOMPOSED] - by_split[WHOLE]
        frame = by_split.melt(var_name="measure", ignore_index=False).reset_index()
        is_difference = frame["measure"] == DIFFERENCE
        means = self._clusters.means(frame[~is_difference], columns, "value")
        gains = self._clusters.means(frame[is_difference], columns, "value", (-1.0, 1.0))
        rows = pd.concat([means.rows(), gains.rows()])
        counted = counted.loc[counted["split"] == DECOMPOSED, ["language", "category"]]
        order = {"measure": [WHOLE, DECOMPOSED, DIFFERENCE], "category": _KEYS["family"]}
        return self._table(rows, counted, columns, order)

    def comparisons(self, references: Collection[str] = ()) -> pd.DataFrame:
        """DRFR and accuracies of every two models on the questions that both have a verdict of."""
        rows = self._questions[self._questions["split"] == WHOLE]
        rows = rows.rename(columns={"value": "total"})
        # A question may count twice for one key.
        question = ["model", "part", "instance", "place", "repeat", "measure", "key"]
        names = [rows[column].astype(str) for column in ("part", "instance", "place")]
        sample = rows.groupby(question).cumcount().astype(str).str.cat(names, "/")
        cell = rows["measure"] + "/" + rows["key"]
        rows = rows.assign(cell=cell, sample_id=sample, stratum="")
        compared = pairs(rows, ["language"], "cell", references)
        compared = compared[compared["cell"] != OVERALL]
        names = ["model", "other", "language", "measure", "category"]
        key = compared.pop("cell").astype(str).str.extract("(?P<measure>[^/]*)/(?P<category>.*)")
        compared = compared.join(key)
        columns = [*names, *compared.columns.difference(names, sort=False)]
        return compared[columns].reset_index(drop=True)

    def corrected(
        self, labelled: "DrfrMetrics", language: str, summary: pd.DataFrame, compared: pd.DataFrame
    ) -> pd.DataFrame:
        """Returns overall DRFR by the verdicts that count, corrected by those of labelled answers.

        Groups of instances are the clusters, a question is a unit.
        """
        units = self._of_questions(language)
        people = labelled._of_questions(language)
        raw = raw_values(summary, rows_of(compared, language=language, measure=OVERALL))
        raw = raw.assign(measure="DRFR")
        return corrected_rows(units, people, raw, {"DRFR": 1.0})

    def _of_questions(self, language: str) -> pd.DataFrame:
        rows = rows_of(self._questions, language=language, split=WHOLE, measure="overall")
        texts = rows[["instance", "place", "repeat"]].astype(str)
        unit = texts["instance"] + "/" + texts["place"] + "/" + texts["repeat"]
        units = rows[["model", "cluster", "value"]].assign(unit=unit, weight=1.0, sure=False)
        return units.assign(measure="DRFR")

    def sampling_units(self) -> pd.DataFrame:
        """Returns how many groups there are of each language (part)."""
        return sampling_units(self._counted, "language", [])

    def summary(self, language: str, compared: pd.DataFrame) -> pd.DataFrame:
        """Returns overall DRFR of each model in a language; n counts questions with verdicts."""
        counted = rows_of(scored.coverage(self._answers), language=language, split=WHOLE)
        overall = rows_of(self.drfr, language=language, measure="overall").assign(measure="DRFR")
        rows = rows_of(compared, language=language, measure="overall")
        groups = rows_of(self.sampling_units(), part=language)
        overall = overall.drop(columns="expected")
        return joint_summary(counted, overall, {"DRFR": rows}, groups, "groups of instances")

    def _of(self, measures: Sequence[str], column: str) -> list[pd.DataFrame]:
        """Returns ``_questions`` and ``_counted`` of some measures, with the keys in a column."""
        parts = []
        for rows in (self._questions, self._counted):
            chosen = rows[rows["measure"].isin(measures)]
            parts.append(chosen.rename(columns={"key": column}))
        return parts

    def _shares(self, measures: Sequence[str], column: str) -> pd.DataFrame:
        frame, counted = [rows_of(rows, split=WHOLE) for rows in self._of(measures, column)]
        keys = ["language", "measure", column]
        means = self._clusters.means(frame, ["model", *keys], "value").rows()
        sorted_keys = list(chain.from_iterable(_KEYS.get(measure, ()) for measure in measures))
        order = {"measure": measures, column: sorted_keys}
        return self._table(means, counted[keys], [*keys, "model"], order)

    def _table(
        self,
        rows: pd.DataFrame,
        counted: pd.DataFrame,
        columns: Sequence[str],
        order: Mapping[str, Sequence[str]],
    ) -> pd.DataFrame:
        """Rows in order, with the number of ``counted`` rows, once for each repeat, as expected."""
        expected = counted.value_counts().rename("expected").reset_index()
        expected = expected.merge(self._answers.evaluated[["model", "repeats"]], "cross")
        expected["expected"] *= expected.pop("repeats")
        joined = rows.merge(expected)
        orders = {**self._orders, **order}
        column_orders = {}
        for column in columns:
            further = sorted(set(joined[column]) - set(orders[column]) - {""})
            column_orders[column] = list(dict.fromkeys([*orders[column], *further]))
        keys = [column for column in columns if column != "model"]
        return in_order(joined, column_orders)[["model", *keys, *VALUES]]

    @cached_property
    def _counted(self) -> pd.DataFrame:
        """A row for each cell that a question counts in, in each part."""
        rows = []
        for name, part in self._answers.parts.items():
            for number, instance in part.instances.items():
                cluster = _cluster(part.language, group_of(instance))
                described = (name, part.language, part.split, number)
                rows += [(*described, *cell, cluster) for cell in cells(instance, self._mode)]
        columns = ["part", "language", "split", "instance", "place", "measure", "key", "cluster"]
        return pd.DataFrame(rows, columns=columns)

    @cached_property
    def _questions(self) -> pd.DataFrame:
        """``_counted`` with each model's verdicts: value is 1 where one counts as right."""
        rows = []
        for (model, name), by_repeat in self._answers.verdicts.items():
            for repeat, verdicts in by_repeat.items():
                for number, instance_verdicts in verdicts.items():
                    for place, verdict in enumerate(instance_verdicts):
                        if verdict is not None:
                            points = (
                                counts_as_right("overall", verdict),
                                counts_as_right("dimension", verdict),
                            )
                            rows.append((model, name, repeat, number, place, *points))
        columns = ["model", "part", "repeat", "instance", "place", "drfr", "accuracy"]
        verdicts_frame = pd.DataFrame(rows, columns=columns)
        questions = self._counted.merge(verdicts_frame, on=["part", "instance", "place"])
        is_drfr = questions["measure"].isin(DRFR_MEASURES)
        right = questions.pop("drfr").where(is_drfr, questions.pop("accuracy"))
        return questions.assign(value=right.astype(float))

    @cached_property
    def _clusters(self) -> Clusters:
        return Clusters(self._counted[["cluster", "language"]], ["language"])


def _cluster(language: str, group: str) -> str:
    return f"{language}/{group}"


def _coherent_rows(
    part: scored.ScoredPart, verdicts: Mapping[int, Verdicts] | None = None
) -> Iterator[tuple[str, str, str, str, float]]:
    """Yields language, class, measure, cluster and value; by default as if all were right."""
    if part.split == WHOLE:
        part_verdicts = [verdicts[number] if verdicts else () for number in part.instances]
        instances = list(part.instances.values())
        for measure, kind, group, passes in coherent_test(instances, part_verdicts):
            yield part.language, kind, measure, _cluster(part.language, group), float(passes)


def _cells(means: Estimates, measure: str) -> Estimates:
    """Returns the cells of one measure, under the other keys."""
    index = means.cells.index
    rows = np.flatnonzero(index.get_level_values("measure") == measure)
    return means.take(rows, index[rows].droplevel("measure"))


_FACTS = taxonomy()


def _sorted_keys() -> dict[str, list[str]]:
    """The keys of each measure in the order of its rows."""
    categories = []
    for name, category in _FACTS["categories"].items():
        depths = category["depths"]
        categories += [f"{name}_{depth}" for depth in depths] if depths else [name]
    types = []
    for key, constraint_type in _FACTS["constraint_types"].items():
        types += [key, constraint_type["released"]]
    return {
        "category": categories,
        "family": list(_FACTS["categories"]),
        "task": _FACTS["task_types"],
        "constraint_type": [*dict.fromkeys(types), OTHERS, *_FACTS["composition_types"]],
        "dimension": list(dimensions()),
    }


_KEYS = _sorted_keys()
