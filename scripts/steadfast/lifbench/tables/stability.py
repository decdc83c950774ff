"""Instruction following stability: over all lengths, and by length (Tables 4, 10 and 11)."""

from steadfast.lifbench.perspectives import AVERAGE, PERSPECTIVES
from steadfast.lifbench.tables.layout import by_model, exact
from steadfast.lifbench.tables.results import WORDS, LifbenchResults
from steadfast.metrics.tidy import OVERALL
from steadfast.show.cells import MODEL, CellsByModel, incomplete_mark
from steadfast.tables.table import Cell, Column, Table, ranks, rounded


def ifs_table(results: LifbenchResults, name: str) -> Table:
    """IFS in three perspectives, their average, and overall ARS, each with its rank (Table 4).

    Models stand by their mean rank in the three perspectives, as in the paper.
    """
    headings = WORDS["perspectives"]
    columns = [results.values(results.ifs[key, ""], smaller=True) for key in headings]
    columns.append(results.values(results.ars[OVERALL, ""], ties=results.ties()))
    cells: CellsByModel = dict.fromkeys(results.roster.models, ())
    for values in columns:
        places = ranks(exact(values.by_model), results.roster.contenders, values.smaller)
        best = values.best(results.roster.contenders)
        for model in cells:
            value, place = values.by_model.get(model), places.get(model, 0)
            text = None if value is None else str(rounded(value, results.digits))
            rank = f"({place})" if place else ""
            marks = incomplete_mark(model in values.incomplete)
            cells[model] += (Cell(text, "best" if model in best else "", rank, marks),)
    sections = results.sections(results.roster.groups(_steadiness(results)), cells.__getitem__)
    notes = [*results.notes, *results.tie_notes(), (None, WORDS["notes"]["ifs_ranks"])]
    ifs = (Column(heading, "IFS") for heading in headings.values())
    return results.table(name, (MODEL, *ifs, Column("ARS")), sections, notes)


def _steadiness(results: LifbenchResults) -> dict[str, float]:
    """Minus the mean rank of each model in the perspectives that it has; ties by the average."""
    values = [exact(results.ifs[key, ""]) for key in PERSPECTIVES]
    places = [ranks(column, results.roster.models, smaller=True) for column in values]
    average = results.ifs[AVERAGE, ""]
    found = {m: [p[m] for p in places if m in p] for m in results.roster.models}
    keys = {m: (sum(p) / len(p), average.get(m, 0.0), m) for m, p in found.items() if p}
    return {model: -i for i, model in enumerate(sorted(keys, key=keys.__getitem__))}


def ifs_by_length_table(results: LifbenchResults, name: str, perspective: str) -> Table:
    """Stability between expressions (Table 10) or variables (Table 11) at each length."""
    columns = [
        results.values(results.ifs[perspective, length], length=length, smaller=True)
        for length in results.lengths
    ]
    headings = [Column(length) for length in results.lengths]
    notes = results.untested_notes()
    return by_model(results, name, headings, lambda _: results.cells(columns), notes)
