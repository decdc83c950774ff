"""One report over all benchmarks: models by main measures, and how alike these order the models."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from steadfast.errors import UserError
from steadfast.metrics.headline import read_headline
from steadfast.metrics.ranks import CORRELATIONS
from steadfast.registry import JUDGED
from steadfast.tables.render import write_table
from steadfast.tables.roster import Group, Roster
from steadfast.tables.table import Cell, Column, Mark, Section, Table, highlights, ranks, rounded

FACTS = Path(__file__).resolve().parents[2] / "resources/report.yaml"
NAMES = ("report", "report_correlations")


@dataclass(frozen=True)
class Measure:
    """One measure of a benchmark, of all models that have it.

    Attributes:
        name: as the paper calls it.
        benchmark: the title of its benchmark.
        digits: after the point.
        smaller: whether a smaller value is better.
        rows: columns value, low, high, n and expected by model; value is empty where a model ran
            and has no score.
    """

    name: str
    benchmark: str
    digits: int
    smaller: bool
    rows: pd.DataFrame

    @cached_property
    def values(self) -> dict[str, float]:
        """The values there are, by model."""
        return self.rows["value"].dropna().to_dict()

    def incomplete(self, model: str) -> bool:
        """Whether a model's value rests on fewer samples than expected."""
        return model in self.rows.index and bool(
            self.rows.at[model, "n"] < self.rows.at[model, "expected"]
        )


class Report:
    """The main measures of all benchmarks that ran, and how they are shown.

    Args:
        headlines: the headline file of each benchmark.
        display: digits, labels and groups by model, group_order, engines by model.

    Raises:
        UserError: a file is missing or damaged, or has none of its benchmark's measures.
    """

    def __init__(self, headlines: Mapping[str, Path], display: Mapping[str, Any]):
        self.words = yaml.safe_load(FACTS.read_text(encoding="utf-8"))
        self.digits: int = display.get("digits", 3)
        self.judged = not set(headlines).isdisjoint(JUDGED)
        self.measures = [
            measure
            for benchmark, facts in self.words["benchmarks"].items()
            if benchmark in headlines
            for measure in _measures(headlines[benchmark], facts, self.digits)
        ]
        models = {model for measure in self.measures for model in measure.rows.index}
        self.roster = Roster(models, display)

    @property
    def no_real_model(self) -> bool:
        """Whether the simulated readers compete, for want of models."""
        return {self.roster.kind(model) for model in self.roster.contenders} == {"simulated"}

    def groups(self) -> list[Group]:
        """The roster's groups, the best mean rank over a model's measures first."""
        places = [ranks(m.values, self.roster.models, m.smaller) for m in self.measures]
        found = {m: [p[m] for p in places if m in p] for m in self.roster.models}
        return self.roster.groups({m: -sum(p) / len(p) for m, p in found.items() if p})

    def heading(self, group: Group) -> str:
        """A group's heading, which says so where its members are no real models."""
        words = self.words["apart"]
        return words[group.kind].format(group=group.heading) if group.apart else group.heading


def _measures(path: Path, facts: Mapping[str, Any], digits: int) -> list[Measure]:
    rows = read_headline(path)
    found = [
        Measure(
            name,
            facts["title"],
            how.get("digits", digits),
            how.get("smaller", False),
            rows[rows["measure"] == name].set_index("model"),
        )
        for name, how in facts["measures"].items()
    ]
    if all(measure.rows.empty for measure in found):
        names = " or ".join(facts["measures"])
        raise UserError(f"{path}: no row of measure {names}; compute the metrics again")
    return found


def build_report(headlines: Mapping[str, Path], display: Mapping[str, Any], out_dir: Path) -> None:
    """Writes each table of ``NAMES`` as .tex, .md and .csv.

    Args:
        headlines: ``results/{benchmark}/metrics/headline.csv`` of each benchmark that runs.
        display: digits, labels and groups by model, group_order, engines by model.
        out_dir: directory for the files.

    Raises:
        UserError: a file is missing or damaged.
    """
    report = Report(headlines, display)
    for table in (report_table(report), correlations_table(report)):
        write_table(table, Path(out_dir))


