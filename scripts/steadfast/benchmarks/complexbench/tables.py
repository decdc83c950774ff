"""ComplexBench's tables."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import product

import pandas as pd

from steadfast.base.resources import facts
from steadfast.benchmarks.complexbench import aggregation
from steadfast.benchmarks.complexbench.facts import WHOLE, dimensions, taxonomy
from steadfast.contract.components import Frames
from steadfast.contract.records import OVERALL
from steadfast.show.by_model import ModelTables, ValueColumn
from steadfast.show.cells import MODEL, CellsByModel, count_cell, share_cell
from steadfast.show.judges import agreement_table, corrected_table
from steadfast.show.results import ANSWER_COLUMNS, ANSWER_NOTE, Note, range_text, values_by_model
from steadfast.show.roster import Display
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stats.tidy import rows_of

LAYOUT = facts("complexbench/tables.yaml")
LANGUAGE = Column("Language", align="l")
Columns = dict[str, Column]
GIVEN = Column("Instruction", align="l")
JUDGE = Column("Judge", align="l")


class ComplexbenchResults(ModelTables):
    """ComplexBench's metrics of the models, and how they are shown."""

    prefix = "complexbench_"

    def __init__(self, frames: Frames, display: Display, mode: str, languages: Sequence[str]):
        super().__init__(frames, display, LAYOUT, {"mode": LAYOUT["modes"][mode]})
        self.mode = mode
        self.parts = {language: {"language": language} for language in languages}

    @cached_property
    def ranking(self) -> Mapping[str, float]:
        """Overall DRFR in the first language."""
        return values_by_model(
            self.rows("drfr", measure=OVERALL, **next(iter(self.parts.values())))
        )

    @cached_property
    def counts(self) -> pd.DataFrame:
        """Expected and scored questions of whole instructions in all languages, a row a model."""
        rows = self.rows("coverage", split=WHOLE).groupby("model")[["scored", "expected"]]
        return rows.sum().astype(int).reset_index()

    @property
    def first_columns(self) -> tuple[Column, ...]:
        return (MODEL, LANGUAGE) if len(self.parts) > 1 else (MODEL,)

    def part_sections(self, cells: Mapping[str, CellsByModel]) -> list[Section]:
        """Returns a section a group, and in it a row a model and language."""

        def rows(model: str) -> Iterator[tuple[Cell, ...]]:
            for language, by_model in cells.items():
                yield (*([Cell(language)] if len(self.parts) > 1 else []), *by_model[model])

        return self.rows_by_group(rows)

    def rows_by_group(self, rows: Callable[[str], Iterable[Sequence[Cell]]]) -> list[Section]:
        """Returns a section a group, and in it each model's rows behind its name."""
        sections = []
        for group in self.groups:
            labelled = []
            for model in group.models:
                for number, cells in enumerate(rows(model)):
                    labelled.append((self.label(model, repeated=number > 0), *cells))
            sections.append(group.section(labelled))
        return sections

    def share(self, column: Column, measure: str, key: str) -> ValueColumn:
        """Returns a column of DRFR, or of accuracy by constraint, in which models are compared."""
        is_accuracy = measure in aggregation.CONSTRAINT_MEASURES
        frame, name = ("constraints", "dimension") if is_accuracy else ("drfr", "category")
        rows = self.rows(frame, **{"measure": measure, name: key})
        return ValueColumn(column, rows, self.rows("comparisons", measure=measure, category=key))


def heading(key: str) -> str:
    """Returns how a key of the metrics is shown."""
    headings: Mapping[str, str] = LAYOUT["headings"]
    return headings.get(key, key)


def tables(
    frames: Frames, display: Display, mode: str, languages: Sequence[str], names: Sequence[str]
) -> Iterator[Table]:
    """Returns the tables that are wanted."""
    results = ComplexbenchResults(frames, display, mode, languages)
    return (BUILDERS[name](results, name) for name in names)


def _drfr(results: ComplexbenchResults, name: str) -> Table:
    """Returns DRFR by category: each depth of nesting, the average over depths, and overall."""
    drfr = results.frames["drfr"]
    columns = []
    categories = list(dict.fromkeys(rows_of(drfr, measure="category")["category"]))
    averages = set(rows_of(drfr, measure="family")["category"])
    for family, category in taxonomy()["categories"].items():
        # The layers of nesting that are published, and those that occur.
        depths = {str(depth) for depth in category["depths"]}
        for category_name in categories:
            name_of_family, _, depth = category_name.rpartition("_")
            if name_of_family == family:
                depths.add(depth)
        group = heading(family)
        for depth in sorted(depths, key=int):
            columns.append(results.share(Column(depth, group), "category", f"{family}_{depth}"))
        if not depths:
            columns.append(results.share(Column(group), "category", family))
        # Mode released counts Selection & Chain under Selection.
        elif family in averages or results.mode == "strict":
            columns.append(results.share(Column(LAYOUT["average"], group), "family", family))
    overall = results.share(Column(LAYOUT["overall"]), OVERALL, "")._replace(interval=True)
    return results.by_model(name, [*columns, overall], ranked=overall)


