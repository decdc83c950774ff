"""The summary over all benchmarks: models by main measures, and how alike these order models."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.show import results
from steadfast.show.cells import MODEL, CellsByModel, Values, interval_cells, value_cells
from steadfast.show.roster import NOTES as SHARED
from steadfast.show.roster import Display, Group, Roster
from steadfast.show.table import Cell, Column, Section, Table, ranks, rounded
from steadfast.stats.repeatability import Deviations
from steadfast.stats.scores import models_by_prompts
from steadfast.stats.tidy import ABOVE_BASELINE, EFFECTIVE, HIGHEST, read_summary
from steadfast.stats.ties import CORRELATIONS, Ties

STRINGS = facts("summary.yaml")
NONDETERMINISM = "nondeterminism"
"""A column of the summary's rows: the standard deviation of a value that is asked for again."""
MODELS_NAMED = 3  # in a sentence, at most; the others are counted


@dataclass(frozen=True)
class SummaryMeasure:
    """One measure of a benchmark, of all models that have it.

    ``label`` is its name in sentences that do not name the benchmark; in ``rows``, the summary's,
    value is empty where a model ran and has no score.
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
        measures: list[SummaryMeasure] = []
        prompts: dict[str, str] = {}
        for name, path in summaries.items():
            rows = _summary(path, benchmarks[name], nondeterminism.get(name, {}))
            prompts |= models_by_prompts(rows)
            measures += _measures(rows, benchmarks[name], display.digits)
        times = Counter(measure.name for measure in measures)
        self.measures = [
            replace(m, label=f"{m.name} of {m.benchmark}") if times[m.name] > 1 else m
            for m in measures
        ]
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
        places = [ranks(m.values, self.roster.models, m.smaller) for m in self.measures]
        found = {m: [p[m] for p in places if m in p] for m in self.roster.models}
        return self.roster.groups({m: -sum(p) / len(p) for m, p in found.items() if p})


def _summary(path: Path, benchmark: Settings, answer_sd: Mapping[str, float]) -> pd.DataFrame:
    """Returns the rows of a benchmark's measures, with the nondeterminism of its first one."""
    rows = read_summary(path)
    measures = benchmark["measures"]
    rows = rows[rows["measure"].isin(measures)]
    if rows.empty:
        names = " or ".join(measures)
        raise UserError(f"{path}: no row of measure {names}; compute the metrics again")
    first = next(iter(measures))
    repeat_sd = rows["model"].map(answer_sd).where((rows["measure"] == first) & (rows["n"] > 0))
    # The value is about the mean of n answers, each of which may come out otherwise.
    nondeterminism = measures[first]["full"] * repeat_sd.astype(float) / np.sqrt(rows["n"])
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
    cells: CellsByModel = {m: (Cell(roster.label(m)),) for m in roster.models}
    for measure in summary.measures:
        rows = measure.rows
        digits = measure.digits
        interval = STRINGS["interval"]
        values = Values(
            measure.values,
            results.incomplete_models(rows),
            Ties.of_summary(rows),
            "smaller" if measure.smaller else "larger",
        )
        shown = [(measure.name, value_cells(roster, [values], digits))]
        if rows["low"].notna().any():
            ends = interval_cells(rows, roster.models, digits)
            shown.append((interval.format(measure=measure.name), ends))
        for name, places in ((NONDETERMINISM, digits + 1), (ABOVE_BASELINE, digits)):
            if rows[name].notna().any():
                further = Values(results.values_by_model(rows, name))
                shown.append((STRINGS[name], value_cells(roster, [further], places)))
        headings = (
            STRINGS["effective_context_length"],
            interval.format(measure=STRINGS["effective_context_length"]),
        )
        for name, heading in zip(EFFECTIVE, headings, strict=True):
            if (rows[name] != "").any():
                shown.append((heading, _texts(rows, roster, name)))
        columns += [Column(heading, measure.benchmark) for heading, _ in shown]
        for model in cells:
            cells[model] += tuple(cell for _, part in shown for cell in part[model])
    sections = tuple(
        group.section(cells[model] for model in group.models) for group in summary.groups()
    )
    measures = "; ".join(measure.text for measure in summary.measures)
    caption = STRINGS["captions"]["summary"].format(measures=measures)
    notes = results.without_bold(_notes(summary), sections, roster, STRINGS["sampling_unit"])
    return Table("summary", caption, tuple(columns), sections, notes)


def _texts(rows: pd.DataFrame, roster: Roster, column: str) -> CellsByModel:
    """Returns a column of the summary that is text; dashes where it is empty."""
    texts = dict(zip(rows["model"], rows[column], strict=True))
    return {model: (Cell(texts.get(model) or None),) for model in roster.models}


