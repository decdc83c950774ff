"""ComplexBench's tables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

import pandas as pd

from steadfast.benchmarks.complexbench import aggregation
from steadfast.benchmarks.complexbench.facts import dimensions, taxonomy
from steadfast.benchmarks.complexbench.results import (
    LANGUAGE,
    LAYOUT,
    ComplexbenchResults,
    ShownMeasure,
    heading,
)
from steadfast.contract.components import Frames
from steadfast.show.cells import MODEL, count_cell, share_cell
from steadfast.show.judges import agreement_table, corrected_table
from steadfast.show.results import ANSWER_COLUMNS, ANSWER_NOTE, Note, spanned
from steadfast.show.roster import Display
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stats.tidy import rows_of

Columns = dict[str, Column]
GIVEN = Column("Instruction", align="l")
JUDGE = Column("Judge", align="l")


def tables(
    frames: Frames, display: Display, mode: str, languages: Sequence[str], names: Sequence[str]
) -> Iterator[Table]:
    """Returns the tables that are wanted."""
    results = ComplexbenchResults(frames, display, mode, languages)
    return (BUILDERS[name](results, name) for name in names)


def _drfr(results: ComplexbenchResults, name: str) -> Table:
    """Returns DRFR by category: each depth of nesting, the average over depths, and overall."""
    drfr = results.frames["drfr"]
    measures = []
    categories = list(dict.fromkeys(rows_of(drfr, measure="category")["category"]))
    averages = set(rows_of(drfr, measure="family")["category"])
    for family, facts in taxonomy()["categories"].items():
        # The layers of nesting that are published, and those that occur.
        depths = {str(depth) for depth in facts["depths"]}
        parted = (category.rpartition("_") for category in categories)
        depths |= {depth for name, _, depth in parted if name == family}
        group = heading(family)
        for depth in sorted(depths, key=int):
            measures.append(_share("category", f"{family}_{depth}", Column(depth, group)))
        if not depths:
            measures.append(_share("category", family, Column(group)))
        # Mode released counts Selection & Chain under Selection.
        elif family in averages or results.mode == "strict":
            measures.append(_share("family", family, Column(LAYOUT["average"], group)))
    overall = _share("overall", "", Column(LAYOUT["overall"]))
    return results.by_model(name, [*measures, overall], "drfr", ranked=overall)


def _share(measure: str, category: str, column: Column) -> ShownMeasure:
    return ShownMeasure(column, {"measure": measure, "category": category}, tested=True)


def _tasks(results: ComplexbenchResults, name: str) -> Table:
    """Returns DRFR by task type: the known ones, then others that occur."""
    occur = rows_of(results.frames["drfr"], measure="task")["category"]
    keys = dict.fromkeys([*taxonomy()["task_types"], *occur])
    measures = [_share("task", key, Column(heading(key))) for key in keys]
    return results.by_model(name, measures, "drfr")


def _nesting(results: ComplexbenchResults, name: str) -> Table:
    """Returns DRFR by the set of composition types."""
    joint = LAYOUT["nesting_joint"]
    keys = dict.fromkeys(rows_of(results.frames["drfr"], measure="nesting")["category"])
    measures = [_share("nesting", key, Column(joint.join(key.split("_")))) for key in keys]
    return results.by_model(name, measures, "drfr")


def _constraints(results: ComplexbenchResults, name: str) -> Table:
    """Returns accuracy by constraint type and by composition type."""
    types = [aggregation.constraint_type(dimension, results.mode) for dimension in dimensions()]
    compositions = taxonomy()["composition_types"]
    optional = {aggregation.OTHERS: Column(LAYOUT["others"])}
    optional |= {kind: Column(heading(kind), LAYOUT["composition"]) for kind in compositions}
    always = {kind: Column(heading(kind)) for kind in dict.fromkeys(types)}
    return _accuracies(results, name, "constraint_type", always, optional)


def _dimensions(results: ComplexbenchResults, name: str) -> Table:
    """Returns accuracy by constraint dimension, under its type; those that are no known one last.

    A table holds some of the types; the last one also what is no known dimension.
    """
    types = LAYOUT["dimensions"][name]
    optional = {}
    always = {}
    for dimension, kind in dimensions().items():
        if kind in types:
            always[dimension] = Column(dimension, heading(kind))
    if name == list(LAYOUT["dimensions"])[-1]:
        known_dimensions = {*dimensions(), *taxonomy()["composition_types"]}
        occurring = rows_of(results.frames["constraints"], measure="dimension")["dimension"]
        for key in occurring:
            if key not in known_dimensions:
                optional[key] = Column(key, LAYOUT["others"])
    return _accuracies(results, name, "dimension", always, optional)


def _accuracies(
    results: ComplexbenchResults, name: str, measure: str, always: Columns, optional: Columns
) -> Table:
    """Returns a column a key: of the optional ones those that have a value."""
    occur = set(rows_of(results.frames["constraints"], measure=measure)["dimension"])
    columns = always | {key: column for key, column in optional.items() if key in occur}
    measures = []
    for key, column in columns.items():
        keys = {"measure": measure, "dimension": key}
        measures.append(ShownMeasure(column, keys, tested=True))
    return results.by_model(name, measures, "constraints")


def _coherent(results: ComplexbenchResults, name: str) -> Table:
    """Coherent test: instances, groups and the drop, with one selection and with several."""
    words = LAYOUT["coherent"]
    measures = []
    for kind in aggregation.CLASSES:
        for measure in (*aggregation.COHERENT_MEASURES, aggregation.DROP):
            column = Column(words["measures"][measure], words["classes"][kind])
            measures.append(ShownMeasure(column, {"kind": kind, "measure": measure}))
    groups = rows_of(results.frames["coherent"], measure=aggregation.COHERENT_MEASURES[1])
    counts = {kind: spanned(rows_of(groups, kind=kind)["expected"]) for kind in aggregation.CLASSES}
    note = words["groups"].format(**counts)
    return results.by_model(name, measures, "coherent", [note])


def _decomposition(results: ComplexbenchResults, name: str) -> Table:
    """DRFR asked as a whole and turn by turn, and the difference; a note where none were."""
    rows = results.frames["decomposition"]
    families = [key for key, facts in taxonomy()["categories"].items() if facts["needs"]]
    groups = {key: heading(key) for key in families if key in set(rows["category"])}
    groups |= {"": LAYOUT["overall"]}
    measures = []
    for key, group in groups.items():
        for measure, text in LAYOUT["decomposition"]["measures"].items():
            keys = {"category": key, "measure": measure}
            measures.append(ShownMeasure(Column(text, group), keys))
    occurring = set(rows["language"])
    asked_languages = [language for language in results.languages if language in occurring]
    notes = [] if asked_languages else [LAYOUT["notes"]["no_turns"]]
    return results.by_model(name, measures, "decomposition", notes, asked_languages)


def _judging(results: ComplexbenchResults, name: str) -> Table:
    """Questions by what decided them, replies that could not be read, rules that left it open."""
    rows = results.frames["judging"]
    words = LAYOUT["judging"]
    kinds = [kind for kind in words["kinds"] if kind in set(rows["kind"])]
    counted = []
    columns = [MODEL, LANGUAGE, GIVEN, JUDGE]
    for kind, column in product(kinds, words["columns"]):
        if column != "open" or kind == "rule":  # only rules leave a question open
            counted.append((kind, column))
            columns.append(Column(words["columns"][column], words["kinds"][kind], "r"))

    def cells(counts: pd.DataFrame) -> list[Cell]:
        by_kind = counts.set_index("kind")
        numbers = []
        for kind, column in counted:
            occurs = kind in by_kind.index
            numbers.append(count_cell(by_kind.at[kind, column]) if occurs else Cell(None))
        return numbers

    notes: list[Note] = []
    for language in results.languages:
        if language != "zh":
            notes.append(("data", LAYOUT["notes"]["language"].format(language=language)))
    sections = _sections(results, rows, cells, ["judge"])
    return results.table(name, columns, sections, notes)


def _coverage(results: ComplexbenchResults, name: str) -> Table:
    """Returns questions that have a verdict, and samples by status."""
    words = LAYOUT["coverage"]

    def cells(counts: pd.DataFrame) -> list[Cell]:
        (row,) = counts.to_dict("records")
        return [
            count_cell(row["expected"]),
            count_cell(row["scored"]),
            share_cell(row["scored"], row["expected"], marked=False),
            *(count_cell(row[column]) for column in words["samples"]),
            *results.answer_cells(row["model"], row),
        ]

    columns = (
        *(MODEL, LANGUAGE, GIVEN),
        *(Column(text, "Questions", "r") for text in words["questions"].values()),
        *(Column(text, "Samples", "r") for text in words["samples"].values()),
        *ANSWER_COLUMNS,
    )
    sections = _sections(results, results.frames["coverage"], cells, [])
    return results.table(name, columns, sections, [ANSWER_NOTE])


def _sections(
    results: ComplexbenchResults,
    rows: pd.DataFrame,
    cells: Callable[[pd.DataFrame], Sequence[Cell]],
    further: list[str],
) -> tuple[Section, ...]:
    """Returns a row a model, language, split and what else is told apart."""
    splits = LAYOUT["coverage"]["splits"]

    def rows_of_model(model: str) -> Iterator[tuple[Cell, ...]]:
        groups = rows_of(rows, model=model).groupby(["language", "split", *further], sort=False)
        for (language, split, *further_keys), group_rows in groups:
            yield Cell(language), Cell(splits[split]), *map(Cell, further_keys), *cells(group_rows)

    return results.rows_by_group(rows_of_model)


def _agreement(results: ComplexbenchResults, name: str) -> Table:
    rows = results.frames["agreement"]
    item = "scoring question"
    return agreement_table(results.prefix + name, rows, results.display, "ComplexBench", item)


BUILDERS: Mapping[str, Callable[[ComplexbenchResults, str], Table]] = {
    "drfr": _drfr,
    "constraints": _constraints,
    "dimensions_form": _dimensions,
    "dimensions_meaning": _dimensions,
    "tasks": _tasks,
    "nesting": _nesting,
    "coherent": _coherent,
    "decomposition": _decomposition,
    "judging": _judging,
    "coverage": _coverage,
    "agreement": _agreement,
    "corrected": partial(corrected_table, benchmark="ComplexBench", unit="groups"),
}
