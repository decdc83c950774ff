"""The summary over all benchmarks: models by main measures, and how alike these order models."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.show import cells, results
from steadfast.show.cells import MODEL, CellsByModel, Values
from steadfast.show.roster import NOTES as SHARED
from steadfast.show.roster import Display, Group, Roster
from steadfast.show.table import Cell, Column, Mark, Section, Subject, Table, ranks, rounded
from steadfast.stats.repeatability import Deviations
from steadfast.stats.scores import models_by_prompts
from steadfast.stats.tidy import ABOVE_BASELINE, EFFECTIVE, HIGHEST, read_summary
from steadfast.stats.ties import CORRELATIONS, Ties

STRINGS = facts("summary.yaml")
# A column of the summary's rows: the standard deviation of a value between identical runs.
NONDETERMINISM = "nondeterminism"
MODELS_NAMED = 3  # in a sentence, at most; the others are counted


@dataclass(frozen=True)
class SummaryMeasure:
    """One measure of a benchmark, of all models that have it.

    ``label`` is its name in sentences that do not name the benchmark. In ``rows``, those of the
    summary, value is empty where a model ran and has no score.
    """

    name: str
    label: str
    benchmark: str
    text: str
    digits: int
    smaller: bool
    judged: bool
    rows: pd.DataFrame

    @property
    def values(self) -> dict[str, float]:
        """Returns the values there are, by model."""
        return results.values_by_model(self.rows)


class RunSummary:
    """The main measures of all benchmarks that ran, and how they are shown."""

    def __init__(
        self,
        summaries: Mapping[str, Path],
        benchmarks: Mapping[str, Settings],
        display: Display,
        nondeterminism: Deviations = MappingProxyType({}),
    ):
        self.digits = display.digits
        self.measures: list[SummaryMeasure] = []
        prompts: dict[str, str] = {}
        names = Counter(chain.from_iterable(benchmarks[name]["measures"] for name in summaries))
        for name, path in summaries.items():
            rows = _summary(path, benchmarks[name], nondeterminism.get(name, {}))
            prompts |= models_by_prompts(rows)
            for measure in _measures(rows, benchmarks[name], display.digits):
                several = names[measure.name] > 1
                label = f"{measure.name} of {measure.benchmark}" if several else measure.name
                self.measures.append(replace(measure, label=label))
        self.roster = Roster(prompts, display, prompts)

    @property
    def main_measures(self) -> list[SummaryMeasure]:
        """Returns the main measure of each benchmark: its first one of which more is better."""
        main: dict[str, SummaryMeasure] = {}
        for measure in self.measures:
            if not measure.smaller:
                main.setdefault(measure.benchmark, measure)
        return list(main.values())

    def named(self, models: Sequence[str]) -> str:
        """Returns the first of some models for a sentence, and how many there are more."""
        labels = [self.roster.label(model) for model in models[:MODELS_NAMED]]
        further = len(models) - MODELS_NAMED
        if further > 0:
            labels.append(STRINGS["more_models"].format(count=further))
        *first, last = labels
        return f"{', '.join(first)} and {last}" if first else last

    def groups(self) -> list[Group]:
        """Returns the roster's groups, the best mean rank over a model's measures first."""
        ranks_of_models: dict[str, list[int]] = {}
        for measure in self.measures:
            ranks_by_model = ranks(measure.values, self.roster.models, measure.smaller)
            for model, rank in ranks_by_model.items():
                ranks_of_models.setdefault(model, []).append(rank)
        # Groups go by falling value, and the lowest rank is the best.
        return self.roster.groups({m: -sum(r) / len(r) for m, r in ranks_of_models.items()})


def _summary(path: Path, benchmark: Settings, answer_sd: Mapping[str, float]) -> pd.DataFrame:
    """Returns the rows of a benchmark's measures, with the nondeterminism of its first one."""
    rows = read_summary(path)
    measures = benchmark["measures"]
    rows = rows[rows["measure"].isin(measures)]
    if rows.empty:
        names = " or ".join(measures)
        raise UserError(f"{path}: no row of measure {names}; compute the metrics again")
    first = next(iter(measures))
    has_value = (rows["measure"] == first) & (rows["n"] > 0)
    answer_sds = rows["model"].map(answer_sd).where(has_value).astype(float)
    # SD(mean of n answers) = SD(one answer) / √n, since each may come out otherwise by itself;
    # answers are scored from 0 to 1, the measure from 0 to ``full``.
    nondeterminism = measures[first]["full"] * answer_sds / np.sqrt(rows["n"])
    return rows.assign(**{NONDETERMINISM: nondeterminism})


