"""FollowBench's metrics of all models, as tidy CSV files.

A sample without a score (no response, or no readable verdict) is in no mean; it lowers the
coverage. In mode released a reply that could not be read counts −1, as in the released code. Each
repeat of an item counts as an item, and each repeat of a group as a group. Intervals:
``stats.intervals``, where groups are resampled within their category, with all their repeats.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import pandas as pd

from steadfast.base.files import Record
from steadfast.benchmarks.followbench import facts as followbench
from steadfast.benchmarks.followbench import frames
from steadfast.benchmarks.followbench.agreement import agreement, corrected
from steadfast.benchmarks.followbench.facts import ScoreRecord
from steadfast.contract.components import Data, Frames, Labels, Scored
from steadfast.contract.records import OVERALL, OWN
from steadfast.stats.corrected import NOTHING_CORRECTED, raw_values
from steadfast.stats.intervals import Clusters, joined
from steadfast.stats.pairs import joint_summary, pairs, sampling_units
from steadfast.stats.scores import STATUSES, coverage, expected_responses, with_prompts
from steadfast.stats.tidy import HIGHEST, PROMPTS, in_order, rows_of

KINDS = (OVERALL, followbench.RULE, followbench.JUDGE)
# Measures of samples, and their columns.
RATES = {"HSR": "hard", "SSR": "soft"}
MEASURES = (*RATES, "CSL")
# Values of the keys for all categories or levels together.
WHOLE = {"category": OVERALL, "level": ""}
VALUES = ["value", "low", "high", "n"]


def metrics(
    scores: Iterable[Scored[ScoreRecord]],
    data: Mapping[str, Data],
    labels: Labels | None,
    languages: Sequence[str],
    judges: Sequence[str],
    references: Collection[str] = (),
    judge_prompts: Sequence[str] = (followbench.PATH,),
    temperatures: Mapping[str, tuple[str, float]] | None = None,
) -> Frames:
    """Returns the metrics of all models."""
    scores = list(scores)
    level_metrics = LevelMetrics(frames.sample_frame(scores), languages)
    context_ids = {scored.record["context_id"] for scored in scores}
    groups = {}
    for part in data.values():
        for name, records in part["data"].items():
            groups[name] = [group for group in records if group["context_id"] in context_ids]
    main = {
        "hsr": level_metrics.rates("hard"),
        "ssr": level_metrics.rates("soft"),
        "csl": level_metrics.levels(),
    }
    compared = level_metrics.comparisons(references)
    summary = level_metrics.summary(main, compared)
    language = languages[0]
    raw = raw_values(summary, rows_of(compared, language=language, category=OVERALL))
    return {
        **main,
        "scorers": level_metrics.scorers(),
        "consistency": level_metrics.consistency(),
        "items": items(groups),
        "agreement": agreement(scores, judges, labels, judge_prompts),
        "coverage": level_metrics.coverage(),
        "comparisons": compared,
        "sampling_units": level_metrics.sampling_units(),
        "temperature": temperature_rows(main, temperatures or {}, languages),
        "summary": summary,
        "corrected": corrected(scores, level_metrics.samples, labels, language, raw)
        if labels
        else NOTHING_CORRECTED,
    }


class LevelMetrics:
    """The metrics of all models."""

    def __init__(self, samples: pd.DataFrame, languages: Sequence[str]):
        self.samples = samples
        self._languages = languages
        self._groups = frames.group_frame(samples)
        self._clusters = Clusters(self._groups, ["language", "category"])
        self._order: dict[str, Sequence[str]] = {
            "model": sorted(set(samples["model"])),
            "language": languages,
            "kind": KINDS,
            "category": [*followbench.CATEGORIES, OVERALL],
            "level": [str(level) for level in followbench.LEVELS],
            "measure": MEASURES,
        }

    def rates(self, column: str) -> pd.DataFrame:
        """Returns HSR of the column hard, SSR of soft (equations 1 and 2), in per cent.

        Category overall is the unweighted mean of the categories (Table 2), an empty level the
        mean of the levels (Figure 4).
        """
        return self._estimated(self.samples, column, ["category", "level"])

    def levels(self) -> pd.DataFrame:
        """Returns CSL: consecutive satisfied levels of a group, from level 1 on (equation 3)."""
        return self._estimated(self._groups, "levels", ["category"])

    def scorers(self) -> pd.DataFrame:
        """HSR and SSR of the items that rules and that the judge score, categories together."""
        parts = []
        for measure, column in RATES.items():
            rows = self._estimated(self.samples, column, ["kind", "level"])
            parts.append(rows.assign(measure=measure))
        keys = ["model", "language", "kind", "measure", "level"]
        return self._sorted(pd.concat(parts, ignore_index=True), keys, [*VALUES, "expected"])

    def consistency(self) -> pd.DataFrame:
        """Failure consistency (section 5.3), in per cent: failing groups that go on failing.

        Kind overall is as in the paper, judge as in the released code; n counts the groups that
        fail at a level from 1 to 4, missing those for which it is unknown.
        """
        keys = ["model", "language", "kind", "category"]
        groups = _margins(pd.concat([self._groups, self._groups.assign(kind=OVERALL)]))
        failing = groups[groups["consistency"].isin(["consistent", "inconsistent"])]
        failing = failing.assign(value=(failing["consistency"] == "consistent").astype(float))
        unknown = groups.assign(missing=groups["consistency"].isna())
        missing = unknown.groupby(keys)["missing"].sum().reset_index()
        rows = missing.merge(self._means(failing, "value", keys), "left", keys).fillna({"n": 0})
        return self._sorted(rows.astype({"n": int}), keys, [*VALUES, "missing"])

    def coverage(self) -> pd.DataFrame:
        """Returns expected and scored samples of each model."""
        keys = ["model", "language", "category", "level"]
        rows = coverage(_margins(self.samples), flags=[frames.UNREADABLE], by=keys[1:])
        counted = ["expected", "scored", *(f"status_{status}" for status in STATUSES)]
        columns = [*counted, "empty", frames.UNREADABLE, PROMPTS]
        return self._sorted(rows, keys, columns)

    def comparisons(self, references: Collection[str] = ()) -> pd.DataFrame:
        """Compares every two models on the samples, and in CSL the groups, that both have."""
        parts = []
        for measure, column in RATES.items():
            parts.append(self.samples.assign(measure=measure, total=self.samples[column]))
        groups = self._groups.rename(columns={"levels": "total"})
        parts.append(groups.assign(measure="CSL", sample_id=groups["cluster"]))
        units = pd.concat(parts, ignore_index=True)
        units = units.assign(stratum=units["category"])
        rows = pairs(units, ["language", "measure"], "category", references)
        scaled = ["difference", "low", "high", "error"]
        rows.loc[rows["measure"].isin(RATES), scaled] *= 100
        keys = ("language", "measure", "category", "model")
        return in_order(rows, {key: self._order[key] for key in keys})

    def sampling_units(self) -> pd.DataFrame:
        """Returns how many groups there are of each language (part) and category (stratum)."""
        return sampling_units(self._groups, "language", ["category"])

    def summary(self, values: Frames, compared: pd.DataFrame) -> pd.DataFrame:
        """HSR, SSR (in per cent) and CSL of each model in the first language."""
        language = self._languages[0]
        counts = []
        whole = []
        for measure in MEASURES:
            units = self._groups if measure == "CSL" else self.samples
            expected = rows_of(self._expected(units, []), language=language)
            counts.append(expected.assign(measure=measure))
            whole.append(self._overall(values[measure.lower()]).assign(measure=measure))
        compared = rows_of(compared, language=language, category=OVERALL)
        by_measure = {name: rows_of(compared, measure=name) for name in MEASURES}
        groups = rows_of(self.sampling_units(), part=language)
        counted = with_prompts(pd.concat(counts), self.samples)
        values_of_all = pd.concat(whole).drop(columns="expected")
        rows = joint_summary(counted, values_of_all, by_measure, groups, "groups")
        highest = self.highest()
        return rows.assign(**{HIGHEST: rows["measure"].map(highest)}) if highest else rows

    def highest(self) -> dict[str, float]:
        """Returns the highest values that answers can have, where some cannot be passed."""
        language_samples = self.samples[self.samples["language"] == self._languages[0]]
        if language_samples["passable"].all():
            return {}
        best = language_samples.drop_duplicates("sample_id").assign(model="", prompts=OWN, repeat=0)
        passed = best["passable"].astype(float)
        best_metrics = LevelMetrics(best.assign(hard=passed, soft=passed), self._languages)
        rows = {measure: best_metrics.rates(column) for measure, column in RATES.items()}
        rows["CSL"] = best_metrics.levels()
        return {name: float(self._overall(part)["value"].iloc[0]) for name, part in rows.items()}

    def _overall(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Returns the rows on all categories and levels in the first language."""
        rows = rows_of(rows, language=self._languages[0], category=OVERALL)
        return rows_of(rows, level="") if "level" in rows else rows

    def _estimated(self, units: pd.DataFrame, column: str, by: list[str]) -> pd.DataFrame:
        """Means of samples or groups by model, language and more, and how many were expected."""
        keys = ["model", "language", *by]
        averaged = [key for key in by if key in WHOLE]
        rows = self._means(units, column, keys, averaged)
        rows = rows.merge(self._expected(units, by), on=keys)
        if column == "soft":
            rows = frames.with_released_zeros(rows, units, keys)
        return self._sorted(rows, keys, [*VALUES, "expected"])

    def _means(
        self, units: pd.DataFrame, column: str, keys: list[str], averaged: Collection[str] = ()
    ) -> pd.DataFrame:
        """Returns means in per cent (levels: as they are), also over the averaged keys."""
        if not units[column].notna().any():
            return pd.DataFrame(columns=[*keys, *VALUES]).astype({"n": int})
        highest = float(len(followbench.LEVELS)) if column == "levels" else 1.0
        cells = self._clusters.means(units, keys, column, (0.0, highest))
        for key in averaged:
            mean = cells.mean([other for other in keys if other != key])
            cells = joined([cells, mean.labelled(**{key: WHOLE[key]})])
        rows = cells.rows()
        factor = 1 if column == "levels" else 100
        return rows.assign(**{name: factor * rows[name] for name in VALUES[:-1]})

    def _expected(self, units: pd.DataFrame, by: list[str]) -> pd.DataFrame:
        """Returns how many samples or groups each model should have, with their sums over keys."""
        name = "sample_id" if "sample_id" in units else "cluster"
        units = _margins(units[["model", "prompts", "repeat", "language", *by, name]])
        return expected_responses(units, ["language", *by], [name])

    def _sorted(self, rows: pd.DataFrame, keys: list[str], columns: list[str]) -> pd.DataFrame:
        return in_order(rows, {key: self._order[key] for key in keys})[[*keys, *columns]]


