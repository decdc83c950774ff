"""Stability beyond the paper: between formats and domains, and what sampling does (Figure 7)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

import pandas as pd

from steadfast.benchmarks.lifbench.records import AVERAGE
from steadfast.benchmarks.lifbench.stability import sign_test
from steadfast.benchmarks.lifbench.tables.results import STRINGS, LifbenchResults, columns_of
from steadfast.show.cells import MODEL, Values, interval_cells, joined_cells, number_cell, p_cell
from steadfast.show.results import Note, incomplete_models, range_text, values_by_model
from steadfast.show.roster import STRINGS as SHARED
from steadfast.show.table import Cell, Column, Mark, Section, Table, rounded
from steadfast.stats.tidy import rows_of

COUNTS = ("texts", "usable", "mended", "edited")
BETWEEN = ("spread", "random_spread", "percentile")
FAILS = "fails_"


def recs_table(results: LifbenchResults, name: str) -> Table:
    """Returns each task's texts, how many pass, their clusters, and the spread of the chosen."""
    rows = results.frames["recs"]
    digits = results.digits
    words = STRINGS["recs"]
    headings = [
        Column("Task", align="l"),
        *columns_of(itemgetter(*COUNTS)(words), align="r"),
        Column(words["fails"], align="l"),
        *columns_of(itemgetter("sizes", "inertia", "pick_distances")(words)),
        *columns_of(itemgetter(*BETWEEN)(words), words["between"]),
    ]
    body = []
    for row in rows.to_dict("records"):
        direction = "" if math.isnan(row["direction"]) else f" ({row['direction']:+.0f})"
        failed = [name for name in row if name.startswith(FAILS) and row[name]]
        failures = ", ".join(f"{name.removeprefix(FAILS)} {row[name]:.0f}" for name in failed)
        distances = map(float, row["pick_distances"].split())
        cells = (
            Cell(row["task"] + direction),
            *[number_cell(row[name], 0) for name in COUNTS],
            Cell(failures or "–"),
            Cell(row["sizes"]),
            number_cell(row["inertia"], digits),
            Cell(" ".join(str(rounded(distance, digits)) for distance in distances)),
            *[number_cell(row[name], digits) for name in BETWEEN],
        )
        body.append(cells)
    return results.table(name, headings, (Section(tuple(body)),), results.notes)


def sampling_table(results: LifbenchResults, name: str) -> Table:
    """Returns IFS of RECS's expressions less that of random ones, of each model (Figure 7)."""
    rows = results.frames["sampling"]
    headings = [MODEL]
    counts = rows.drop_duplicates("model").set_index("model")[["scored", "expected"]]
    lacking = set(counts.index[counts["scored"] < counts["expected"]])
    parts = []
    for perspective, heading in STRINGS["perspectives"].items():
        headings += columns_of(["Difference", SHARED["interval"]], heading)
        perspective_rows = rows_of(rows, perspective=perspective)
        incomplete = lacking & set(perspective_rows["model"])
        differences = Values(values_by_model(perspective_rows), incomplete)
        parts.append(results.cells([differences]))
        parts.append(interval_cells(perspective_rows, results.roster.models, results.digits))
    # The mark of incomplete values is explained by this table's own counts.
    notes = results.incomplete_model_notes(counts)
    notes += [note for note in results.notes if note[0] != "incomplete"]
    notes += [*sign_notes(rows, results, "sampling"), *results.sampling_notes()]
    sections = results.sections(results.groups(), joined_cells(parts).__getitem__)
    return results.table(name, headings, sections, notes)


def rubric_stability_table(results: LifbenchResults, name: str) -> Table:
    """Returns IFS by each rubric and the judge, and less that by the chosen rubric."""
    rows = rows_of(results.frames[name], perspective=AVERAGE)
    counts = rows.drop_duplicates("model").set_index("model")[["scored", "expected"]]
    lacking = set(counts.index[counts["scored"] < counts["expected"]])
    headings = [MODEL]
    parts = []
    for rubric, part in rows.groupby("rubric", sort=False):
        group = STRINGS["rubric_headings"][rubric]
        columns = {"IFS": values_by_model(part, "ifs")}
        if rubric != results.rubric.name:
            columns["Difference"] = values_by_model(part)
        parts.append(results.cells([Values(values, lacking) for values in columns.values()]))
        headings += columns_of(columns, group)
        if rubric != results.rubric.name:
            parts.append(interval_cells(part, results.roster.models, results.digits))
            headings += columns_of([SHARED["interval"]], group)
    notes = results.incomplete_model_notes(counts)
    notes += [note for note in results.notes if note[0] != "incomplete"]
    notes += results.sampling_notes()
    cells = joined_cells(parts, results.roster.models)  # no column in a trial without an average
    sections = results.sections(results.groups(), cells.__getitem__)
    return results.table(name, headings, sections, notes)


def sign_notes(rows: pd.DataFrame, results: LifbenchResults, name: str) -> list[Note]:
    """Returns a note on how many models lie above zero in each perspective, with a sign test."""
    texts = STRINGS["notes"]
    counts = []
    for perspective, heading in STRINGS["perspectives"].items():
        perspective_rows = rows_of(rows, perspective=perspective)
        compared = perspective_rows["model"].isin(results.roster.contenders)
        values = perspective_rows.loc[compared, "value"].round(12)
        above = int((values > 0).sum())
        n = int((values != 0).sum())
        if n:
            p = p_cell(sign_test(above, n), results.digits).text
            slots = {"perspective": heading, "above": above, "of": n, "p": p}
            counts.append(texts["sign_test_part"].format(**slots))
    slots = {"counts": "; ".join(counts), "rubric": STRINGS["rubrics"][results.rubric.name]}
    return [(None, texts["sign_test"][name].format(**slots))] if counts else []


def beyond_table(
    results: LifbenchResults, perspective: str, compared: Mapping[str, Sequence[str]]
) -> Table:
    """Returns IFS in a perspective beyond the paper, and a scenario's ARS in each of its groups."""
    words = STRINGS["beyond"][perspective]
    rows = rows_of(results.frames["perspectives"], perspective=perspective, length="")
    headings = [MODEL, Column("IFS")]
    by_group = []
    incomplete = set()
    for scenario, groups in compared.items():
        for name in groups:
            group_rows = rows_of(rows, scenario=scenario, group=name)
            lacking = incomplete_models(group_rows)
            incomplete |= lacking
            by_group.append(Values(values_by_model(group_rows), lacking))
            headings.append(Column(words["groups"][name], STRINGS["scenarios"][scenario]))
    ifs = Values(results.ifs[perspective, ""], incomplete)
    cells = results.cells([ifs, *by_group])
    counts = rows.groupby("model")[["n", "expected", "prompt_truncated"]].sum()
    truncated = set(counts.index[counts["prompt_truncated"] > 0])

    sections = []
    for group in results.groups():
        body = []
        for model in group.models:
            marks: tuple[Mark, ...] = ("dagger",) if model in truncated else ()
            body.append((replace(results.label(model), marks=marks), *cells[model]))
        sections.append(group.section(body))
    notes: list[Note] = [("dagger", STRINGS["notes"]["dagger"])] if truncated else []
    notes += results.incomplete_model_notes(counts.rename(columns={"n": "scored"}))
    notes += [*results.shared_notes(judged=False), ("data", words["note"])]
    sampled = STRINGS["beyond"]["sampled"].format(contexts=range_text(rows["contexts"]))
    notes += [(None, SHARED["notes"]["untested"]), ("sampling", sampled)]
    return results.table(f"{perspective}s", headings, sections, notes)
