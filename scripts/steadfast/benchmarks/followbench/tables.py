"""FollowBench's tables: Tables 1, 2, 3, 5 and 7 to 12, by scorer, agreement and coverage."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import pandas as pd

from steadfast.benchmarks.followbench.facts import CATEGORIES, JUDGE, LEVELS, PATH, RULE
from steadfast.benchmarks.followbench.results import PRINTED, STRINGS, TESTED, FollowbenchResults
from steadfast.contract.components import Frames
from steadfast.contract.records import OVERALL
from steadfast.show import cells as show
from steadfast.show.judges import agreement_table, corrected_table
from steadfast.show.results import ANSWER_COLUMNS, ANSWER_NOTE, Note
from steadfast.show.roster import STRINGS as SHARED
from steadfast.show.roster import Display
from steadfast.show.table import Cell, Column, Section, Table, rounded

TITLE = "FollowBench"
MEASURES = {"HSR": "hsr", "SSR": "ssr"}
# The levels, and their mean.
PLACES = [*map(str, LEVELS), ""]
# Of the columns after the model's: where their value stands in what the paper prints.
PRINTED_LEVELS = (0, 1, 2, 3, 4, None, 5, 6, 7, 8, 9, None, 10, None)
PRINTED_CONSISTENCY = (0, None, None, None, None, None)


def tables(
    frames: Frames,
    display: Display,
    mode: str,
    languages: Sequence[str],
    names: Sequence[str],
    ways: Sequence[str] = (PATH,),
    otherwise: str = "",
) -> Iterator[Table]:
    """Yields the tables wanted; ``otherwise``: how the printed numbers were judged otherwise."""
    results = FollowbenchResults(frames, display, mode, languages, ways, otherwise)
    for name in names:
        yield BUILDERS[name](results, name)


def items_table(results: FollowbenchResults, name: str) -> Table:
    """Returns items by category, task and scorer (Table 1)."""
    rows = results.frames["items"].set_index("language")
    languages = [language for language in results.languages if language in rows.index]
    bodies: dict[str, tuple[tuple[Cell, ...], ...]] = {}
    for (category, task, kind), task_rows in rows.groupby(["category", "task", "kind"], sort=False):
        above = bodies.get(category, ())
        named = Cell(STRINGS["categories"][category], repeated=bool(above))
        row = [named, Cell(task), Cell(STRINGS["scorers"][kind])]
        for language in languages:
            row += _counts(task_rows, language)
        bodies[category] = (*above, tuple(row))
    columns = [Column(heading, align="l") for heading in ("Constraint", "Task", "Scored by")]
    total = [Cell(STRINGS["sum"]), Cell(""), Cell("")]
    sums = rows.groupby("language")["n"].sum()
    for language in languages:
        group = STRINGS["languages"][language]
        columns += [Column(STRINGS["lengths"][language], group, "r"), Column("Items", group, "r")]
        total += [Cell(""), show.count_cell(sums[language])]
    sections = (*map(Section, bodies.values()), Section((tuple(total),), unranked=True))
    return results.table(name, columns, sections, [(None, STRINGS["notes"]["tasks"])])


def _counts(rows: pd.DataFrame, language: str) -> tuple[Cell, Cell]:
    """Returns the mean length of a task's items in a language, and their number."""
    if language not in rows.index:
        return Cell(None), Cell("0")
    return Cell(f"{rounded(rows.at[language, 'size'], 0)}"), show.count_cell(rows.at[language, "n"])


def levels_table(results: FollowbenchResults, name: str) -> Table:
    """HSR and SSR by level and CSL, of all categories together or of one (Tables 2, 7 to 12)."""
    last = name.rpartition("_")[2]
    category = last if last in CATEGORIES else OVERALL

    def cells(language: str) -> show.CellsByModel:
        keys = {"language": language, "category": category}
        rates = []
        for frame, place in product(MEASURES.values(), PLACES):
            rates.append(results.column(frame, results.rate, **keys, level=place))
        hsr = results.column("hsr", results.rate, **keys, level="")
        ranks = show.rank_cells(results.roster, hsr.ties, hsr.by_model)
        value_cells = results.cells([*rates, results.column("csl", results.level, **keys)])
        return show.joined_cells([value_cells, ranks])

    places = _places(f"{measure} (%)" for measure in MEASURES)
    columns = (*places, Column("CSL"), Column(SHARED["ranks"]))
    notes = [*results.impossible(category), *results.tie_notes(), *results.ranking_notes(category)]
    printed = (PRINTED["levels"][category], PRINTED_LEVELS)
    return results.by_language(name, columns, cells, category, notes, printed)


def _places(groups: Iterable[str]) -> Iterator[Column]:
    """Yields a column for each level and their mean, under each heading."""
    for group in groups:
        for place in PLACES:
            yield Column(f"L{place}" if place else STRINGS["mean"], group)