def items(data: Mapping[str, Iterable[Record]]) -> pd.DataFrame:
    """Returns statistics of the data (Table 1): items, mean length in words (zh: characters)."""
    rows = []
    for language, groups in data.items():
        for group in groups:
            kind = followbench.JUDGE if group["scorer"] == followbench.JUDGE else followbench.RULE
            described = (language, group["category"], group["task"], kind, group["context_id"])
            for level, record in enumerate(group["levels"], start=1):
                text = record["instruction"]
                size = len(text if language == "zh" else text.split())
                impossible = frames.is_impossible(language, group["scorer"], level)
                rows.append((*described, size, impossible))
    keys = ["language", "category", "task", "kind"]
    columns = [*keys, "group", "size", "impossible"]
    cells = pd.DataFrame(rows, columns=columns).groupby(keys, sort=False)
    counts = cells.agg(
        size=("size", "mean"),
        groups=("group", "nunique"),
        n=("size", "size"),
        impossible=("impossible", "sum"),
    ).reset_index()
    order = {"language": list(data), "category": followbench.CATEGORIES}
    tasks = list(dict.fromkeys(counts["task"]))
    return in_order(counts, order | {"task": tasks, "kind": [followbench.RULE, followbench.JUDGE]})


def temperature_rows(
    frames_by_rate: Frames, temperatures: Mapping[str, tuple[str, float]], languages: Sequence[str]
) -> pd.DataFrame:
    """Returns the overall values by temperature, a line each (section 5.4, Figure 5)."""
    parts = []
    for measure in MEASURES:
        rows = rows_of(frames_by_rate[measure.lower()], category=OVERALL)
        rows = rows_of(rows, level="") if "level" in rows else rows
        rows = rows[rows["model"].isin(temperatures.keys())]
        lines = [temperatures[model][0] for model in rows["model"]]
        values = [temperatures[model][1] for model in rows["model"]]
        parts.append(rows.assign(measure=measure, line=lines, temperature=values))
    measures = pd.concat(parts, ignore_index=True).sort_values("temperature", kind="stable")
    order: dict[str, Sequence[object]] = {
        "measure": MEASURES,
        "language": languages,
        "line": list(dict.fromkeys(line for line, _ in temperatures.values())),
    }
    columns = ["line", "temperature", "model", "language", "measure", *VALUES, "expected"]
    return in_order(measures.astype({"temperature": float}), order)[columns]


def _margins(rows: pd.DataFrame) -> pd.DataFrame:
    """Returns rows, and again under the keys of all categories and of all levels."""
    for column, total in WHOLE.items():
        if column in rows:
            rows = pd.concat([rows, rows.assign(**{column: total})])
    return rows
