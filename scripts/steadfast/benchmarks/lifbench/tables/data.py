"""The data, the rubric and the coverage (Tables 2 and 6, and how much has a score)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from steadfast.benchmarks.lifbench.scored_tasks import (
    RUBRICS,
    SCORED_TASKS,
    ScoredTask,
    score_points,
)
from steadfast.benchmarks.lifbench.tables.results import STRINGS, LifbenchResults, by_scenario
from steadfast.show.cells import MODEL, count_cell, share_cell
from steadfast.show.results import ANSWER_COLUMNS, ANSWER_NOTE
from steadfast.show.table import Cell, Column, Section, Table

COUNTED = ("expressions", "variables", "samples")


def data_table(results: LifbenchResults, name: str) -> Table:
    """Returns counts of expressions, variables and samples per task (Table 2)."""
    counts = results.frames["data"].set_index("task")
    tasks = [task for task in by_scenario(STRINGS["data_order"]) if task in counts.index]
    sections = []
    for scenario, group in groupby(tasks, key=lambda task: SCORED_TASKS[task].scenario):
        rows = (
            (
                Cell(STRINGS["scenarios"][scenario], repeated=i > 0),
                Cell(SCORED_TASKS[task].name),
                Cell(task),
                *(count_cell(counts.at[task, column]) for column in COUNTED),
            )
            for i, task in enumerate(group)
        )
        sections.append(Section(tuple(rows)))
    sums = (Cell("All"), *[Cell("")] * 4, count_cell(counts["samples"].sum()))
    columns = (
        *(Column(heading, align="l") for heading in ("Scenario", "Task", "ID")),
        *(Column(heading, align="r") for heading in ("#Exp.", "#Var.", "#Data")),
    )
    return results.table(name, columns, [*sections, Section((sums,), unranked=True)], ())


def rubric_table(results: LifbenchResults, name: str) -> Table:
    """Returns score points, their weights by rubric, and what they tell of (Table 6)."""
    order = by_scenario(STRINGS["data_order"])
    tasks = SCORED_TASKS
    alike = groupby(order, key=lambda task: tasks[task].points)
    weights = [Column(STRINGS["rubric_headings"][rubric], "Weight") for rubric in RUBRICS]
    columns = (
        *(Column(heading, align="l") for heading in ("Tasks", "Score point", "Requirement")),
        *weights,
        Column("Capabilities", align="l"),
    )
    sections = [_points([tasks[name] for name in names]) for _, names in alike]
    notes = [(None, text) for text in STRINGS["rubric_notes"]]
    return replace(results.table(name, columns, sections, notes), rows_per_page=64)


def _points(tasks: Sequence[ScoredTask]) -> Section:
    task, label = tasks[0], ", ".join(task.id for task in tasks)
    rubrics = [score_points(task, rubric) for rubric in RUBRICS]
    capabilities = STRINGS["capabilities"]
    rows = [
        (
            Cell(label, repeated=i > 0),
            Cell(point),
            Cell(facts.get("asks") or STRINGS["points"][point]),
            *(Cell(f"{points[point].weight:g}") for points in rubrics),
            Cell(", ".join(capabilities[c] for c in facts["capabilities"])),
        )
        for i, (point, facts) in enumerate(task.points.items())
    ]
    totals = (Cell(f"{sum(p.weight for p in points.values()):g}") for points in rubrics)
    rows.append((Cell(label, repeated=True), Cell("total"), Cell(""), *totals, Cell("")))
    return Section(tuple(rows))


def coverage_table(results: LifbenchResults, name: str) -> Table:
    """Returns scored samples in per cent, by length and by task, and why others have no score."""
    reasons = STRINGS["coverage"]

    def cells(model: str) -> list[Cell]:
        counts = [
            *(results.counts(model, length=length) for length in results.lengths),
            *(results.counts(model, task) for task in results.tasks),
            results.counts(model),
        ]
        shares = (share_cell(count["scored"], count["expected"]) for count in counts)
        why = (count_cell(counts[-1][reason]) for reason in reasons)
        return [*shares, *why, *results.answer_cells(model, counts[-1])]

    columns = (
        MODEL,
        *(Column(length, "Length", "r") for length in results.lengths),
        *(Column(task, "Task", "r") for task in results.tasks),
        Column("All", align="r"),
        *(Column(heading, "Samples", "r") for heading in reasons.values()),
        *ANSWER_COLUMNS,
    )
    notes = (*results.notes, ANSWER_NOTE)
    return results.table(name, columns, results.sections(results.groups(), cells), notes)
