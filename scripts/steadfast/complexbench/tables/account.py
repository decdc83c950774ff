"""What decided the questions, and how much is scored."""

from collections.abc import Mapping

import pandas as pd

from steadfast.complexbench.coverage import KINDS
from steadfast.complexbench.tables.results import (
    LANGUAGE,
    LAYOUT,
    MODEL,
    PREFIX,
    Results,
    group_heading,
)
from steadfast.tables.table import Cell, Column, Section, Table, rounded

SHARE_DIGITS = 1  # after the point of a per cent


def judging_table(results: Results, name: str) -> Table:
    """Questions by what decided them, replies that could not be read, rules that left it open."""
    rows, words = results.read("judging"), LAYOUT["judging"]
    kinds = [kind for kind in KINDS if kind in set(rows["kind"])]
    # Only rules leave a question open.
    counted = [
        (kind, column)
        for kind in kinds
        for column in words["columns"]
        if column != "open" or kind == "rule"
    ]
    columns = tuple(
        Column(words["columns"][column], words["kinds"][kind], "r") for kind, column in counted
    )

    def cells(found: pd.DataFrame) -> tuple[Cell, ...]:
        by_kind = found.set_index("kind")
        return tuple(
            Cell(f"{by_kind.at[kind, column]:,.0f}" if kind in by_kind.index else None)
            for kind, column in counted
        )

    notes = tuple(
        (None, LAYOUT["notes"]["language"].format(language=language))
        for language in results.languages
        if language != "zh"
    )
    return Table(
        PREFIX + name,
        results.caption(name),
        (MODEL, LANGUAGE, Column("Asked", align="l"), Column("Judge", align="l"), *columns),
        _sections(results, rows, cells, ["judge"]),
        notes,
    )


def coverage_table(results: Results, name: str) -> Table:
    """Questions that have a verdict, and samples by status."""
    words = LAYOUT["coverage"]

    def cells(found: pd.DataFrame) -> tuple[Cell, ...]:
        (row,) = found.to_dict("records")
        share = 100 * row["scored"] / row["expected"] if row["expected"] else None
        questions: Mapping[str, str | None] = {
            "expected": f"{row['expected']:,.0f}",
            "scored": f"{row['scored']:,.0f}",
            "share": None if share is None else str(rounded(share, SHARE_DIGITS)),
        }
        samples = (f"{row[column]:,.0f}" for column in words["samples"])
        return tuple(Cell(text) for text in (*questions.values(), *samples))

    return Table(
        PREFIX + name,
        results.caption(name),
        (
            MODEL,
            LANGUAGE,
            Column("Asked", align="l"),
            *(Column(text, "Questions", "r") for text in words["questions"].values()),
            *(Column(text, "Samples", "r") for text in words["samples"].values()),
        ),
        _sections(results, results.coverage, cells, []),
    )


def _sections(results: Results, rows: pd.DataFrame, cells, more: list[str]) -> tuple[Section, ...]:
    """A section a group; a row a model, language, split and what else is told apart."""
    splits = LAYOUT["coverage"]["splits"]
    sections = []
    for group in results.groups():
        lines = []
        for model in group.models:
            of_model = rows[rows["model"] == model]
            keyed = of_model.groupby(["language", "split", *more], sort=False)
            for number, ((language, split, *others), found) in enumerate(keyed):
                lines.append(
                    (
                        Cell(results.roster.label(model), repeated=number > 0),
                        Cell(language),
                        Cell(splits[split]),
                        *map(Cell, others),
                        *cells(found),
                    )
                )
        sections.append(Section(tuple(lines), group_heading(group), group.apart))
    return tuple(sections)
