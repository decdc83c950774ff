"""Instruction following stability: over all lengths, and by length (Tables 4, 10 and 11)."""

from steadfast.lifbench.metrics import AVERAGE, PERSPECTIVES
from steadfast.lifbench.tables.layout import MODEL, Measure, by_model, exact, sections_of
from steadfast.lifbench.tables.results import LAYOUT, Results
from steadfast.metrics.tidy import OVERALL
from steadfast.tables.table import Cell, Column, Table, ranks, rounded

STYLES = {1: "best", 2: "second"}


def ifs_table(results: Results, name: str) -> Table:
    """IFS in three perspectives, their average, and overall ARS, each with its rank (Table 4).

    Models stand by their mean rank in the three perspectives, as in the paper.
    """
    headings = LAYOUT["perspectives"]
    measures = [Measure(results.ifs[key, ""], smaller=True) for key in headings]
    measures.append(Measure(results.ars[OVERALL, ""]))
    cells: dict[str, tuple[Cell, ...]] = dict.fromkeys(results.roster.models, ())
    for measure in measures:
        places = ranks(exact(measure.values), results.roster.contenders, measure.smaller)
        for model in cells:
            value, place = measure.values.get(model), places.get(model)
            text = None if value is None else str(rounded(value, results.digits))
            rank = f"({place})" if place else ""
            marks = results.marks(model, OVERALL, "")
            cells[model] += (Cell(text, STYLES.get(place, ""), rank, marks),)
    columns = (MODEL, *(Column(heading, "IFS") for heading in headings.values()), Column("ARS"))
    groups = results.groups(_steadiness(results))
    sections = sections_of(groups, lambda m: (results.label(m), *cells[m]))
    return Table(name, results.caption(name), columns, sections, results.notes)


def _steadiness(results: Results) -> dict[str, float]:
    """Minus the mean rank of each model in the perspectives that it has; ties by the average."""
    values = [exact(results.ifs[key, ""]) for key in PERSPECTIVES]
    places = [ranks(column, results.roster.models, smaller=True) for column in values]
    average = results.ifs[AVERAGE, ""]
    found = {m: [p[m] for p in places if m in p] for m in results.roster.models}
    keys = {m: (sum(p) / len(p), average.get(m, 0.0), m) for m, p in found.items() if p}
    return {model: -i for i, model in enumerate(sorted(keys, key=keys.__getitem__))}


def expression_table(results: Results, name: str) -> Table:
    """Stability between expressions at each length (Table 10)."""
    return _ifs_by_length(results, name, "expression")


def variable_table(results: Results, name: str) -> Table:
    """Stability between settings of the variables at each length (Table 11)."""
    return _ifs_by_length(results, name, "variable")


def _ifs_by_length(results: Results, name: str, perspective: str) -> Table:
    measures = [
        Measure(results.ifs[perspective, length], length=length, smaller=True)
        for length in results.lengths
    ]
    return by_model(results, name, [Column(length) for length in results.lengths], measures)
