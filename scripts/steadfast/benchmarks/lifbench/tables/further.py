"""Stability beyond the paper: between formats and domains, and what sampling does (Figure 7)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from steadfast.base.files import Record
from steadfast.benchmarks.lifbench.stability import sign_test
from steadfast.benchmarks.lifbench.tables.results import STRINGS, LifbenchResults
from steadfast.show.cells import MODEL, Values, interval_cells, joined_cells, number_cell, p_cell
from steadfast.show.results import Note, incomplete_models, spanned, values_by_model
from steadfast.show.roster import STRINGS as SHARED
from steadfast.show.table import Cell, Column, Section, Table, rounded
from steadfast.stats.tidy import rows_of

COUNTS = ("texts", "usable", "mended", "edited")
BETWEEN = ("spread", "random_spread", "percentile")
FAILS = "fails_"


def recs_table(results: LifbenchResults, name: str) -> Table:
    """Returns each task's texts, how many pass, their clusters, and how the chosen ones lie."""
    rows = results.frames["recs"]
    digits = results.digits
    words = STRINGS["recs"]
    columns = (
        Column("Task", align="l"),
        *(Column(words[key], align="r") for key in COUNTS),
        Column(words["fails"], align="l"),
        *(Column(words[key]) for key in ("sizes", "inertia", "pick_distances")),
        *(Column(words[key], words["between"]) for key in BETWEEN),
    )

    def cells(row: Record) -> Iterator[Cell]:
        way = "" if math.isnan(row["direction"]) else f" ({row['direction']:+.0f})"
        counts = {name: row[name] for name in row if name.startswith(FAILS) and row[name]}
        failed = ", ".join(f"{name.removeprefix(FAILS)} {n:.0f}" for name, n in counts.items())
        distances = (
            str(rounded(float(distance), digits)) for distance in row["pick_distances"].split()
        )
        yield Cell(row["task"] + way)
        yield from (number_cell(row[key], 0) for key in COUNTS)
        yield from (Cell(failed or "–"), Cell(row["sizes"]), number_cell(row["inertia"], digits))
        yield from (Cell(" ".join(distances)), *(number_cell(row[key], digits) for key in BETWEEN))

    tasks = tuple(tuple(cells(row)) for row in rows.to_dict("records"))
    return results.table(name, columns, (Section(tasks),), results.notes)


def sampling_table(results: LifbenchResults, name: str) -> Table:
    """Returns IFS of RECS's expressions less that of random ones, of each model (Figure 7)."""
    rows = results.frames["sampling"]
    digits = results.digits
    headings = STRINGS["perspectives"]
    columns = [
        Column(heading, headings[perspective])
        for perspective in headings
        for heading in ("Difference", SHARED["interval"])
    ]

    counts = rows.drop_duplicates("model").set_index("model")[["scored", "expected"]]
    lacking = set(counts.index[counts["scored"] < counts["expected"]])
    parts = []
    for perspective in headings:
        perspective_rows = rows_of(rows, perspective=perspective)
        parts.append(
            results.cells(
                [
                    Values(
                        values_by_model(perspective_rows), lacking & set(perspective_rows["model"])
                    )
                ]
            )
        )
        parts.append(interval_cells(perspective_rows, results.roster.models, digits))
    missing = results.incomplete_model_notes(counts)
    other_notes = [note for note in results.notes if note[0] != "incomplete"]
    notes = [*missing, *other_notes, *sign_notes(rows, results), *results.sampling_notes()]
    sections = results.sections(results.groups(), joined_cells(parts).__getitem__)
    return results.table(name, (MODEL, *columns), sections, notes)


def sign_notes(rows: pd.DataFrame, results: LifbenchResults) -> list[Note]:
    """Says how many of the compared models lie above zero in each perspective."""
    texts = STRINGS["notes"]
    counts = []
    for perspective, heading in STRINGS["perspectives"].items():
        perspective_rows = rows_of(rows, perspective=perspective)
        values = perspective_rows[perspective_rows["model"].isin(results.roster.contenders)][
            "value"
        ].round(12)
        values = values[values != 0]
        if len(values):
            above = int((values > 0).sum())
            p = p_cell(sign_test(above, len(values)), results.digits).text
            slots = {"perspective": heading, "above": above, "of": len(values), "p": p}
            counts.append(texts["sign_test_part"].format(**slots))
    return [(None, texts["sign_test"].format(counts="; ".join(counts)))] if counts else []


def beyond_table(
    results: LifbenchResults, perspective: str, compared: Mapping[str, Sequence[str]]
) -> Table:
    """Returns IFS in a perspective beyond the paper, and a scenario's ARS in each of its groups."""
    words = STRINGS["beyond"][perspective]
    rows = rows_of(results.frames["perspectives"], perspective=perspective, length="")
    headings = [Column("IFS")]
    columns = []
    for scenario, groups in compared.items():
        for group in groups:
            group_rows = rows_of(rows, scenario=scenario, group=group)
            columns.append(Values(values_by_model(group_rows), incomplete_models(group_rows)))
            headings.append(Column(words["groups"][group], STRINGS["scenarios"][scenario]))
    incomplete = {model for column in columns for model in column.incomplete}
    ifs = Values(results.ifs[perspective, ""], incomplete)
    cells = results.cells([ifs, *columns])
    counts = rows.groupby("model")[["n", "expected", "prompt_truncated"]].sum()
    cut = set(counts.index[counts["prompt_truncated"] > 0])

    def label(model: str) -> Cell:
        return replace(results.label(model), marks=("dagger",) if model in cut else ())

    sections = [
        group.section((label(model), *cells[model]) for model in group.models)
        for group in results.groups()
    ]
    notes: list[Note] = [("dagger", STRINGS["notes"]["dagger"])] if cut else []
    notes += results.incomplete_model_notes(counts.rename(columns={"n": "scored"}))
    notes += [*results.shared_notes(judged=False), ("data", words["note"])]
    sampled = STRINGS["beyond"]["drawn"].format(contexts=spanned(rows["contexts"]))
    notes += [(None, SHARED["notes"]["untested"]), ("sampling", sampled)]
    return results.table(f"{perspective}s", (MODEL, *headings), sections, notes)