def _notes(summary: RunSummary) -> list[results.Note]:
    texts = STRINGS["notes"]
    notes: list[results.Note] = []
    if incomplete := _incomplete(summary):
        notes.append(("incomplete", texts["incomplete"].format(models="; ".join(incomplete))))
    notes.append(results.tie_note(summary.roster))
    if highest := [
        texts["highest_of"].format(
            measure=m.label, highest=rounded(of, m.digits), benchmark=m.benchmark
        )
        for m in summary.measures
        if not math.isnan(of := m.rows[HIGHEST].max())
    ]:
        notes.append((None, texts["highest"].format(found="; ".join(highest))))
    if without := [m.label for m in summary.measures if m.values and m.rows["low"].isna().all()]:
        notes.append(("sampling", texts["no_interval"].format(measures=", ".join(without))))
    for name in (NONDETERMINISM, ABOVE_BASELINE):
        if any(measure.rows[name].notna().any() for measure in summary.measures):
            notes.append((None, texts[name]))
    notes += _below_baseline(summary)
    notes += _sampling_notes(summary)
    judged = any(measure.judged for measure in summary.measures)
    return notes + results.shared_notes(summary.roster, judged)


def _below_baseline(summary: RunSummary) -> list[results.Note]:
    """Returns the contenders below the baseline in a benchmark's main measure."""
    texts = STRINGS["notes"]
    roster = summary.roster
    clauses = []
    for measure in summary.main_measures:
        values = measure.values
        baseline = max(
            (values[m] for m in values if roster.kind(m) == "baseline"), default=math.nan
        )
        below = [model for model in roster.contenders if values.get(model, math.inf) < baseline]
        if below:
            value = rounded(baseline, measure.digits)
            models = summary.named(below)
            form = texts["below_baseline_of"]
            clauses.append(form.format(value=value, measure=measure.label, models=models))
    if not clauses:
        return []
    return [(None, texts["below_baseline"].format(found="; ".join(clauses)))]


def _sampling_notes(summary: RunSummary) -> list[results.Note]:
    """Returns each benchmark's sampling units, and the minimum detectable differences."""
    texts = STRINGS["notes"]
    counts = {m.benchmark: n for m in summary.measures for n in m.rows["sampled"] if n}
    units = [texts["sampled_of"].format(benchmark=name, count=n) for name, n in counts.items()]
    differences = []
    for measure in summary.measures:
        smallest = measure.rows["minimum_detectable_difference"].max()
        if not math.isnan(smallest):
            slots = {"minimum_detectable_difference": rounded(smallest, measure.digits)}
            form = texts["minimum_detectable_difference_of"]
            differences.append(form.format(measure=measure.label, **slots))
    notes: list[results.Note] = []
    for name, clauses in (("sampled", units), ("minimum_detectable_difference", differences)):
        if clauses:
            notes.append(("sampling", texts[name].format(found="; ".join(clauses))))
    return notes


def _incomplete(summary: RunSummary) -> list[str]:
    """Returns each model that lacks samples of a measure, with its counts."""
    texts = STRINGS["notes"]
    counts = dict[str, list[str]]()
    for measure in summary.measures:
        for row in measure.rows.itertuples():
            if row.n < row.expected:
                slots = {"n": f"{row.n:,.0f}", "expected": f"{row.expected:,.0f}"}
                count = texts["incomplete_count"].format(measure=measure.label, **slots)
                counts.setdefault(row.model, []).append(count)
    return [
        texts["incomplete_model"].format(
            model=summary.roster.label(model), counts=", ".join(counts[model])
        )
        for model in summary.roster.models
        if model in counts
    ]


def correlations_table(summary: RunSummary) -> Table:
    """Returns how many contenders every two measures share, and how alike they order them."""
    rows: list[tuple[Cell, ...]] = []
    for i, first in enumerate(summary.measures):
        for j, second in enumerate(summary.measures[i + 1 :]):
            names = (Cell(first.label, repeated=j > 0), Cell(second.label))
            rows.append((*names, *_correlation(summary, first, second)))
    columns = (
        *(Column(heading, align="l") for heading in ("Measure", "Other")),
        Column("Models", align="r"),
        *(Column(name.capitalize()) for name in CORRELATIONS),
    )
    kind = "simulated" if summary.roster.no_real_model else "model"
    contenders = STRINGS["contenders"][kind]
    caption = STRINGS["captions"]["summary_correlations"].format(contenders=contenders)
    turned = [measure.label for measure in summary.measures if measure.smaller]
    correlated = [int(row[2].text or 0) for row in rows if row[3].text is not None]
    notes = [text for _, text in results.few_models_notes(correlated)]
    notes += [STRINGS["notes"]["sign"].format(measures=", ".join(turned))] if turned else []
    if any(cell.text is None for row in rows for cell in row):
        notes.append(STRINGS["notes"]["too_few_models"])
    if summary.roster.apart:
        models = ", ".join(map(summary.roster.label, sorted(summary.roster.apart)))
        notes.append(SHARED["apart_correlated"].format(models=models))
    sections = (Section(tuple(rows)),) if rows else ()
    return Table(
        "summary_correlations", caption, columns, sections, tuple((None, note) for note in notes)
    )


def _correlation(
    summary: RunSummary, first: SummaryMeasure, second: SummaryMeasure
) -> tuple[Cell, ...]:
    models = [m for m in summary.roster.contenders if m in first.values and m in second.values]
    sides = [
        np.array([-side.values[m] if side.smaller else side.values[m] for m in models])
        for side in (first, second)
    ]
    enough = len(models) >= STRINGS["least_models"]
    correlations = [
        correlate(*sides) if enough else math.nan for correlate in CORRELATIONS.values()
    ]
    values = (
        None if math.isnan(value) else str(rounded(value, summary.digits)) for value in correlations
    )
    return (Cell(str(len(models))), *map(Cell, values))
