"""LIFBench's tables, laid out like the paper's: data, ARS, ARS by length, IFS, and coverage."""

from collections.abc import Callable, Iterable, Mapping
from decimal import ROUND_DOWN, Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from steadfast.files import read_jsonl, write_text
from steadfast.lifbench.metrics import AVERAGE, PERSPECTIVES, Weighting
from steadfast.lifbench.tasks import RESOURCES, TASKS
from steadfast.metrics.tidy import OVERALL, read_csv
from steadfast.tables import latex
from steadfast.tables.render import write_table
from steadfast.tables.roster import Group, Roster
from steadfast.tables.table import Cell, Column, Mark, Section, Table, highlights, ranks, rounded

LAYOUT: dict[str, Any] = yaml.safe_load((RESOURCES / "tables.yaml").read_text(encoding="utf-8"))
NAMES = ("table2_data", "table3_ars", "table4_ifs", "table7_ars_by_length", "coverage")
DOCUMENT = "all_tables.tex"

MODEL = Column("Model", align="l")


def build_tables(
    metrics: Mapping[str, Path],
    prompts: Mapping[str, Path],
    display: Mapping[str, Any],
    out_dir: Path,
    weighting: Weighting = "rubric",
) -> None:
    """Writes each table of ``NAMES`` as .tex, .md and .csv, and a document that holds them all.

    Args:
        metrics: the files ``ars``, ``ifs`` and ``coverage`` of ``lifbench.metrics``.
        prompts: prompts file of each length, lengths in ascending order.
        display: digits, labels and groups by model, group_order, engines by model.
        out_dir: directory for the files.
        weighting: how the overall ARS was computed, for the caption.

    Raises:
        UserError: a file is missing or damaged.
    """
    results = Results(metrics, prompts, display, weighting)
    builders = (data_table, ars_table, ifs_table, ars_by_length_table, coverage_table)
    for name, builder in zip(NAMES, builders, strict=True):
        write_table(builder(results, name), Path(out_dir))
    write_text(Path(out_dir) / DOCUMENT, latex.document(NAMES))


class Results:
    """What the tables show, looked up by model, task (or overall) and length (or "")."""

    def __init__(
        self,
        metrics: Mapping[str, Path],
        prompts: Mapping[str, Path],
        display: Mapping[str, Any],
        weighting: Weighting = "rubric",
    ):
        self.prompts = prompts
        self.lengths = list(prompts)
        self.digits: int = display.get("digits", 3)
        self.weighting = weighting
        self._coverage = read_csv(metrics["coverage"]).set_index(["model", "task", "length"])
        self._counts = self._coverage[["expected", "scored", "truncated"]].to_dict("index")
        self.ars = _lookup(read_csv(metrics["ars"]), ["model", "task", "length"])
        ifs = read_csv(metrics["ifs"])
        ifs = ifs[(ifs["task"] == OVERALL) & (ifs["length"] == "")]
        self.ifs = _lookup(ifs, ["model", "perspective"])
        found = set(self._coverage.index.get_level_values("task"))
        self.tasks = [
            task
            for scenario in LAYOUT["score_order"]
            for task in TASKS
            if TASKS[task].scenario == scenario and task in found
        ]
        self.roster = Roster(set(self._coverage.index.get_level_values("model")), display)

    def counts(self, model: str, task: str, length: str) -> dict[str, int]:
        """Expected, scored and truncated samples."""
        absent = {"expected": 0, "scored": 0, "truncated": 0}
        return self._counts.get((model, task, length), absent)

    def marks(self, model: str, task: str, length: str) -> tuple[Mark, ...]:
        """The mark of a value that lacks some of its samples."""
        counts = self.counts(model, task, length)
        return ("incomplete",) if counts["scored"] < counts["expected"] else ()

    def label(self, model: str) -> Cell:
        """A model's name, with the dagger where any of its samples was truncated."""
        truncated = self.counts(model, OVERALL, "")["truncated"] > 0
        return Cell(self.roster.label(model), marks=("dagger",) if truncated else ())

    def groups(self, value: Mapping[str, float] | None = None) -> list[Group]:
        """The roster's groups, by falling overall ARS if not told otherwise."""
        overall = {m: v for m in self.roster.models if (v := self.ars.get((m, OVERALL, "")))}
        return self.roster.groups(overall if value is None else value)

    @cached_property
    def notes(self) -> tuple[tuple[Mark | None, str], ...]:
        """Explanations of the marks that occur."""
        texts, notes = LAYOUT["notes"], []
        totals = {model: self.counts(model, OVERALL, "") for model in self.roster.models}
        if any(counts["truncated"] for counts in totals.values()):
            notes.append(("dagger", texts["dagger"]))
        incomplete = [
            texts["incomplete_model"].format(
                model=self.roster.label(model),
                scored=f"{counts['scored']:,}",
                expected=f"{counts['expected']:,}",
            )
            for model, counts in totals.items()
            if counts["scored"] < counts["expected"]
        ]
        if incomplete:
            notes.append(("incomplete", texts["incomplete"].format(models="; ".join(incomplete))))
        if {self.roster.kind(model) for model in self.roster.contenders} == {"simulated"}:
            notes.append((None, texts["simulated"]))
        return tuple(notes)


