"""Success by position in the context, and what the variance of scores is made of."""

from steadfast.benchmarks.lifbench.analyses import LIST
from steadfast.benchmarks.lifbench.tables.results import WORDS, LifbenchResults
from steadfast.show.cells import MODEL, Values
from steadfast.show.results import Note, values_by_model
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.stats.tidy import OVERALL, rows_of
from steadfast.stats.variance import DRAW


def position_table(results: LifbenchResults, name: str) -> Table:
    """Returns success in the list scenario by position, a row a model and length."""
    rows = rows_of(results.frames["depth"], task=LIST)
    columns = [MODEL, Column("Length", align="l")]
    if rows.empty:
        return results.table(name, columns, [], [(None, WORDS["notes"]["no_position"])])
    # All lengths together may have more bins than each; a table has one kind of columns.
    rows = rows[rows["bins"] == rows["bins"].min()]
    lengths = [length for length in ("", *results.lengths) if length in set(rows["length"])]
    bins = rows[["bin", "start", "end"]].drop_duplicates().sort_values("bin")
    cells = {}
    for length in lengths:
        at = rows_of(rows, length=length)
        found = (values_by_model(at[at["bin"] == number]) for number in bins["bin"])
        cells[length] = results.cells([Values(values) for values in found])
    sections = []
    for group in results.groups():
        for number, model in enumerate(group.models):
            body = tuple(
                (
                    results.label(model, repeated=place > 0),
                    Cell(length or WORDS["notes"]["all_lengths"]),
                    *cells[length][model],
                )
                for place, length in enumerate(lengths)
            )
            heading = group.full_heading if number == 0 else ""
            sections.append(Section(body, heading, group.unranked))
    columns += [Column(f"{start:.2g}\u2013{end:.2g}", "Position") for _, start, end in bins.values]
    return results.table(name, columns, sections, [*results.notes, *results.untested_notes()])


def variance_table(results: LifbenchResults, name: str) -> Table:
    """Returns shares of the variance between contexts, expressions, variables and draws."""
    rows = rows_of(results.frames["variance"], task=OVERALL)
    headings: dict[str, str] = dict(WORDS["variance"])
    drawn = DRAW in set(rows["perspective"])
    if not drawn:
        del headings[DRAW]
    columns = [Values(values_by_model(rows_of(rows, perspective=key))) for key in headings]
    sections = results.sections(results.groups(), results.cells(columns).__getitem__)
    notes: list[Note] = [*results.notes]
    if len(rows):
        fewest, most = (f"{rows['n'].agg(end):.0f}" for end in ("min", "max"))
        tasks = fewest if fewest == most else f"{fewest} to {most}"
        notes.append((None, WORDS["notes"]["variance"].format(tasks=tasks)))
    shown = [MODEL, *(Column(heading, "Share of the variance") for heading in headings.values())]
    draws = WORDS["variance_draws"] if drawn else ""
    return results.table(name, shown, sections, notes, draws=draws)
