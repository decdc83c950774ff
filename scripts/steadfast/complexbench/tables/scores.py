"""DRFR by category, task and composition; accuracies by constraint; coherent test; turns."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from steadfast.complexbench.aggregation import (
    CLASSES,
    COHERENT_MEASURES,
    DROP,
    OTHERS,
    constraint_type,
)
from steadfast.complexbench.scored import DECOMPOSED, DIFFERENCE, WHOLE
from steadfast.complexbench.tables.results import LAYOUT, Measure, Results, by_model, heading
from steadfast.complexbench.taxonomy import dimensions, taxonomy
from steadfast.tables.table import Column, Table

INTERVAL = Column(LAYOUT["interval"])


def drfr_table(results: Results, name: str) -> Table:
    """DRFR by category: each depth of nesting, the average over depths, and overall."""
    drfr = results.drfr
    found = list(dict.fromkeys(drfr.loc[drfr["measure"] == "category", "category"]))
    averages = set(drfr.loc[drfr["measure"] == "family", "category"])

    def measures(language: str) -> list[Measure]:
        columns = []
        for family, facts in taxonomy()["categories"].items():
            depths = dict.fromkeys(str(depth) for depth in facts["depths"])
            depths |= dict.fromkeys(
                depth for key in found for of, _, depth in [key.rpartition("_")] if of == family
            )
            if not depths:
                columns.append(
                    _drfr(results, language, "category", family, Column(heading(family)))
                )
                continue
            group = heading(family)
            for depth in sorted(depths, key=int):
                column, key = Column(depth, group), f"{family}_{depth}"
                columns.append(_drfr(results, language, "category", key, column))
            # Mode released counts Selection & Chain under Selection.
            if family in averages or results.mode == "strict":
                column = Column(LAYOUT["average"], group)
                columns.append(_drfr(results, language, "family", family, column))
        overall = _drfr(results, language, "overall", "", Column(LAYOUT["overall"]))
        return [*columns, overall, replace(overall, column=INTERVAL, ends=True)]

    return by_model(results, name, measures)


def tasks_table(results: Results, name: str) -> Table:
    """DRFR by task type."""
    return _by_key(results, name, "task", taxonomy()["task_types"])


def nesting_table(results: Results, name: str) -> Table:
    """DRFR by the set of composition types."""
    return _by_key(results, name, "nesting", [])


def _by_key(results: Results, name: str, measure: str, known: Sequence[str]) -> Table:
    rows = results.drfr[results.drfr["measure"] == measure]
    keys = list(dict.fromkeys([*known, *rows["category"]]))

    def measures(language: str) -> list[Measure]:
        return [
            _drfr(
                results, language, measure, key, Column(_joined(key) if not known else heading(key))
            )
            for key in keys
        ]

    return by_model(results, name, measures)


def _joined(key: str) -> str:
    return LAYOUT["nesting_joint"].join(key.split("_"))


def _drfr(results: Results, language: str, measure: str, key: str, column: Column) -> Measure:
    rows = results.drfr[results.drfr["language"] == language]
    return Measure(column, rows[(rows["measure"] == measure) & (rows["category"] == key)])


def constraints_table(results: Results, name: str) -> Table:
    """Accuracy by constraint type and by composition type."""
    types = dict.fromkeys(constraint_type(one, results.mode) for one in dimensions())
    compositions = taxonomy()["composition_types"]
    columns = {kind: Column(heading(kind)) for kind in types}
    columns |= {OTHERS: Column(LAYOUT["others"])}
    columns |= {kind: Column(heading(kind), LAYOUT["composition"]) for kind in compositions}
    return _accuracies(results, name, "constraint_type", columns, set(types))


def dimensions_table(results: Results, name: str) -> Table:
    """Accuracy by constraint dimension, under its type; those that are no known one last.

    A table holds some of the types; the last one also what is no known dimension.
    """
    types = LAYOUT["dimensions"][name]
    columns = {
        one: Column(one, heading(kind)) for one, kind in dimensions().items() if kind in types
    }
    always = set(columns)
    if name == list(LAYOUT["dimensions"])[-1]:
        rows = results.constraints[results.constraints["measure"] == "dimension"]
        known = {*dimensions(), *taxonomy()["composition_types"]}
        for key in dict.fromkeys(rows["dimension"]):
            if key not in known:
                columns[key] = Column(key, LAYOUT["others"])
    return _accuracies(results, name, "dimension", columns, always)


def _accuracies(
    results: Results, name: str, measure: str, columns: dict[str, Column], always: set[str]
) -> Table:
    """A column a key: those of ``always``, and others that have a value."""
    rows = results.constraints[results.constraints["measure"] == measure]
    keys = [key for key in columns if key in always or key in set(rows["dimension"])]

    def measures(language: str) -> list[Measure]:
        here = rows[rows["language"] == language]
        return [Measure(columns[key], here[here["dimension"] == key]) for key in keys]

    return by_model(results, name, measures)


def coherent_table(results: Results, name: str) -> Table:
    """Coherent test: instances, groups and the drop, with one selection and with several."""
    rows, words = results.read("coherent"), LAYOUT["coherent"]

    def measures(language: str) -> list[Measure]:
        here = rows[rows["language"] == language]
        return [
            Measure(
                Column(words["measures"][measure], words["classes"][kind]),
                here[(here["kind"] == kind) & (here["measure"] == measure)],
                smaller=measure == DROP,
            )
            for kind in CLASSES
            for measure in (*COHERENT_MEASURES, DROP)
        ]

    return by_model(results, name, measures)


def decomposition_table(results: Results, name: str) -> Table:
    """DRFR asked as a whole and turn by turn, and the difference; a note where none were."""
    rows = results.read("decomposition")
    families = [key for key, facts in taxonomy()["categories"].items() if facts["needs"]]
    groups = {key: heading(key) for key in families if key in set(rows["category"])}
    groups |= {"": LAYOUT["overall"]}

    def measures(language: str) -> list[Measure]:
        here = rows[rows["language"] == language]
        return [
            Measure(
                Column(LAYOUT["decomposition"]["measures"][measure], group),
                _pick(here, key, measure),
                ranked=measure != DIFFERENCE,
            )
            for key, group in groups.items()
            for measure in (WHOLE, DECOMPOSED, DIFFERENCE)
        ]

    asked = [language for language in results.languages if language in set(rows["language"])]
    notes = [] if asked else [LAYOUT["notes"]["no_turns"]]
    return by_model(results, name, measures, notes, asked)


def _pick(rows: pd.DataFrame, category: str, measure: str) -> pd.DataFrame:
    return rows[(rows["category"] == category) & (rows["measure"] == measure)]
