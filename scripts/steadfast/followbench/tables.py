"""FollowBench's tables: Tables 1, 2, 3, 5 and 7 to 12, by scorer, agreement and coverage."""

from collections.abc import Callable, Mapping
from decimal import ROUND_DOWN, Decimal
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.followbench.facts import CATEGORIES, JUDGE, LEVELS, RULE
from steadfast.followbench.results import Results, by_model
from steadfast.metrics.tidy import OVERALL
from steadfast.tables.agreement import agreement_table
from steadfast.tables.render import write_table
from steadfast.tables.table import Cell, Column, Section, Table, rounded

PREFIX = "followbench_"
TITLE = "FollowBench"
MODEL = Column("Model", align="l")
MEASURES = {"HSR": "hsr", "SSR": "ssr"}
PLACES = [*map(str, LEVELS), ""]
"""The levels, and their mean."""
PRINTED_LEVELS = (0, 1, 2, 3, 4, None, 5, 6, 7, 8, 9, None, 10)
PRINTED_CONSISTENCY = (0, None, None, None, None, None)
"""Of the columns after the model's: where their value stands in what the paper prints."""


def build_tables(
    metrics: Mapping[str, Path],
    display: Mapping[str, Any],
    settings: Mapping[str, Any],
    out_dir: Path,
) -> None:
    """Writes tables as .tex, .md and .csv.

    Args:
        metrics: the files of ``followbench.metrics`` by name.
        display: as ``Results`` takes it.
        settings: as ``Results`` takes them, and names: stems of the tables that are wanted.
        out_dir: directory for the files.

    Raises:
        UserError: a metrics file is missing or damaged.
    """
    results = Results(metrics, display, settings)
    for name in settings["names"]:
        write_table(BUILDERS[name](results, name), Path(out_dir))


def _own(name: str) -> str:
    return name.removeprefix(PREFIX)


def items_table(results: Results, name: str) -> Table:
    """Items by category, task and scorer (Table 1)."""
    words, rows = results.words, results.read("items")
    found = {(row.language, row.category, row.task, row.kind): row for row in rows.itertuples()}
    languages = [language for language in results.languages if language in set(rows["language"])]
    sections = []
    for category in CATEGORIES:
        keys = dict.fromkeys(key[1:] for key in found if key[1] == category)
        body = tuple(
            (
                Cell(words["categories"][category], repeated=i > 0),
                Cell(task),
                Cell(words["scorers"][kind]),
                *(c for lang in languages for c in _counts(found.get((lang, *key)))),
            )
            for i, key in enumerate(keys)
            for _, task, kind in [key]
        )
        sections += [Section(body)] if body else []
    sums = rows.groupby("language")["n"].sum()
    total = (cell for lang in languages for cell in (Cell(""), Cell(f"{sums[lang]:,.0f}")))
    sections.append(Section(((Cell(words["sum"]), Cell(""), Cell(""), *total),), apart=True))
    columns = (
        *(Column(heading, align="l") for heading in ("Constraint", "Task", "Scored by")),
        *(
            Column(heading, words["languages"][language], "r")
            for language in languages
            for heading in (words["lengths"][language], "Items")
        ),
    )
    notes = ((None, words["notes"]["tasks"]),)
    return Table(name, results.caption(_own(name)), columns, tuple(sections), notes)


def _counts(row: Any) -> tuple[Cell, Cell]:
    if row is None:
        return Cell(None), Cell("0")
    return Cell(f"{rounded(row.size, 0)}"), Cell(f"{row.n:,.0f}")


def levels_table(results: Results, name: str) -> Table:
    """HSR and SSR by level and CSL, all categories together (Table 2)."""
    return _levels(results, name, OVERALL)


def category_table(results: Results, name: str) -> Table:
    """HSR and SSR by level and CSL of one category (Tables 7 to 12)."""
    return _levels(results, name, name.rpartition("_")[2])


def _levels(results: Results, name: str, category: str) -> Table:
    rates = {measure: results.read(file) for measure, file in MEASURES.items()}
    csl = results.read("csl")

    def rows(language: str) -> dict[str, tuple[Cell, ...]]:
        keys = {"language": language, "category": category}
        values = [
            by_model(rates[measure], **keys, level=place)
            for measure in MEASURES
            for place in PLACES
        ]
        values.append(by_model(csl, **keys))
        return results.cells(values, [*[False] * (len(values) - 1), True])

    def overall(language: str) -> dict[str, float]:
        return _order(rates["HSR"], language=language, category=category, level="")

    columns = (
        MODEL,
        *(
            Column(_place(results, place), f"{measure} (%)")
            for measure in MEASURES
            for place in PLACES
        ),
        Column("CSL"),
    )
    caption = results.caption(_own(name), category=results.words["categories"][category].lower())
    published, told = results.published("levels", category, PRINTED_LEVELS)
    notes = (*results.notes(category), *results.impossible(category), *told)
    sections = (*results.sections(rows, overall), *published)
    return Table(name, caption, columns, sections, notes)


def _place(results: Results, place: str) -> str:
    return f"L{place}" if place else results.words["mean"]


def _order(rows: pd.DataFrame, **keys: str) -> dict[str, float]:
    return {model: value for model, (value, _) in by_model(rows, **keys).items()}


