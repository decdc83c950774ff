"""The data, the rubric and the coverage (Tables 2 and 6, and how much has a score)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS, SCORED_TASKS, ScoredTask
from steadfast.benchmarks.lifbench.tables import results as tables
from steadfast.benchmarks.lifbench.tables.results import STRINGS, LifbenchResults, columns_of
from steadfast.show.cells import MODEL, count_cell, share_cell
from steadfast.show.results import ANSWER_COLUMNS, ANSWER_NOTE
from steadfast.show.table import Cell, Column, Section, Table

COUNTED = ("expressions", "variables", "samples")


def data_table(results: LifbenchResults, name: str) -> Table:
    """Returns counts of expressions, variables and samples per task (Table 2)."""
    counts = results.frames["data"].set_index("task")
    tasks = [t for t in tables.by_scenario(STRINGS["data_order"]) if t in counts.index]
    sections = []
    for scenario, group in groupby(tasks, key=lambda task: SCORED_TASKS[task].scenario):
        rows: list[tuple[Cell, ...]] = []
        for task in group:
            heading = Cell(STRINGS["scenarios"][scenario], repeated=bool(rows))
            numbers = map(count_cell, counts.loc[task, list(COUNTED)])
            rows.append((heading, Cell(SCORED_TASKS[task].name), Cell(task), *numbers))
        sections.append(Section(tuple(rows)))
    sums = (Cell("All"), *[Cell("")] * 4, count_cell(counts["samples"].sum()))
    sections.append(Section((sums,), unranked=True))
    headings = columns_of(["Scenario", "Task", "ID"], align="l")
    headings += columns_of(["#Exp.", "#Var.", "#Data"], align="r")
    return results.table(name, headings, sections, ())


def rubric_table(results: LifbenchResults, name: str) -> Table:
    """Returns score points, their weights by rubric, and their capabilities (Table 6)."""
    tasks = [SCORED_TASKS[task] for task in tables.by_scenario(STRINGS["data_order"])]
    headings = columns_of(["Tasks", "Score point", "Requirement"], align="l")
    headings += columns_of([STRINGS["rubric_headings"][rubric] for rubric in RUBRICS], "Weight")
    headings += columns_of(["Capabilities"], align="l")
    sections = []
    for _, alike in groupby(tasks, key=attrgetter("points")):
        sections.append(_points(list(alike)))
    notes = [(None, text) for text in STRINGS["rubric_notes"]]
    return replace(results.table(name, headings, sections, notes), rows_per_page=64)


def _points(tasks: Sequence[ScoredTask]) -> Section:
    """Returns the score points of tasks that have the same ones."""
    label = ", ".join(task.id for task in tasks)
    totals = dict.fromkeys(RUBRICS, 0.0)
    rows: list[tuple[Cell, ...]] = []
    for point, facts in tasks[0].points.items():
        weights = []
        for rubric, points_of_tasks in RUBRICS.items():
            weight = points_of_tasks[tasks[0].id][point].weight
            totals[rubric] += weight
            weights.append(Cell(f"{weight:g}"))
        requirement = Cell(facts.get("asks") or STRINGS["points"][point])
        capabilities = ", ".join(STRINGS["capabilities"][name] for name in facts["capabilities"])
        heading = Cell(label, repeated=bool(rows))
        rows.append((heading, Cell(point), requirement, *weights, Cell(capabilities)))
    sums = [Cell(f"{total:g}") for total in totals.values()]
    rows.append((Cell(label, repeated=True), Cell("total"), Cell(""), *sums, Cell("")))
    return Section(tuple(rows))


def coverage_table(results: LifbenchResults, name: str) -> Table:
    """Returns scored samples in per cent, by length and by task, and why others have no score."""
    reasons = STRINGS["coverage"]

    def cells(model: str) -> list[Cell]:
        counts = [results.counts(model, length=length) for length in results.lengths]
        counts += [results.counts(model, task) for task in results.tasks]
        overall = results.counts(model)
        shares = [share_cell(n["scored"], n["expected"]) for n in (*counts, overall)]
        unscored = [count_cell(overall[reason]) for reason in reasons]
        return [*shares, *unscored, *results.answer_cells(model, overall)]

    headings = [MODEL, *columns_of(results.lengths, "Length", "r")]
    headings += [*columns_of(results.tasks, "Task", "r"), Column("All", align="r")]
    headings += [*columns_of(reasons.values(), "Samples", "r"), *ANSWER_COLUMNS]
    notes = (*results.notes, ANSWER_NOTE)
    return results.table(name, headings, results.sections(results.groups(), cells), notes)