def _lookup(rows: pd.DataFrame, keys: list[str]) -> dict[tuple[str, ...], float]:
    return dict(zip(zip(*(rows[key] for key in keys), strict=True), rows["value"], strict=True))


def data_table(results: Results, name: str) -> Table:
    """Counts of expressions, variables and samples per task, from the prompts (Table 2)."""
    seen: dict[str, tuple[set, set, list]] = {}
    for path in results.prompts.values():
        for prompt in read_jsonl(path):
            expressions, variables, samples = seen.setdefault(prompt["task"], (set(), set(), []))
            expressions.add(prompt["expression_id"])
            variables.add(prompt["variable_id"])
            samples.append(prompt["sample_id"])
    sections = []
    for scenario in LAYOUT["data_order"]:
        tasks = [task for task in TASKS if TASKS[task].scenario == scenario and task in seen]
        rows = tuple(
            (
                Cell(LAYOUT["scenarios"][scenario], repeated=i > 0),
                Cell(TASKS[task].name),
                Cell(task),
                *(Cell(f"{len(items):,}") for items in seen[task]),
            )
            for i, task in enumerate(tasks)
        )
        sections += [Section(rows)] if rows else []
    total = sum(len(samples) for _, _, samples in seen.values())
    sums = [Cell("All"), *[Cell("")] * 4, Cell(f"{total:,}")]
    sections.append(Section((tuple(sums),), apart=True))
    columns = (
        *(Column(heading, align="l") for heading in ("Scenario", "Task", "ID")),
        *(Column(heading, align="r") for heading in ("#Exp.", "#Var.", "#Data")),
    )
    caption = LAYOUT["captions"][name].format(lengths=", ".join(results.lengths))
    return Table(name, caption, columns, tuple(sections))


def ars_table(results: Results, name: str) -> Table:
    """ARS per task and overall (Table 3)."""
    cells = _ars_cells(results, "")
    sections = _sections(results.groups(), lambda m: (results.label(m), *cells[m]))
    caption = LAYOUT["captions"][name].format(weighting=LAYOUT["weighting"][results.weighting])
    return Table(name, caption, (MODEL, *_task_columns(results)), sections, results.notes)


def ars_by_length_table(results: Results, name: str) -> Table:
    """ARS per task and overall at each length (Table 7)."""
    cells = {length: _ars_cells(results, length) for length in results.lengths}
    sections = []
    apart = None
    for group in results.groups():
        for model in group.models:
            label = results.label(model)
            rows = tuple(
                (
                    Cell(label.text, marks=label.marks, repeated=i > 0),
                    Cell(length),
                    *cells[length][model],
                )
                for i, length in enumerate(results.lengths)
            )
            first = group.apart and group != apart
            heading = _heading(group) if first else ""
            sections.append(Section(rows, heading, apart=first))
            apart = group if group.apart else apart
    columns = (MODEL, Column("Length", align="r"), *_task_columns(results))
    caption = LAYOUT["captions"][name]
    return Table(name, caption, columns, tuple(sections), results.notes)


