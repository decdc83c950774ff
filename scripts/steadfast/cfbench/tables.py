"""CFBench's tables: Tables 1, 2 and 7, 6, and what the paper shows in Figures 4 and 5."""

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_DOWN, Decimal
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.cfbench.facts import FULL, SETS, read_yaml, types
from steadfast.cfbench.frames import MEASURES, PRIMARY_KIND, SECONDARY_KIND
from steadfast.cfbench.results import Results
from steadfast.tables.agreement import agreement_table
from steadfast.tables.render import write_table
from steadfast.tables.table import Cell, Column, Section, Table, highlights, rounded

MODEL = Column("Model", align="l")
TITLE, ITEM = "CFBench", "checkpoint"


def build_tables(
    metrics: Mapping[str, Path],
    display: Mapping[str, Any],
    mode: str,
    names: Sequence[str],
    out_dir: Path,
) -> None:
    """Writes tables as .tex, .md and .csv.

    Args:
        metrics: the files of ``cfbench.metrics`` by name.
        display: as ``Results`` takes it.
        mode: strict or released.
        names: those that are wanted, of ``BUILDERS``.
        out_dir: directory for the files.

    Raises:
        UserError: a metrics file is missing or damaged.
    """
    results = Results(metrics, display, mode)
    for name in names:
        write_table(BUILDERS[name](results, name), out_dir)


def statistics_table(results: Results, name: str) -> Table:
    """What is in the data (Table 1)."""
    words = results.words
    rows = results.read("statistics")
    values = {(row.split, row.measure): row.value for row in rows.itertuples()}
    facts = words["statistics"]
    labels = [*types(), *([""] if values[FULL, ""] else [])]
    body = tuple(
        (
            Cell(words["sets"][split]),
            *(Cell(_number(values[split, key], how["digits"])) for key, how in facts.items()),
            *(Cell(_number(values[split, label], 0)) for label in labels),
        )
        for split in SETS
    )
    columns = (
        Column("Set", align="l"),
        *(Column(how["heading"], how["group"], "r") for how in facts.values()),
        *(
            Column(
                types()[label].number if label else words["blank"], words["statistics_types"], "r"
            )
            for label in labels
        ),
    )
    legend = ", ".join(f"{kind.number} {kind.name.lower()}" for kind in types().values())
    return Table(name, results.caption(name), columns, (Section(body),), ((None, f"{legend}."),))


def _number(value: float, digits: int) -> str | None:
    return None if math.isnan(value) else f"{rounded(value, digits):,}"


def results_table(results: Results, name: str) -> Table:
    """CSR, ISR and PSR on the easy, the hard and all records (Tables 2 and 7)."""
    digits = results.words["released_digits"] if results.mode == "released" else results.digits
    cells: dict[str, tuple[Cell, ...]] = dict.fromkeys(results.roster.models, ())
    columns = [MODEL]
    for split in SETS:
        for measure in MEASURES:
            columns.append(Column(measure, results.words["sets"][split]))
            values = results.results.get((split, measure), {})
            shown = {model: rounded(value, digits) for model, value in values.items()}
            styles = highlights(shown, results.roster.contenders)
            for model in cells:
                text = str(shown[model]) if model in shown else None
                marks = results.marks(model, split)
                cells[model] += (Cell(text, styles.get(model, ""), marks=marks),)
    published, told = results.published()
    sections = (*_by_model(results, lambda model: cells[model]), *published)
    notes = results.notes(results.roster.models)
    if results.mode == "released":
        notes.append((None, results.words["notes"]["rounded"]))
    return Table(name, results.caption(name), tuple(columns), sections, (*notes, *told))


def _by_model(results: Results, row: Callable[[str], tuple[Cell, ...]]) -> tuple[Section, ...]:
    return tuple(
        Section(
            tuple((Cell(results.roster.label(model)), *row(model)) for model in group.models),
            results.heading(group),
            group.apart,
        )
        for group in results.groups()
    )


def types_table(results: Results, name: str) -> Table:
    """Satisfied share of the checkpoints by primary and secondary type (Figure 4)."""
    words, models = results.words, results.few_models()
    rows = _by_category(results.read("types"))
    sections = []
    for label, primary in types().items():
        inner = [
            _row(results, text, rows.get((SECONDARY_KIND, secondary)), models)
            for secondary, text in (primary.secondary | primary.others).items()
            if (SECONDARY_KIND, secondary) in rows
        ]
        outer = _row(results, words["type_all"], rows.get((PRIMARY_KIND, label)), models)
        if (PRIMARY_KIND, label) in rows:
            shown = (outer, *inner) if len(inner) > 1 else (outer,)
            sections.append(Section(shown, f"{primary.number} {primary.name}"))
    if (PRIMARY_KIND, "") in rows:
        blank = _row(results, words["type_all"], rows[PRIMARY_KIND, ""], models)
        sections.append(Section((blank,), words["blank_types"]))
    notes = (*results.notes(models), *results.omitted(models, "types"))
    columns = _model_columns(results, "Type", "Checkpoints", models)
    return Table(name, results.caption(name), columns, tuple(sections), notes, rows_per_page=60)


