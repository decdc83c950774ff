"""Instruction following stability: over all lengths, and by length (Tables 4, 10 and 11)."""

from collections.abc import Mapping
from dataclasses import replace

from steadfast.benchmarks.lifbench.perspectives import AVERAGE, PERSPECTIVES
from steadfast.benchmarks.lifbench.tables.layout import by_model, exact
from steadfast.benchmarks.lifbench.tables.results import WORDS, LifbenchResults
from steadfast.show.cells import MODEL, rank_texts
from steadfast.show.table import Column, Table, ranks
from steadfast.stats.tidy import OVERALL


def ifs_table(results: LifbenchResults, name: str) -> Table:
    """Returns IFS in three perspectives, their average, and overall ARS (Table 4).

    Models stand by their mean rank in the three perspectives, as in the paper. Ranks that are shown
    are those that a test leaves: of overall ARS; the paper's own, by values alone, are
    ``ranks_by_value``.
    """
    columns = [results.values(values, smaller=True) for values in _stabilities(results).values()]
    overall, ties = results.ars[OVERALL, ""], results.ties()
    cells = results.cells([*columns, results.values(overall, ties=ties)])
    texts = rank_texts(results.roster, ties, overall)
    for model, text in texts.items():
        *others, ars = cells[model]
        cells[model] = (*others, replace(ars, suffix=f"({text})"))
    sections = results.sections(results.roster.groups(_steadiness(results)), cells.__getitem__)
    notes = [*results.notes, *results.tie_notes(), (None, WORDS["notes"]["ifs_ranks"])]
    ifs = (Column(heading, "IFS") for heading in WORDS["perspectives"].values())
    return results.table(name, (MODEL, *ifs, Column("ARS")), sections, notes)


def _stabilities(results: LifbenchResults) -> dict[str, Mapping[str, float]]:
    """Returns IFS by model, by the heading of its column."""
    return {heading: results.ifs[key, ""] for key, heading in WORDS["perspectives"].items()}


def ranks_by_value(results: LifbenchResults) -> dict[tuple[str, str], int]:
    """Returns the ranks of Table 4 as the paper has them, by model and heading."""
    columns = [(heading, of, True) for heading, of in _stabilities(results).items()]
    return {
        (model, heading): place
        for heading, values, smaller in [*columns, ("ARS", results.ars[OVERALL, ""], False)]
        for model, place in ranks(exact(values), results.roster.contenders, smaller).items()
    }


def _steadiness(results: LifbenchResults) -> dict[str, float]:
    """Returns minus the mean rank of each model in its perspectives; ties by the average."""
    values = [exact(results.ifs[key, ""]) for key in PERSPECTIVES]
    places = [ranks(column, results.roster.models, smaller=True) for column in values]
    average = results.ifs[AVERAGE, ""]
    found = {m: [p[m] for p in places if m in p] for m in results.roster.models}
    keys = {m: (sum(p) / len(p), average.get(m, 0.0), m) for m, p in found.items() if p}
    return {model: -i for i, model in enumerate(sorted(keys, key=keys.__getitem__))}


def ifs_by_length_table(results: LifbenchResults, name: str, perspective: str) -> Table:
    """Returns stability between expressions (Table 10) or variables (11) at each length."""
    columns = [
        results.values(results.ifs[perspective, length], length=length, smaller=True)
        for length in results.lengths
    ]
    headings = [Column(length) for length in results.lengths]
    notes = results.untested_notes()
    return by_model(results, name, headings, lambda _: results.cells(columns), notes)