def scorers_table(results: Results, name: str) -> Table:
    """HSR by level of the items that rules and that the judge score."""
    table = results.read("scorers")
    table = table[table["measure"] == "HSR"]
    hsr = results.read("hsr")

    def rows(language: str) -> dict[str, tuple[Cell, ...]]:
        return results.cells(
            by_model(table, language=language, kind=kind, level=place)
            for kind in (RULE, JUDGE)
            for place in PLACES
        )

    def overall(language: str) -> dict[str, float]:
        return _order(hsr, language=language, category=OVERALL, level="")

    columns = (
        MODEL,
        *(
            Column(_place(results, place), results.words["scorers"][kind])
            for kind in (RULE, JUDGE)
            for place in PLACES
        ),
    )
    notes = (*results.notes(), *results.impossible())
    sections = results.sections(rows, overall)
    return Table(name, results.caption(_own(name)), columns, sections, notes)


def consistency_table(results: Results, name: str) -> Table:
    """Failure consistency over all groups and over judged ones (Table 5)."""
    table = results.read("consistency")
    table = table[table["category"] == OVERALL].set_index(["language", "kind", "model"])
    hsr = results.read("hsr")

    def rows(language: str) -> dict[str, tuple[Cell, ...]]:
        cells: dict[str, tuple[Cell, ...]] = {}
        for model in results.roster.models:
            cells[model] = ()
            for kind in (OVERALL, JUDGE):
                there = (language, kind, model) in table.index
                row = table.loc[(language, kind, model)] if there else None
                cells[model] += _consistency(results, row)
        return cells

    def overall(language: str) -> dict[str, float]:
        return _order(hsr, language=language, category=OVERALL, level="")

    columns = (
        MODEL,
        *(
            Column(heading, group, "r")
            for group in ("All groups", "Judged groups")
            for heading in ("Consistent (%)", "Failing", "Not told")
        ),
    )
    published, told = results.published("consistency", None, PRINTED_CONSISTENCY)
    notes = (*results.notes(), (None, results.words["notes"]["missing"]), *told)
    sections = (*results.sections(rows, overall), *published)
    return Table(name, results.caption(_own(name)), columns, sections, notes)


def _consistency(results: Results, row: Any) -> tuple[Cell, ...]:
    if row is None:
        return (Cell(None),) * 3
    marks = ("incomplete",) if row["missing"] else ()
    value = None if pd.isna(row["value"]) else str(results.shown(row["value"]))
    return (
        Cell(value, marks=marks),
        Cell(f"{row['n']:,.0f}"),
        Cell(f"{row['missing']:,.0f}"),
    )


def raters_table(results: Results, name: str) -> Table:
    """Agreement of judges and people, on constraints or on whole items (Table 3)."""
    item = results.words["agreement"][_own(name)]
    rows = results.read("agreement")
    rows = rows[rows["measure"] == item.split(" ")[0]]
    return agreement_table(name, rows, results.display, TITLE, item)


def coverage_table(results: Results, name: str) -> Table:
    """Scored items in per cent by category, and why others have no score."""
    words = results.words
    reasons = {
        column: heading
        for column, heading in words["coverage"].items()
        if column != "unreadable" or results.mode == "released"
    }
    csl, hsr = results.read("csl"), results.read("hsr")
    csl = csl[csl["category"] != OVERALL].groupby(["model", "language"])[["n", "expected"]].sum()

    def rows(language: str) -> dict[str, tuple[Cell, ...]]:
        cells = {}
        for model in results.roster.models:
            shares = (
                _share(results, model, language, category) for category in (*CATEGORIES, OVERALL)
            )
            counts = results.counts(model, language, OVERALL)
            known = csl.loc[(model, language)] if (model, language) in csl.index else None
            counts["untold"] = 0 if known is None else known["expected"] - known["n"]
            cells[model] = (*shares, *(Cell(f"{counts[column]:,.0f}") for column in reasons))
        return cells

    def overall(language: str) -> dict[str, float]:
        return _order(hsr, language=language, category=OVERALL, level="")

    columns = (
        MODEL,
        *(
            Column(words["categories"][category], "Scored (%)", "r")
            for category in (*CATEGORIES, OVERALL)
        ),
        *(Column(heading, "Number", "r") for heading in reasons.values()),
    )
    notes = [*results.notes(), (None, words["notes"]["untold"])]
    if results.mode == "released":
        notes.append((None, words["notes"]["unreadable"]))
    sections = results.sections(rows, overall)
    return Table(name, results.caption(_own(name)), columns, sections, tuple(notes))


def _share(results: Results, model: str, language: str, category: str) -> Cell:
    counts = results.counts(model, language, category)
    if not counts["expected"]:
        return Cell(None)
    share = Decimal(100 * int(counts["scored"])) / int(counts["expected"])
    # Rounded down, so that only complete coverage prints as 100.
    text = "100" if share == 100 else str(share.quantize(Decimal("0.1"), ROUND_DOWN))
    return Cell(text, marks=() if share == 100 else ("incomplete",))


BUILDERS: dict[str, Callable[[Results, str], Table]] = {
    PREFIX + name: build
    for name, build in {
        "table1_items": items_table,
        "table2_levels": levels_table,
        "table3_agreement": raters_table,
        "table5_consistency": consistency_table,
        "table7_content": category_table,
        "table8_situation": category_table,
        "table9_style": category_table,
        "table10_format": category_table,
        "table11_example": category_table,
        "table12_mixed": category_table,
        "scorers": scorers_table,
        "agreement": raters_table,
        "coverage": coverage_table,
    }.items()
}
