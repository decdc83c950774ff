"""What was asked, how it is scored, and how much has a score (Tables 2 and 6, and coverage)."""

from decimal import ROUND_DOWN, Decimal
from itertools import groupby

from steadfast.files import read_jsonl
from steadfast.lifbench.tables.layout import MODEL, sections_of
from steadfast.lifbench.tables.results import LAYOUT, Results
from steadfast.lifbench.tasks import RUBRICS, TASKS, total_weight
from steadfast.metrics.tidy import OVERALL
from steadfast.tables.table import Cell, Column, Section, Table


def data_table(results: Results, name: str) -> Table:
    """Counts of expressions, variables and samples per task (Table 2)."""
    seen: dict[str, tuple[set, set, list]] = {}
    for path in results.samples.values():
        for sample in read_jsonl(path):
            expressions, variables, found = seen.setdefault(sample["task"], (set(), set(), []))
            expressions.add(sample["expression_id"])
            variables.add(sample["variable_id"])
            found.append(sample["sample_id"])
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
    total = sum(len(found) for _, _, found in seen.values())
    sums = [Cell("All"), *[Cell("")] * 4, Cell(f"{total:,}")]
    sections.append(Section((tuple(sums),), apart=True))
    columns = (
        *(Column(heading, align="l") for heading in ("Scenario", "Task", "ID")),
        *(Column(heading, align="r") for heading in ("#Exp.", "#Var.", "#Data")),
    )
    return Table(name, results.caption(name), columns, tuple(sections))


def rubric_table(results: Results, name: str) -> Table:
    """Score points, their weights by each rubric, and the capabilities they tell of (Table 6)."""
    order = [t for s in LAYOUT["data_order"] for t in TASKS if TASKS[t].scenario == s]
    alike = groupby(order, key=lambda task: [points[task] for points in RUBRICS.values()])
    weights = [Column(LAYOUT["rubric_headings"][rubric], "Weight") for rubric in RUBRICS]
    columns = (
        *(Column(heading, align="l") for heading in ("Tasks", "Score point", "What is asked")),
        *weights,
        Column("Capabilities", align="l"),
    )
    sections = tuple(_points(list(tasks)) for _, tasks in alike)
    notes = tuple((None, text) for text in LAYOUT["rubric_notes"])
    return Table(name, results.caption(name), columns, sections, notes, rows_per_page=64)


def _points(tasks: list[str]) -> Section:
    """The score points of tasks that are scored alike, and their sum."""
    first, label = tasks[0], ", ".join(tasks)
    capabilities = LAYOUT["capabilities"]
    rows = [
        (
            Cell(label, repeated=i > 0),
            Cell(point),
            Cell(LAYOUT["points"][point]),
            *(Cell(f"{points[first][point].weight:g}") for points in RUBRICS.values()),
            Cell(", ".join(capabilities[c] for c in facts.capabilities)),
        )
        for i, (point, facts) in enumerate(RUBRICS["released"][first].items())
    ]
    totals = (Cell(f"{total_weight(first, rubric):g}") for rubric in RUBRICS)
    rows.append((Cell(label, repeated=True), Cell("total"), Cell(""), *totals, Cell("")))
    return Section(tuple(rows))


def coverage_table(results: Results, name: str) -> Table:
    """Scored samples in per cent, by length and by task."""
    places = [
        *((OVERALL, length) for length in results.lengths),
        *((task, "") for task in results.tasks),
        (OVERALL, ""),
    ]
    sections = sections_of(
        results.groups(),
        lambda m: (results.label(m), *(_share(results, m, *place) for place in places)),
    )
    columns = (
        MODEL,
        *(Column(length, "Length", "r") for length in results.lengths),
        *(Column(task, "Task", "r") for task in results.tasks),
        Column("All", align="r"),
    )
    return Table(name, results.caption(name), columns, sections, results.notes)


def _share(results: Results, model: str, task: str, length: str) -> Cell:
    counts = results.counts(model, task, length)
    if not counts["expected"]:
        return Cell(None)
    share = Decimal(100 * counts["scored"]) / counts["expected"]
    # Rounded down, so that only complete coverage prints as 100.
    text = "100" if share == 100 else str(share.quantize(Decimal("0.1"), ROUND_DOWN))
    return Cell(text, marks=results.marks(model, task, length))
