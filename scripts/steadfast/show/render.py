"""Tables in Markdown and CSV; text of any origin is escaped."""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from steadfast.base.files import write_text
from steadfast.base.markdown import markdown_table
from steadfast.base.resources import facts
from steadfast.show import latex
from steadfast.show.table import MISSING, Cell, Table, note_text

KINDS = ("tex", "md", "csv")
STYLES = {"": "{}", "best": "**{}**"}
GUIDE: str = facts("show.yaml")["guide"]
ACTIVE = r"[\\`*_{}\[\]#|~$>!]"  # characters that mean something to Markdown
FORMULA = ("=", "+", "-", "@", "\t", "\r")
NUMBERS = re.compile(r"-?\d+\.\d+( to -?\d+\.\d+)?")  # a number, or an interval


def escape_markdown(text: str) -> str:
    """Returns text that Markdown shows as it stands, in a cell of a pipe table too."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(rf"({ACTIVE})", r"\\\1", text)


def escape_csv(text: str) -> str:
    """Returns text that no spreadsheet takes for a formula: such a beginning gets an apostrophe."""
    return f"'{text}" if text.startswith(FORMULA) and not NUMBERS.fullmatch(text) else text


def markdown(table: Table) -> str:
    """Returns the table as a pipe table with its caption above and its notes below."""
    rows = []
    for section in table.sections:
        if section.heading:
            heading = f"*{escape_markdown(section.heading)}*"
            rows.append([heading, *[""] * (len(table.columns) - 1)])
        rows += [list(map(cell_text, row)) for row in section.rows]
    headings = [escape_markdown(column.full_heading) for column in table.columns]
    grid = markdown_table(headings, rows, "".join(column.align for column in table.columns))
    notes = [escape_markdown(note_text(*note)) for note in table.notes]
    return "\n\n".join([escape_markdown(table.full_caption), grid, *notes, GUIDE]) + "\n"


def cell_text(cell: Cell, escape: Callable[[str], str] = escape_markdown) -> str:
    """Returns a cell's text in the form of its style, with suffix and signs; escaped."""
    if cell.text is None:
        return MISSING
    text = STYLES[cell.style].format(escape(cell.text))
    text += f" {escape(cell.suffix)}" if cell.suffix else ""
    return text + escape(cell.signs)


def comma_separated(table: Table) -> str:
    """Returns the table as CSV: printed values, the section of each row first, its marks last."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    # Columns of several groups may share a heading; only these are named with their group.
    repeats = Counter(column.heading for column in table.columns)
    headings = []
    for column in table.columns:
        headings.append(column.full_heading if repeats[column.heading] > 1 else column.heading)
    data = [table.data] if table.data else []  # behind the marks, since a CSV has no notes
    writer.writerow(["group", *map(escape_csv, headings), "marks", *(["data"] if data else [])])
    for section in table.sections:
        for row in section.rows:
            marks = []
            for heading, cell in zip(headings, row, strict=True):
                marks += [f"{heading}: {mark}" for mark in cell.marks]
            marks += [table.remark] if table.remark else []
            values = [escape_csv(f"{cell.text or ''} {cell.suffix}".strip()) for cell in row]
            last = map(escape_csv, ["; ".join(marks), *data])
            writer.writerow([escape_csv(section.heading), *values, *last])
    return out.getvalue()


@dataclass(frozen=True)
class Printed:
    """A table, or several on one page, in its three forms; ``name`` is the stem of its files."""

    name: str
    tex: str
    md: str
    csv: str


def printed(table: Table | Printed) -> Printed:
    """Returns a table in LaTeX, Markdown and CSV."""
    if isinstance(table, Printed):
        return table
    return Printed(table.name, latex.render(table), markdown(table), comma_separated(table))


def write_table(table: Table | Printed, directory: Path) -> None:
    """Writes ``{name}.tex``, ``.md`` and ``.csv``."""
    page = printed(table)
    for kind in KINDS:
        write_text(directory / f"{page.name}.{kind}", getattr(page, kind))