def _ars_cells(results: Results, length: str) -> dict[str, list[Cell]]:
    """The cells of each model: its tasks, then overall, best and second best picked out."""
    models = results.roster.models
    cells: dict[str, list[Cell]] = {model: [] for model in models}
    for task in [*results.tasks, OVERALL]:
        values = {
            model: rounded(results.ars[model, task, length], results.digits)
            for model in models
            if (model, task, length) in results.ars
        }
        styles = highlights(values, results.roster.contenders)
        for model in models:
            text = str(values[model]) if model in values else None
            marks = results.marks(model, task, length)
            cells[model].append(Cell(text, styles.get(model, ""), marks=marks))
    return cells


def _task_columns(results: Results) -> list[Column]:
    scenarios = LAYOUT["scenarios"]
    tasks = [Column(task, scenarios[TASKS[task].scenario]) for task in results.tasks]
    return [*tasks, Column("Overall")]


def ifs_table(results: Results, name: str) -> Table:
    """IFS in three perspectives, their average, and overall ARS, each with its rank (Table 4)."""
    models = results.roster.models
    measures = {
        heading: {m: results.ifs[m, key] for m in models if (m, key) in results.ifs}
        for key, heading in LAYOUT["perspectives"].items()
    }
    average = measures[LAYOUT["perspectives"][AVERAGE]]
    cells: dict[str, list[Cell]] = {model: [] for model in models}
    overall = {m: v for m in models if (v := results.ars.get((m, OVERALL, ""))) is not None}
    for values, smaller in [*((v, True) for v in measures.values()), (overall, False)]:
        exact = {model: float(f"{value:.12g}") for model, value in values.items()}
        places = ranks(exact, results.roster.contenders, smaller)
        for model in models:
            text = str(rounded(values[model], results.digits)) if model in values else None
            place = places.get(model)
            style = {1: "best", 2: "second"}.get(place, "")
            rank = f"({place})" if place else ""
            cells[model].append(Cell(text, style, rank, results.marks(model, OVERALL, "")))
    by_average = {model: -value for model, value in average.items()}
    sections = _sections(results.groups(by_average), lambda m: (results.label(m), *cells[m]))
    columns = (
        MODEL,
        *(Column(LAYOUT["perspectives"][key], "IFS") for key in [*PERSPECTIVES, AVERAGE]),
        Column("ARS"),
    )
    return Table(name, LAYOUT["captions"][name], columns, sections, results.notes)


def coverage_table(results: Results, name: str) -> Table:
    """Scored samples in per cent, by length and by task."""
    places = [
        *((OVERALL, length) for length in results.lengths),
        *((task, "") for task in results.tasks),
        (OVERALL, ""),
    ]
    sections = _sections(
        results.groups(),
        lambda m: (results.label(m), *(_share(results, m, *place) for place in places)),
    )
    columns = (
        MODEL,
        *(Column(length, "Length", "r") for length in results.lengths),
        *(Column(task, "Task", "r") for task in results.tasks),
        Column("All", align="r"),
    )
    return Table(name, LAYOUT["captions"][name], columns, sections, results.notes)


def _share(results: Results, model: str, task: str, length: str) -> Cell:
    counts = results.counts(model, task, length)
    if not counts["expected"]:
        return Cell(None)
    share = Decimal(100 * counts["scored"]) / counts["expected"]
    # Rounded down, so that only complete coverage prints as 100.
    text = "100" if share == 100 else str(share.quantize(Decimal("0.1"), ROUND_DOWN))
    return Cell(text, marks=results.marks(model, task, length))


def _sections(
    groups: Iterable[Group], row: Callable[[str], tuple[Cell, ...]]
) -> tuple[Section, ...]:
    return tuple(
        Section(tuple(map(row, group.models)), _heading(group), group.apart) for group in groups
    )


def _heading(group: Group) -> str:
    return LAYOUT["apart"][group.kind].format(group=group.heading) if group.apart else group.heading
