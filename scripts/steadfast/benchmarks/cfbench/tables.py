"""CFBench's tables: Tables 1, 2 and 7, 6, and what the paper shows in Figures 4 and 5."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import pandas as pd

from steadfast.base.resources import facts
from steadfast.benchmarks.cfbench import facts as cfbench
from steadfast.benchmarks.cfbench.agreement import SCORE
from steadfast.benchmarks.cfbench.data import TYPES
from steadfast.benchmarks.cfbench.results import CfbenchResults
from steadfast.contract.components import Frames
from steadfast.contract.votes import rater_name
from steadfast.show import cells as show
from steadfast.show.judges import agreement_table, corrected_table
from steadfast.show.results import ANSWER_COLUMNS, ANSWER_NOTE, incomplete_models, values_by_model
from steadfast.show.roster import STRINGS as SHARED
from steadfast.show.roster import Display
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stats.tidy import rows_of
from steadfast.stats.ties import Ties


def tables(
    frames: Frames, display: Display, mode: cfbench.Mode, names: Sequence[str], otherwise: str = ""
) -> list[Table]:
    """Returns the tables; ``otherwise`` says how the paper's numbers were judged otherwise."""
    results = CfbenchResults(frames, display, mode, otherwise)
    return [TABLES[name](results, name) for name in names]


def _statistics(results: CfbenchResults, name: str) -> Table:
    """Returns what is in the data (Table 1)."""
    words = results.words
    rows = results.frames["statistics"]
    values = rows.set_index(["split", "measure"])["value"]
    means = words["statistics"]
    headings = {label: primary_type.number for label, primary_type in TYPES.items()}
    headings |= {"": words["blank"]} if values[cfbench.FULL, ""] else {}
    columns = [Column("Set", align="l")]
    columns += [Column(mean["heading"], mean["group"], "r") for mean in means.values()]
    columns += [Column(heading, words["statistics_types"], "r") for heading in headings.values()]
    body = []
    for split in cfbench.SETS:
        row = [Cell(words["sets"][split])]
        row += [show.number_cell(values[split, key], mean["digits"]) for key, mean in means.items()]
        row += [show.count_cell(values[split, label]) for label in headings]
        body.append(tuple(row))
    legend = ", ".join(f"{kind.number} {kind.name.lower()}" for kind in TYPES.values())
    return results.table(name, columns, [Section(tuple(body))], [(None, f"{legend}.")])


def _results(results: CfbenchResults, name: str) -> Table:
    """Returns CSR, ISR and PSR on the easy, the hard and all records (Tables 2 and 7)."""
    released = results.mode == "released"
    digits = results.words["released_digits"] if released else None
    columns = [show.MODEL]
    values = []
    for split, measure in product(cfbench.SETS, cfbench.MEASURES):
        columns.append(Column(measure, results.words["sets"][split]))
        by_model = results.values(split, measure)
        ties = Ties.of(results.pairs(split, measure))
        values.append(show.Values(by_model, results.incomplete(split), ties=ties, digits=digits))
    columns.append(Column(SHARED["ranks"]))
    pairs = results.pairs(cfbench.FULL, "PSR")
    ranks = show.rank_cells(results.roster, Ties.of(pairs), results.values(cfbench.FULL, "PSR"))
    cells = show.joined_cells([results.cells(values), ranks])
    sections = [*results.sections(results.groups, cells.__getitem__)]
    notes = [*results.notes(results.roster.models), *results.tie_notes()]
    notes += results.rank_notes(results.words["ranked"], pairs)
    if released:
        notes.append((None, results.words["notes"]["rounded"]))
    if results.display.published:
        paper = facts("cfbench/printed.yaml")
        sections.append(
            show.printed_section(paper["results"], paper["heading"], [*range(len(values)), None])
        )
        notes += results.published_notes(paper["note"])
    return results.table(name, columns, sections, notes)


def _types(results: CfbenchResults, name: str) -> Table:
    """Returns satisfied share of the checkpoints by primary and secondary type (Figure 4)."""
    words = results.words
    rows = _by_category(results.frames["types"])
    sections = []
    for label in (*TYPES, ""):
        heading = words["blank_types"]
        inner = []
        if label:
            heading = f"{TYPES[label].number} {TYPES[label].name}"
            for secondary, text in TYPES[label].secondary.items():
                if (cfbench.SECONDARY_KIND, secondary) in rows:
                    inner.append((text, rows[cfbench.SECONDARY_KIND, secondary]))
        if (cfbench.PRIMARY_KIND, label) in rows:
            outer = (words["type_all"], rows[cfbench.PRIMARY_KIND, label])
            sections.append((heading, [outer, *(inner if len(inner) > 1 else [])]))
    headings = ("Type", "Checkpoints")
    notes = results.notes(results.shown_models)
    table = results.across(name, headings, sections, results.incomplete(), notes)
    return replace(table, rows_per_page=60)


