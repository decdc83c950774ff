"""CFBench's tables: Tables 1, 2 and 7, 6, and what the paper shows in Figures 4 and 5."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import product

import pandas as pd

from steadfast.base.resources import facts
from steadfast.benchmarks.cfbench import facts as cfbench
from steadfast.benchmarks.cfbench.agreement import SCORE
from steadfast.benchmarks.cfbench.data import TYPES
from steadfast.contract.components import Frames
from steadfast.contract.votes import rater_name
from steadfast.show.by_model import ModelTables, ValueColumn
from steadfast.show.cells import count_cell, interval_cell, number_cell
from steadfast.show.judges import agreement_table, corrected_table
from steadfast.show.results import incomplete_models, values_by_model
from steadfast.show.roster import STRINGS as SHARED
from steadfast.show.roster import Display
from steadfast.show.table import Cell, Column, Section, Table


class CfbenchResults(ModelTables):
    """CFBench's metrics, and how they are shown."""

    prefix = "cfbench_"
    paper = facts("cfbench/printed.yaml")

    def __init__(
        self, frames: Frames, display: Display, mode: cfbench.Mode = "strict", otherwise: str = ""
    ):
        words = facts("cfbench/tables.yaml")
        super().__init__(frames, display, words, {"mode": words["modes"][mode]}, otherwise)
        self.mode = mode

    @cached_property
    def ranking(self) -> Mapping[str, float]:
        """The PSR on all records."""
        return values_by_model(self.rows("results", split=cfbench.FULL, measure="PSR"))

    @cached_property
    def counts(self) -> pd.DataFrame:
        """Expected and scored responses to all records, a row a model."""
        return self.rows("coverage", split=cfbench.FULL)


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
        row += [number_cell(values[split, key], mean["digits"]) for key, mean in means.items()]
        row += [count_cell(values[split, label]) for label in headings]
        body.append(tuple(row))
    legend = ", ".join(f"{kind.number} {kind.name.lower()}" for kind in TYPES.values())
    return results.table(name, columns, [Section(tuple(body))], [(None, f"{legend}.")])


def _results(results: CfbenchResults, name: str) -> Table:
    """Returns CSR, ISR and PSR on the easy, the hard and all records (Tables 2 and 7)."""
    is_released = results.mode == "released"
    digits = results.words["released_digits"] if is_released else None
    columns = []
    for split, measure in product(cfbench.SETS, cfbench.MEASURES):
        keys = {"split": split, "measure": measure}
        column = Column(measure, results.words["sets"][split])
        pairs = results.rows("comparisons", **keys)
        rows = results.rows("results", **keys)
        incomplete = incomplete_models(results.rows("coverage", split=split), "scored")
        columns.append(ValueColumn(column, rows, pairs, incomplete=incomplete, digits=digits))
    printed = (results.paper["results"], [*range(len(columns)), None])
    table = results.by_model(name, columns, ranked=columns[-1], printed=printed)
    if is_released:
        table = replace(table, notes=(*table.notes, (None, results.words["notes"]["rounded"])))
    return table


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
    table = results.transposed_table(name, headings, sections, notes)
    return replace(table, rows_per_page=60)


def _domains(results: CfbenchResults, name: str) -> Table:
    """Returns PSR by domain, by NLP task and by source (Figure 5)."""
    words = results.words
    rows = _by_category(results.rows("domains", measure="PSR"))
    names = facts("cfbench/domains.yaml")
    headings_of = names["domains"] | names["sources"] | names["tasks"]
    by_kind: dict[str, list[tuple[str, Cell]]] = {kind: [] for kind in words["sections"]}
    for (kind, key), cell in rows.items():
        if kind in by_kind:
            by_kind[kind].append((headings_of.get(key, key), cell))
    sections = [(heading, by_kind[kind]) for kind, heading in words["sections"].items()]
    notes = results.notes(results.shown_models)
    headings = ("Records of", "Records")
    table = results.transposed_table(name, headings, sections, notes)
    if any(kind == "task" for kind, _ in rows):
        table = replace(table, notes=(*table.notes, ("data", words["notes"]["classes"])))
    return table


def _by_category(rows: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    parts = rows.groupby(["kind", "category"], sort=False)
    return {(str(kind), str(category)): part for (kind, category), part in parts}


def _direct(results: CfbenchResults, name: str) -> Table:
    """Returns direct scores, and their agreement with the same judge's PSR."""
    words = results.words["direct"]
    columns = []
    for split, (measure, heading) in product(cfbench.SETS, words["measures"].items()):
        column = Column(heading, results.words["sets"][split])
        columns.append(ValueColumn(column, results.rows("direct", split=split, measure=measure)))
    scored = values_by_model(results.rows("direct", split=cfbench.FULL, measure=SCORE), "n")
    counts = results.counts.set_index("model")
    counts = counts.assign(scored=[int(scored.get(model, 0)) for model in counts.index])
    notes = [*results.incomplete_model_notes(counts), *results.shared_notes(judged=True)]
    table = results.by_model(name, columns, notes)
    return replace(table, notes=(*table.notes, (None, words["note"])))


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
                rows = results.rows(frame, judge=judge)
                by_way.append(rows.assign(label=rater_name(judge, way)))
        humans = pd.concat(by_way) if by_way else humans
    # Simulated judges judge no real model, so that people may have labelled none of their items.
    unlabelled = humans["n"].groupby(humans["judge"]).transform("max") == 0
    humans = humans[~(unlabelled & humans["judge"].map(results.roster.is_simulated))]
    body = []
    for judge, rows_of_judge in humans.groupby("label", sort=False):
        cells = [Cell(str(judge))]
        for row in rows_of_judge.itertuples():  # in the order of SETS
            cells += [count_cell(row.n), number_cell(row.kappa, digits)]
            cells.append(interval_cell(row.kappa_low, row.kappa_high, digits))
        body.append(tuple(cells))
    columns = [Column("Judge", align="l")]
    for split in cfbench.SETS:
        group = words["sets"][split]
        columns += [Column("Responses", group, "r"), Column("Kappa", group)]
        columns.append(Column(SHARED["interval"], group))
    return results.table(name, columns, [Section(tuple(body))], [(None, note) for note in notes])


def _coverage(results: CfbenchResults, name: str) -> Table:
    """Scored records in per cent, and why others have no score."""
    words = results.words
    is_released = results.mode == "released"
    shares = {
        Column(words["sets"][split], "Scored (%)", "r"): {"split": split} for split in cfbench.SETS
    }
    reasons = {}
    for reason, heading in words["coverage"].items():
        if is_released or reason.startswith("status_"):
            reasons[reason] = Column(heading, "Records", "r")
    remarks = ["statuses", "released"] if is_released else ["statuses"]
    notes = results.notes()
    notes += [(None, words["notes"][remark]) for remark in remarks]
    return results.coverage_table(shares, reasons, notes)


TABLES: dict[str, Callable[[CfbenchResults, str], Table]] = {
    "table1_statistics": _statistics,
    "table2_results": _results,
    "types": _types,
    "domains": _domains,
    "direct": _direct,
    "table6_humans": _humans,
    "agreement": partial(agreement_table, benchmark="CFBench", item="checkpoint"),
    "corrected": partial(corrected_table, benchmark="CFBench", unit="records"),
    "coverage": _coverage,
}