def report_table(report: Report) -> Table:
    """Models by measures, each value with its interval; a dash where a model has none."""
    roster = report.roster
    columns = [Column("Model", align="l")]
    cells: dict[str, tuple[Cell, ...]] = {m: (Cell(roster.label(m)),) for m in roster.models}
    for measure in report.measures:
        told = bool(measure.rows["low"].notna().any())
        ends = report.words["interval"].format(measure=measure.name)
        headings = [measure.name, *([ends] if told else [])]
        columns += [Column(heading, measure.benchmark) for heading in headings]
        shown = {m: rounded(value, measure.digits) for m, value in measure.values.items()}
        styles = highlights(shown, roster.contenders, measure.smaller)
        for model in cells:
            text = str(shown[model]) if model in shown else None
            marks: tuple[Mark, ...] = ("incomplete",) if measure.incomplete(model) else ()
            cells[model] += (Cell(text, styles.get(model, ""), marks=marks),)
            cells[model] += (_interval(measure, model),) if told else ()
    sections = tuple(
        Section(tuple(cells[model] for model in group.models), report.heading(group), group.apart)
        for group in report.groups()
    )
    words = report.words["measures"]
    measures = "; ".join(words[measure.name] for measure in report.measures)
    caption = report.words["captions"]["report"].format(measures=measures)
    return Table("report", caption, tuple(columns), sections, _notes(report))


def _interval(measure: Measure, model: str) -> Cell:
    if model not in measure.rows.index or math.isnan(measure.rows.at[model, "low"]):
        return Cell(None)
    low, high = (rounded(measure.rows.at[model, end], measure.digits) for end in ("low", "high"))
    return Cell(f"{low} to {high}")


def _notes(report: Report) -> tuple[tuple[Mark | None, str], ...]:
    texts, notes = report.words["notes"], []
    incomplete = []
    for model in report.roster.models:
        counts = [
            texts["incomplete_count"].format(
                measure=measure.name,
                n=f"{measure.rows.at[model, 'n']:,.0f}",
                expected=f"{measure.rows.at[model, 'expected']:,.0f}",
            )
            for measure in report.measures
            if measure.incomplete(model)
        ]
        if counts:
            label = report.roster.label(model)
            incomplete.append(
                texts["incomplete_model"].format(model=label, counts=", ".join(counts))
            )
    if incomplete:
        notes.append(("incomplete", texts["incomplete"].format(models="; ".join(incomplete))))
    if report.judged and (judge := report.roster.judge_note):
        notes.append((None, judge))
    if report.no_real_model:
        notes.append((None, texts["simulated"]))
    return tuple(notes)


def correlations_table(report: Report) -> Table:
    """Every two measures: how many contenders have both, and how alike these are ordered."""
    words, rows = report.words, []
    for i, first in enumerate(report.measures):
        for j, second in enumerate(report.measures[i + 1 :]):
            names = (Cell(first.name, repeated=j > 0), Cell(second.name))
            rows.append((*names, *_correlation(report, first, second)))
    columns = (
        *(Column(heading, align="l") for heading in ("Measure", "Other")),
        Column("Models", align="r"),
        *(Column(name.capitalize()) for name in CORRELATIONS),
    )
    contenders = words["contenders"]["simulated" if report.no_real_model else "model"]
    caption = words["captions"]["report_correlations"].format(contenders=contenders)
    turned = [measure.name for measure in report.measures if measure.smaller]
    notes = [words["notes"]["sign"].format(measures=", ".join(turned))] if turned else []
    if any(cell.text is None for row in rows for cell in row):
        notes.append(words["notes"]["few"])
    sections = (Section(tuple(rows)),) if rows else ()
    return Table(
        "report_correlations", caption, columns, sections, tuple((None, note) for note in notes)
    )


def _correlation(report: Report, first: Measure, second: Measure) -> tuple[Cell, ...]:
    both = [m for m in report.roster.contenders if m in first.values and m in second.values]
    sides = [
        np.array([-side.values[m] if side.smaller else side.values[m] for m in both])
        for side in (first, second)
    ]
    enough = len(both) >= report.words["least_models"]
    found = [correlate(*sides) if enough else math.nan for correlate in CORRELATIONS.values()]
    values = (None if math.isnan(value) else str(rounded(value, report.digits)) for value in found)
    return (Cell(str(len(both))), *map(Cell, values))