def domains_table(results: Results, name: str) -> Table:
    """PSR by domain, by NLP task and by source (Figure 5)."""
    words, models = results.words, results.few_models()
    table = results.read("domains")
    rows = _by_category(table[table["measure"] == "PSR"])
    names = read_yaml("domains.yaml")
    shown = names["domains"] | names["sources"] | names["tasks"]
    sections = []
    for kind, heading in words["sections"].items():
        lines = tuple(
            _row(results, shown.get(category, category), row, models)
            for (of_kind, category), row in rows.items()
            if of_kind == kind
        )
        sections += [Section(lines, heading)] if lines else []
    notes = [*results.notes(models), *results.omitted(models, "domains")]
    if any(kind == "task" for kind, _ in rows):
        notes.append((None, words["notes"]["classes"]))
    columns = _model_columns(results, "Records of", "Records", models)
    return Table(name, results.caption(name), columns, tuple(sections), tuple(notes))


Row = dict[str, tuple[float, int]]
"""Value and n by model."""


def _by_category(rows: pd.DataFrame) -> dict[tuple[str, str], Row]:
    found: dict[tuple[str, str], Row] = {}
    for row in rows.itertuples():
        found.setdefault((row.kind, row.category), {})[row.model] = (row.value, int(row.n))
    return found


def _row(results: Results, text: str, row: Row | None, models: Sequence[str]) -> tuple[Cell, ...]:
    """A line of a table with a column a model: its name, the largest n, and the values."""
    row = row or {}
    shown = {model: rounded(row[model][0], results.digits) for model in models if model in row}
    styles = highlights(shown, results.roster.contenders)
    return (
        Cell(text),
        Cell(f"{max((n for _, n in row.values()), default=0):,}"),
        *(
            Cell(
                str(shown[model]) if model in shown else None,
                styles.get(model, ""),
                marks=results.marks(model),
            )
            for model in models
        ),
    )


def _model_columns(
    results: Results, first: str, count: str, models: Sequence[str]
) -> tuple[Column, ...]:
    labels = (Column(results.roster.label(model)) for model in models)
    return (Column(first, align="l"), Column(count, align="r"), *labels)


def humans_table(results: Results, name: str) -> Table:
    """Agreement of each judge's PSR with people's (Table 6)."""
    words = results.words
    found = {(row.judge, row.split): row for row in results.read("humans").itertuples()}
    judges = dict.fromkeys(judge for judge, _ in found)
    columns = [Column("Judge", align="l")]
    for split in SETS:
        group = words["sets"][split]
        columns += [Column("Answers", group, "r"), Column("Kappa", group)]
        columns.append(Column(words["interval"], group))
    rows = tuple(
        (Cell(judge), *(c for s in SETS for c in _kappa(found[judge, s], results.digits)))
        for judge in judges
    )
    notes = ((None, words["notes"]["people"]),)
    return Table(name, results.caption(name), tuple(columns), (Section(rows),), notes)


def _kappa(row: Any, digits: int) -> tuple[Cell, ...]:
    def shown(value: float) -> str:
        return str(rounded(value, digits))

    told = not math.isnan(row.kappa_low)
    return (
        Cell(f"{int(row.n):,}"),
        Cell(None if math.isnan(row.kappa) else shown(row.kappa)),
        Cell(f"{shown(row.kappa_low)} to {shown(row.kappa_high)}" if told else None),
    )


def raters_table(results: Results, name: str) -> Table:
    """Agreement of judges and people on single checkpoints."""
    return agreement_table(name, results.read("agreement"), results.display, TITLE, ITEM)


def coverage_table(results: Results, name: str) -> Table:
    """Scored records in per cent, and why others have no score."""
    words = results.words
    reasons = {
        column: heading
        for column, heading in words["coverage"].items()
        if results.mode == "released" or column.startswith("status_")
    }

    def row(model: str) -> tuple[Cell, ...]:
        shares = (_share(results, model, split) for split in SETS)
        counts = results.coverage.loc[(model, FULL)]
        return (*shares, *(Cell(f"{counts[column]:,}") for column in reasons))

    columns = (
        MODEL,
        *(Column(words["sets"][split], "Scored (%)", "r") for split in SETS),
        *(Column(heading, "Records", "r") for heading in reasons.values()),
    )
    notes = [*results.notes(results.roster.models), (None, words["notes"]["statuses"])]
    if results.mode == "released":
        notes.append((None, words["notes"]["released"]))
    return Table(name, results.caption(name), columns, _by_model(results, row), tuple(notes))


def _share(results: Results, model: str, split: str) -> Cell:
    counts = results.coverage.loc[(model, split)]
    if not counts["expected"]:
        return Cell(None)
    share = Decimal(100 * int(counts["scored"])) / int(counts["expected"])
    # Rounded down, so that only complete coverage prints as 100.
    text = "100" if share == 100 else str(share.quantize(Decimal("0.1"), ROUND_DOWN))
    return Cell(text, marks=results.marks(model, split))


BUILDERS: dict[str, Callable[[Results, str], Table]] = {
    "cfbench_table1_statistics": statistics_table,
    "cfbench_table2_results": results_table,
    "cfbench_types": types_table,
    "cfbench_domains": domains_table,
    "cfbench_table6_humans": humans_table,
    "cfbench_agreement": raters_table,
    "cfbench_coverage": coverage_table,
}