def _domains(results: CfbenchResults, name: str) -> Table:
    """Returns PSR by domain, by NLP task and by source (Figure 5)."""
    words = results.words
    rows = _by_category(rows_of(results.frames["domains"], measure="PSR"))
    names = facts("cfbench/domains.yaml")
    headings_of = names["domains"] | names["sources"] | names["tasks"]
    by_kind: dict[str, list[tuple[str, Cell]]] = {kind: [] for kind in words["sections"]}
    for (kind, key), cell in rows.items():
        if kind in by_kind:
            by_kind[kind].append((headings_of.get(key, key), cell))
    sections = [(heading, by_kind[kind]) for kind, heading in words["sections"].items()]
    notes = results.notes(results.shown_models)
    headings = ("Records of", "Records")
    table = results.across(name, headings, sections, results.incomplete(), notes)
    if any(kind == "task" for kind, _ in rows):
        table = replace(table, notes=(*table.notes, ("data", words["notes"]["classes"])))
    return table


def _by_category(rows: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    parts = rows.groupby(["kind", "category"], sort=False)
    return {(str(kind), str(category)): part for (kind, category), part in parts}


def _direct(results: CfbenchResults, name: str) -> Table:
    """Returns direct scores, and their agreement with the same judge's PSR."""
    words = results.words["direct"]
    rows = results.frames["direct"]
    columns = [show.MODEL]
    values = []
    for split in cfbench.SETS:
        for measure, heading in words["measures"].items():
            split_rows = rows_of(rows, split=split, measure=measure)
            values.append(show.Values(values_by_model(split_rows), incomplete_models(split_rows)))
            columns.append(Column(heading, results.words["sets"][split]))
    cells = results.cells(values)
    scored = values_by_model(rows_of(rows, split=cfbench.FULL, measure=SCORE), "n")
    counts = results.coverage.loc[cfbench.FULL].loc[list(results.roster.models)]
    counts = counts.assign(scored=[int(scored.get(model, 0)) for model in counts.index])
    notes = results.incomplete_model_notes(counts)
    notes += [*results.shared_notes(judged=True), *results.untested_notes()]
    notes.append((None, words["note"]))
    sections = results.sections(results.groups, cells.__getitem__)
    return results.table(name, columns, sections, notes)


def _humans(results: CfbenchResults, name: str) -> Table:
    """Agreement of each judge with people on whole answers, by each way of judging (Table 6)."""
    words = results.words
    digits = results.digits
    humans = results.frames["humans"]
    humans = humans.assign(label=humans["judge"])
    notes = [words["notes"]["people"]]
    if "direct_humans" in results.frames:
        notes.append(words["notes"]["direct_people"])
        by_way = []
        for judge in dict.fromkeys(humans["judge"]):
            for frame, way in words["direct"]["ways"].items():
                rows = rows_of(results.frames[frame], judge=judge)
                by_way.append(rows.assign(label=rater_name(judge, way)))
        humans = pd.concat(by_way) if by_way else humans
    # Simulated judges judge no real model, so that people may have labelled none of their items.
    unlabelled = humans["n"].groupby(humans["judge"]).transform("max") == 0
    humans = humans[~(unlabelled & humans["judge"].map(results.roster.is_simulated))]
    body = []
    for judge, rows_of_judge in humans.groupby("label", sort=False):
        cells = [Cell(str(judge))]
        for row in rows_of_judge.itertuples():  # in the order of SETS
            cells += [show.count_cell(row.n), show.number_cell(row.kappa, digits)]
            cells.append(show.interval_cell(row.kappa_low, row.kappa_high, digits))
        body.append(tuple(cells))
    columns = [Column("Judge", align="l")]
    for split in cfbench.SETS:
        group = words["sets"][split]
        columns += [Column("Responses", group, "r"), Column("Kappa", group)]
        columns.append(Column(SHARED["interval"], group))
    return results.table(name, columns, [Section(tuple(body))], [(None, note) for note in notes])


def _agreement(results: CfbenchResults, name: str) -> Table:
    rows = results.frames["agreement"]
    return agreement_table(results.prefix + name, rows, results.display, "CFBench", "checkpoint")


def _coverage(results: CfbenchResults, name: str) -> Table:
    """Scored records in per cent, and why others have no score."""
    words = results.words
    counts = results.coverage
    released = results.mode == "released"
    columns = [show.MODEL]
    columns += [Column(words["sets"][split], "Scored (%)", "r") for split in cfbench.SETS]
    reasons = []
    for reason, heading in words["coverage"].items():
        if released or reason.startswith("status_"):
            reasons.append(reason)
            columns.append(Column(heading, "Records", "r"))
    columns += ANSWER_COLUMNS

    def row(model: str) -> list[Cell]:
        cells = []
        for split in cfbench.SETS:
            cells.append(show.share_cell(*counts.loc[(split, model), ["scored", "expected"]]))
        full_counts = counts.loc[(cfbench.FULL, model)]
        cells += map(show.count_cell, full_counts[reasons])
        return [*cells, *results.answer_cells(model, full_counts)]

    remarks = ["statuses", "released"] if released else ["statuses"]
    notes = results.notes(results.roster.models)
    notes += [*((None, words["notes"][remark]) for remark in remarks), ANSWER_NOTE]
    return results.table(name, columns, results.sections(results.groups, row), notes)


TABLES: dict[str, Callable[[CfbenchResults, str], Table]] = {
    "table1_statistics": _statistics,
    "table2_results": _results,
    "types": _types,
    "domains": _domains,
    "direct": _direct,
    "table6_humans": _humans,
    "agreement": _agreement,
    "corrected": partial(corrected_table, benchmark="CFBench", unit="records"),
    "coverage": _coverage,
}