def _measures(rows: pd.DataFrame, benchmark: Settings, digits: int) -> Iterator[SummaryMeasure]:
    for name, settings in benchmark["measures"].items():
        yield SummaryMeasure(
            name=name,
            label=name,
            benchmark=benchmark["title"],
            text=settings["text"],
            digits=digits if settings["digits"] is None else settings["digits"],
            smaller=settings["smaller"],
            judged=benchmark["judged"],
            rows=rows[rows["measure"] == name],
        )


def summary_table(summary: RunSummary) -> Table:
    """Returns models by measures, each value with its interval; a dash where a model has none."""
    roster = summary.roster
    columns = [MODEL]
    parts: list[CellsByModel] = [{m: (Cell(roster.label(m)),) for m in roster.models}]
    for measure in summary.measures:
        for heading, column_cells in _measure_columns(measure, roster):
            columns.append(Column(heading, measure.benchmark))
            parts.append(column_cells)
    joined = cells.joined_cells(parts)
    sections = []
    for group in summary.groups():
        sections.append(group.section([joined[model] for model in group.models]))
    measures = "; ".join(measure.text for measure in summary.measures)
    caption = STRINGS["captions"]["summary"].format(measures=measures)
    notes = results.without_bold(_notes(summary), sections, STRINGS["sampling_unit"])
    return Table("summary", caption, tuple(columns), tuple(sections), notes)


def _measure_columns(measure: SummaryMeasure, roster: Roster) -> Iterator[tuple[str, CellsByModel]]:
    """Yields heading and cells of a measure's columns; one that is empty throughout is left out."""
    rows = measure.rows
    digits = measure.digits
    interval = STRINGS["interval"]
    values = Values(measure.values, results.incomplete_models(rows), Ties.of_summary(rows))
    yield measure.name, cells.value_cells(roster, [values], digits)
    if rows["low"].notna().any():
        heading = interval.format(measure=measure.name)
        yield heading, cells.interval_cells(rows, roster.models, digits)
    # The SD is much smaller than the value, so that it has one digit more.
    for name, decimals in ((NONDETERMINISM, digits + 1), (ABOVE_BASELINE, digits)):
        if rows[name].notna().any():
            further = Values(results.values_by_model(rows, name))
            yield STRINGS[name], cells.value_cells(roster, [further], decimals)
    length_heading = STRINGS["effective_context_length"]
    headings = (length_heading, interval.format(measure=length_heading))
    for name, heading in zip(EFFECTIVE, headings, strict=True):
        if (rows[name] != "").any():
            yield heading, _texts(rows, roster, name)


def _texts(rows: pd.DataFrame, roster: Roster, column: str) -> CellsByModel:
    """Returns a column of the summary that is text; dashes where it is empty."""
    texts = rows.set_index("model")[column].to_dict()
    return {model: (Cell(texts.get(model) or None),) for model in roster.models}


def _notes(summary: RunSummary) -> list[results.Note]:
    notes = [
        *_note("incomplete", "incomplete", _incomplete(summary)),
        results.TIE_NOTE,
        *_note(None, "highest", _largest(summary, HIGHEST)),
    ]
    without_interval = []
    for measure in summary.measures:
        if measure.values and measure.rows["low"].isna().all():
            without_interval.append(measure.label)
    notes += _note("sampling", "no_interval", without_interval, ", ")
    for name in (NONDETERMINISM, ABOVE_BASELINE):
        if any(measure.rows[name].notna().any() for measure in summary.measures):
            notes.append((None, STRINGS["notes"][name]))
    notes += _note(None, "below_baseline", _below_baseline(summary))
    counts: dict[str, str] = {}  # of a benchmark's last measure that has one
    for measure in summary.measures:
        for count in measure.rows["sampled"]:
            if count:
                counts[measure.benchmark] = count
    notes += _note("sampling", "sampled", [f"{name} {count}" for name, count in counts.items()])
    detectable = "minimum_detectable_difference"
    notes += _note("sampling", detectable, _largest(summary, detectable))
    judged = any(measure.judged for measure in summary.measures)
    return notes + results.shared_notes(summary.roster, judged)


