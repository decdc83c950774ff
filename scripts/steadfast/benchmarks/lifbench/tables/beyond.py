"""Stability between formats, and between domains, of contexts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from steadfast.benchmarks.lifbench.tables.results import WORDS, LifbenchResults
from steadfast.show.cells import MODEL, Values
from steadfast.show.results import Note, incomplete_models, values_by_model
from steadfast.show.roster import WORDS as SHARED
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stats.tidy import rows_of


def beyond_table(
    results: LifbenchResults, perspective: str, compared: Mapping[str, Sequence[str]]
) -> Table:
    """Returns IFS in a perspective beyond the paper, and a scenario's ARS in each of its groups."""
    words = WORDS["beyond"][perspective]
    rows = rows_of(results.frames["perspectives"], perspective=perspective, length="")
    headings, columns = [Column("IFS")], []
    for scenario, groups in compared.items():
        for group in groups:
            found = rows_of(rows, scenario=scenario, group=group)
            columns.append(Values(values_by_model(found), list(incomplete_models(found))))
            headings.append(Column(words["groups"][group], WORDS["scenarios"][scenario]))
    incomplete = [
        m for m in results.roster.models if any(m in column.incomplete for column in columns)
    ]
    ifs = Values(results.ifs[perspective, ""], incomplete)
    cells = results.cells([ifs, *columns])
    counts = rows.groupby("model")[["n", "expected", "truncated"]].sum()
    cut = set(counts.index[counts["truncated"] > 0])

    def label(model: str) -> Cell:
        return replace(results.label(model), marks=("dagger",) if model in cut else ())

    sections = [
        Section(
            tuple((label(model), *cells[model]) for model in group.models),
            group.full_heading,
            group.unranked,
        )
        for group in results.groups()
    ]
    notes: list[Note] = [("dagger", WORDS["notes"]["dagger"])] if cut else []
    notes += results.incomplete_notes(
        ({"model": results.roster.label(str(model))}, int(of["n"]), int(of["expected"]))
        for model, of in counts.iterrows()
    )
    notes += [*results.shared_notes(judged=False), (None, words["note"])]
    least, most = (rows["contexts"].min(), rows["contexts"].max()) if len(rows) else (0, 0)
    each = f"{most}" if least == most else SHARED["range"].format(least=least, most=most)
    drawn = WORDS["beyond"]["drawn"].format(contexts=each)
    notes += [(None, text) for text in (SHARED["notes"]["untested"], drawn)]
    return results.table(f"{perspective}s", (MODEL, *headings), sections, notes)