def scorers_table(results: FollowbenchResults, name: str) -> Table:
    """Returns HSR by level of the items that rules and that the judge score."""

    def cells(language: str) -> show.CellsByModel:
        keys = {"language": language, "measure": "HSR"}
        rates = []
        for kind, place in product((RULE, JUDGE), PLACES):
            rates.append(results.column("scorers", results.rate, **keys, kind=kind, level=place))
        return results.cells(rates)

    columns = _places(STRINGS["scorers"][kind] for kind in (RULE, JUDGE))
    notes = [*results.impossible(), *results.untested_notes()]
    return results.by_language(name, columns, cells, notes=notes)


def consistency_table(results: FollowbenchResults, name: str) -> Table:
    """Returns failure consistency over all groups and over judged ones (Table 5)."""
    rows = results.frames["consistency"]
    rows = rows[rows["category"] == OVERALL].set_index(["language", "model", "kind"])

    def cells(language: str) -> show.CellsByModel:
        cells_by_model = {}
        for model in results.roster.models:
            all_groups = _consistency(results, rows, (language, model, OVERALL))
            judged_groups = _consistency(results, rows, (language, model, JUDGE))
            cells_by_model[model] = (*all_groups, *judged_groups)
        return cells_by_model

    headings = ("Consistent (%)", "Failing", "Undecided")
    headings_by_group = product(("All groups", "Judged groups"), headings)
    columns = [Column(heading, group, "r") for group, heading in headings_by_group]
    notes: list[Note] = [(None, STRINGS["notes"]["missing"]), *results.untested_notes()]
    printed = (PRINTED["consistency"], PRINTED_CONSISTENCY)
    return results.by_language(name, columns, cells, notes=notes, printed=printed)


def _consistency(
    results: FollowbenchResults, rows: pd.DataFrame, key: tuple[str, str, str]
) -> tuple[Cell, ...]:
    if key not in rows.index:
        return (Cell(None),) * 3
    value, failing, missing = rows.loc[key, ["value", "n", "missing"]]
    text = None if pd.isna(value) else str(results.rate(value))
    marks = show.incomplete_mark(bool(missing))
    return Cell(text, marks=marks), show.count_cell(failing), show.count_cell(missing)


def raters_table(results: FollowbenchResults, name: str) -> Table:
    """Returns agreement of judges and people, on constraints or on whole items (Table 3)."""
    item = STRINGS["agreement"][name]
    is_whole = name == "table3_agreement"
    rows = results.frames["agreement"]
    rows = rows[rows["measure"] == item.split(" ")[0]]
    table = agreement_table(results.prefix + name, rows, results.display, TITLE, item)
    ways = [] if len(results.ways) == 1 else results.ways if is_whole else [PATH]
    notes: list[Note] = [(None, STRINGS["notes"]["ways"][way]) for way in ways]
    if is_whole and results.display.published and PRINTED["language"] in results.languages:
        printed = STRINGS["notes"]["published_agreement"].format(**PRINTED["agreement"])
        notes += results.published_notes(printed)
    return replace(table, notes=(*table.notes, *notes))


def coverage_table(results: FollowbenchResults, name: str) -> Table:
    """Scored items in per cent by category, and why others have no score."""
    released = results.mode == "released"
    extra = ("no_csl", "unreadable") if released else ("no_csl",)
    words = STRINGS["coverage"]
    reasons = [name for name in words if name.startswith("status_") or name in extra]
    csl = results.frames["csl"]
    csl = csl[csl["category"] != OVERALL].groupby(["model", "language"])[["n", "expected"]].sum()
    without = (csl["expected"] - csl["n"]).to_dict()
    categories = (*CATEGORIES, OVERALL)

    def cells(language: str) -> show.CellsByModel:
        cells_by_model = {}
        for model in results.roster.models:
            counts = {
                category: results.counts(model, language, category) for category in categories
            }
            shares = [show.share_cell(cell["scored"], cell["expected"]) for cell in counts.values()]
            overall = counts[OVERALL] | {"no_csl": without.get((model, language), 0)}
            numbers = [show.count_cell(overall[name]) for name in reasons]
            cells_by_model[model] = (*shares, *numbers, *results.answer_cells(model, overall))
        return cells_by_model

    headings = STRINGS["categories"]
    columns = [Column(headings[category], "Scored (%)", "r") for category in categories]
    columns += [Column(words[name], "Number", "r") for name in reasons]
    columns += ANSWER_COLUMNS
    notes: list[Note] = [(None, STRINGS["notes"][column]) for column in extra]
    notes.append(ANSWER_NOTE)
    return results.by_language(name, columns, cells, notes=notes)


BUILDERS: dict[str, Callable[[FollowbenchResults, str], Table]] = {
    "table1_items": items_table,
    "table2_levels": levels_table,
    "table3_agreement": raters_table,
    "table5_consistency": consistency_table,
    "table7_content": levels_table,
    "table8_situation": levels_table,
    "table9_style": levels_table,
    "table10_format": levels_table,
    "table11_example": levels_table,
    "table12_mixed": levels_table,
    "scorers": scorers_table,
    "agreement": raters_table,
    "corrected": partial(
        corrected_table, benchmark=TITLE, unit="groups", digits=dict.fromkeys(TESTED, 1)
    ),
    "coverage": coverage_table,
}