def _note(
    subject: Mark | Subject | None, name: str, clauses: Sequence[str], separator: str = "; "
) -> list[results.Note]:
    """Returns the note of a name with its clauses, if there are any."""
    text = STRINGS["notes"][name].format(found=separator.join(clauses))
    return [(subject, text)] if clauses else []


def _largest(summary: RunSummary, column: str) -> list[str]:
    """Returns each measure with the largest value of a column, where it has any."""
    clauses = []
    for measure in summary.measures:
        largest = measure.rows[column].max()
        if not math.isnan(largest):
            slots = {"value": rounded(largest, measure.digits), "benchmark": measure.benchmark}
            form = STRINGS["notes"][f"{column}_of"]
            clauses.append(form.format(measure=measure.label, **slots))
    return clauses


def _below_baseline(summary: RunSummary) -> list[str]:
    """Returns the contenders below the baseline in each benchmark's main measure."""
    roster = summary.roster
    clauses = []
    for measure in summary.main_measures:
        values = measure.values
        baselines = [values[model] for model in values if roster.kind(model) == "baseline"]
        # Without a baseline no value is below NaN.
        baseline = max(baselines, default=math.nan)
        below = [model for model in roster.contenders_among(values) if values[model] < baseline]
        if below:
            slots = {"value": rounded(baseline, measure.digits), "models": summary.named(below)}
            form = STRINGS["notes"]["below_baseline_of"]
            clauses.append(form.format(measure=measure.label, **slots))
    return clauses


def _incomplete(summary: RunSummary) -> list[str]:
    """Returns each model that lacks samples of a measure, with its counts."""
    counts: dict[str, list[str]] = {}
    for measure in summary.measures:
        lacking = measure.rows[measure.rows["n"] < measure.rows["expected"]]
        for row in lacking.itertuples():
            count = f"{measure.label} {row.n:,.0f} of {row.expected:,.0f}"
            counts.setdefault(row.model, []).append(count)
    return [
        f"{summary.roster.label(model)} ({', '.join(counts[model])})" for model in sorted(counts)
    ]


def correlations_table(summary: RunSummary) -> Table:
    """Returns how many contenders every two measures share, and how alike they order them."""
    rows: list[tuple[Cell, ...]] = []
    for i, first in enumerate(summary.measures):
        for j, second in enumerate(summary.measures[i + 1 :]):
            names = (Cell(first.label, repeated=j > 0), Cell(second.label))
            rows.append((*names, *_correlation(summary, first, second)))
    labels = (Column("Measure", align="l"), Column("Other", align="l"), Column("Models", align="r"))
    columns = (*labels, *(Column(name.capitalize()) for name in CORRELATIONS))
    kind = "simulated" if summary.roster.has_no_real_model else "model"
    contenders = STRINGS["contenders"][kind]
    caption = STRINGS["captions"]["summary_correlations"].format(contenders=contenders)
    turned = [measure.label for measure in summary.measures if measure.smaller]
    correlated = [row for row in rows if row[3].text is not None]
    notes = results.few_models_notes(int(row[2].text or 0) for row in correlated)
    if turned:
        notes.append((None, STRINGS["notes"]["sign"].format(measures=", ".join(turned))))
    if any(Cell(None) in row for row in rows):
        notes.append((None, STRINGS["notes"]["too_few_models"]))
    if summary.roster.apart:
        models = ", ".join(map(summary.roster.label, sorted(summary.roster.apart)))
        notes.append((None, SHARED["apart_correlated"].format(models=models)))
    sections = (Section(tuple(rows)),) if rows else ()
    return Table("summary_correlations", caption, columns, sections, tuple(notes))


def _correlation(
    summary: RunSummary, first: SummaryMeasure, second: SummaryMeasure
) -> tuple[Cell, ...]:
    """Returns how many contenders have both measures, and each correlation over them."""
    shared = first.values.keys() & second.values.keys()
    models = summary.roster.contenders_among(shared)
    correlations = [math.nan] * len(CORRELATIONS)
    if len(models) >= STRINGS["least_models"]:
        goodness = (_goodness(first, models), _goodness(second, models))
        correlations = [correlate(*goodness) for correlate in CORRELATIONS.values()]
    return (
        Cell(str(len(models))),
        *(cells.number_cell(value, summary.digits) for value in correlations),
    )


def _goodness(measure: SummaryMeasure, models: Sequence[str]) -> np.ndarray:
    """Returns the values of models, with their signs turned where smaller ones are better."""
    values = measure.values
    sign = -1 if measure.smaller else 1
    return np.array([sign * values[model] for model in models])
