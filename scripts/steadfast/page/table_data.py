"""Tables as plain values, which the page's script shows."""

import csv
import io
from itertools import groupby

from steadfast.base.files import Record
from steadfast.show.render import Printed
from steadfast.show.table import Cell, Table


def table_data(table: Table | Printed) -> Record:
    """A table as plain values; a cell is a text, or an object where there is more to it."""
    if isinstance(table, Printed):
        return _printed_data(table)
    return {
        "name": table.name,
        "caption": table.full_caption,
        "columns": [[column.group, column.heading, column.align] for column in table.columns],
        "sections": [
            {
                "heading": section.heading,
                "printed": section.printed,
                "rows": [[_cell(cell) for cell in row] for row in section.rows],
            }
            for section in table.sections
        ],
        "notes": [list(note) for note in table.notes],
    }


def _cell(cell: Cell) -> Record | str | None:
    more = {"best": cell.style == "best", "suffix": cell.suffix, "marks": list(cell.marks)}
    return {"text": cell.text, **more} if any(more.values()) else cell.text


def _printed_data(table: Printed) -> Record:
    """Of a page that is printed already its CSV, and the first line of its Markdown."""
    head, *rows = csv.reader(io.StringIO(table.csv))
    first = 1 if head[0] == "group" else 0
    sections = [
        {"heading": heading, "printed": False, "rows": [row[first:] for row in of]}
        for heading, of in groupby(rows, key=lambda row: row[0] if first else "")
    ]
    return {
        "name": table.name,
        "caption": table.md.split("\n", 1)[0].lstrip("# "),
        "columns": [["", heading, "l"] for heading in head[first:]],
        "sections": sections,
        "notes": [],
    }