def _tasks(results: ComplexbenchResults, name: str) -> Table:
    """Returns DRFR by task type: the known ones, then others that occur."""
    occur = results.rows("drfr", measure="task")["category"]
    keys = dict.fromkeys([*taxonomy()["task_types"], *occur])
    columns = [results.share(Column(heading(key)), "task", key) for key in keys]
    return results.by_model(name, columns)


def _nesting(results: ComplexbenchResults, name: str) -> Table:
    """Returns DRFR by the set of composition types."""
    joint = LAYOUT["nesting_joint"]
    keys = dict.fromkeys(results.rows("drfr", measure="nesting")["category"])
    columns = [results.share(Column(joint.join(key.split("_"))), "nesting", key) for key in keys]
    return results.by_model(name, columns)


def _constraints(results: ComplexbenchResults, name: str) -> Table:
    """Returns accuracy by constraint type and by composition type."""
    types = [aggregation.constraint_type(dimension, results.mode) for dimension in dimensions()]
    compositions = taxonomy()["composition_types"]
    optional = {aggregation.OTHERS: Column(LAYOUT["others"])}
    optional |= {kind: Column(heading(kind), LAYOUT["composition"]) for kind in compositions}
    always = {kind: Column(heading(kind)) for kind in dict.fromkeys(types)}
    return _accuracies(results, name, "constraint_type", always, optional)


def _dimensions(results: ComplexbenchResults, name: str) -> Table:
    """Returns accuracy by constraint dimension, under its type.

    A table holds some of the types; the last one also dimensions that are not in the taxonomy.
    """
    types = LAYOUT["dimensions"][name]
    optional = {}
    always = {}
    for dimension, kind in dimensions().items():
        if kind in types:
            always[dimension] = Column(dimension, heading(kind))
    if name == list(LAYOUT["dimensions"])[-1]:
        known_dimensions = {*dimensions(), *taxonomy()["composition_types"]}
        occurring = results.rows("constraints", measure="dimension")["dimension"]
        for key in occurring:
            if key not in known_dimensions:
                optional[key] = Column(key, LAYOUT["others"])
    return _accuracies(results, name, "dimension", always, optional)


def _accuracies(
    results: ComplexbenchResults, name: str, measure: str, always: Columns, optional: Columns
) -> Table:
    """Returns a column a key: of the optional ones those that have a value."""
    occur = set(results.rows("constraints", measure=measure)["dimension"])
    shown = always | {key: column for key, column in optional.items() if key in occur}
    columns = [results.share(column, measure, key) for key, column in shown.items()]
    return results.by_model(name, columns)


def _coherent(results: ComplexbenchResults, name: str) -> Table:
    """Coherent test: instances, groups and the drop, with one selection and with several."""
    words = LAYOUT["coherent"]
    columns = []
    for kind, (measure, text) in product(aggregation.CLASSES, words["measures"].items()):
        rows = results.rows("coherent", kind=kind, measure=measure)
        columns.append(ValueColumn(Column(text, words["classes"][kind]), rows))
    groups = results.rows("coherent", measure=aggregation.COHERENT_MEASURES[1])
    counts = {
        kind: range_text(rows_of(groups, kind=kind)["expected"]) for kind in aggregation.CLASSES
    }
    return results.by_model(
        name, columns, [*results.notes(), (None, words["groups"].format(**counts))]
    )


def _decomposition(results: ComplexbenchResults, name: str) -> Table:
    """DRFR of whole instructions and turn by turn, and the difference; without any, a note."""
    rows = results.frames["decomposition"]
    categories = taxonomy()["categories"]
    families = [key for key in categories if categories[key]["needs"]]
    groups = {key: heading(key) for key in families if key in set(rows["category"])}
    groups |= {"": LAYOUT["overall"]}
    columns = []
    measures = LAYOUT["decomposition"]["measures"]
    for (key, group), (measure, text) in product(groups.items(), measures.items()):
        column_rows = rows_of(rows, category=key, measure=measure)
        columns.append(ValueColumn(Column(text, group), column_rows))
    occurring = set(rows["language"])
    parts = {name: keys for name, keys in results.parts.items() if name in occurring}
    notes: list[Note] = [] if parts else [(None, LAYOUT["notes"]["no_turns"])]
    return results.by_model(name, columns, [*results.notes(), *notes], parts=parts or None)


def _judging(results: ComplexbenchResults, name: str) -> Table:
    """Returns questions by what decided them, unreadable replies, rules that decided nothing."""
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
    for language in results.parts:
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
) -> list[Section]:
    """Returns a row for each model, language, split and further category."""
    splits = LAYOUT["coverage"]["splits"]

    def rows_of_model(model: str) -> Iterator[tuple[Cell, ...]]:
        groups = rows_of(rows, model=model).groupby(["language", "split", *further], sort=False)
        for (language, split, *further_keys), group_rows in groups:
            yield Cell(language), Cell(splits[split]), *map(Cell, further_keys), *cells(group_rows)

    return results.rows_by_group(rows_of_model)


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
    "agreement": partial(agreement_table, benchmark="ComplexBench", item="scoring question"),
    "corrected": partial(corrected_table, benchmark="ComplexBench", unit="groups"),
}
