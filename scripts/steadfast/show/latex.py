"""Tables in LaTeX: booktabs, ready for ``\\input``; text of any origin is escaped.

Needs the packages booktabs and graphicx.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.show import latex_columns
from steadfast.show.latex_columns import Layout, Place
from steadfast.show.table import MISSING, Cell, Section, Table, note_text, short_interval

SETTINGS: Settings = facts("tables/latex.yaml")
SPECIAL: Mapping[str, str] = SETTINGS["special"]
MARKS: Mapping[str | None, str] = SETTINGS["marks"]
STYLES: Mapping[str, str] = SETTINGS["styles"]
DOCUMENT: str = SETTINGS["document"]
BELOW: str = facts("show.yaml")["ending"]["below"]
WIDE = 7  # columns from which on a table spans both columns of a page

# What pdflatex sets in its default fonts; anything else is shown by its code point.
SETTABLE = re.compile(r"[ -~À-ÏÑ-ÖØ-Ýß-ïñ-öø-ýÿ]")
MINUS = re.compile(r"(?<![^ ])-(?=\d)")
LIGATURES = "-,'"  # two in a row would join, -- to a dash


def escape(text: str) -> str:
    """Returns text that LaTeX prints as it stands, whatever it holds."""
    text = " ".join(text.split())
    escaped = ""
    for char, after in pairwise([*text, ""]):
        printable = char if SETTABLE.fullmatch(char) else f"{{U+{ord(char):04X}}}"
        escaped += SPECIAL.get(char, printable)
        escaped += "{}" if char == after and char in LIGATURES else ""
    return MINUS.sub("$-$", escaped)


def render(table: Table) -> str:
    """Returns the table as one or more table environments; those after the first are continued."""
    columns = latex_columns.layout(table)
    pages = list(replace(table, rows_per_page=latex_columns.rows_per_page(table, columns)).pages())
    return "\n".join(_page(page, columns, i, len(pages)) for i, page in enumerate(pages))


def _page(table: Table, columns: Layout, number: int, count: int) -> str:
    environment = "table*" if len(table.columns) > WIDE else "table"
    spacing = r"\setlength{\abovecaptionskip}{0pt}\setlength{\belowcaptionskip}{6pt}"
    caption = escape(table.full_caption)
    lines = [rf"\begin{{{environment}}}[tp]"]
    if number:
        lines += [r"\addtocounter{table}{-1}", r"\centering", spacing]
        lines.append(rf"\caption{{{caption} (continued)}}")
    else:
        lines += [r"\centering", spacing, rf"\caption{{{caption}}}", rf"\label{{tab:{table.name}}}"]
    lines += [rf"\{columns.size}", r"\setlength{\tabcolsep}{4pt}"]
    lines.append("\n\\par\\medskip\n".join(_block(table, places) for places in columns.blocks))
    if table.notes and number == count - 1:
        lines += _notes(table, columns.folded)
    return "\n".join([*lines, rf"\end{{{environment}}}", ""])


def _block(table: Table, places: Sequence[Place]) -> str:
    """Returns some columns of a table; wider than the text, they are scaled down to it."""
    alignment = "".join(table.columns[place.value].align for place in places)
    lines = [
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{@{{}}{alignment}@{{}}}}",
        r"\toprule",
        *_head(table, places),
        *_body(table.sections, places),
        r"\bottomrule",
        r"\end{tabular}}",
    ]
    return "\n".join(lines)


def _head(table: Table, places: Sequence[Place]) -> list[str]:
    spans = []
    rules = ""
    start = 1
    for group, members in groupby(places, key=lambda place: table.columns[place.value].group):
        width = len(list(members))
        if group:
            spans.append(rf"\multicolumn{{{width}}}{{c}}{{{escape(group)}}}")
            rules += rf"\cmidrule(lr){{{start}-{start + width - 1}}}"
        else:
            spans += [""] * width
        start += width
    groups = [" & ".join(spans) + r" \\", rules] if rules else []
    return [*groups, " & ".join(_heading(table, place) for place in places) + r" \\"]


def _heading(table: Table, place: Place) -> str:
    """Returns a column's heading, whose last line is beside the others' where it has several."""
    lines = [escape(line) for line in latex_columns.heading_lines(table, place)]
    if len(lines) == 1:
        return lines[0]
    align = table.columns[place.value].align
    return rf"\begin{{tabular}}[b]{{@{{}}{align}@{{}}}}" + r"\\".join(lines) + r"\end{tabular}"


def _body(sections: Iterable[Section], places: Sequence[Place]) -> list[str]:
    lines = []
    for i, section in enumerate(sections):
        lines.append(r"\midrule" if i == 0 or section.unranked else r"\addlinespace")
        if section.heading:
            heading = rf"\textit{{{escape(section.heading)}}}"
            lines.append(rf"\multicolumn{{{len(places)}}}{{@{{}}c@{{}}}}{{{heading}}} \\")
            lines.append(r"\addlinespace[2pt]")
        for row in section.rows:
            lines.append(" & ".join(_cell(row[place.value]) for place in places) + r" \\")
            intervals = [_interval(row, place) for place in places]
            if any(intervals):
                lines.append(" & ".join(intervals) + r" \\[2pt]")
    return lines


def _interval(row: Sequence[Cell], place: Place) -> str:
    """Returns the interval below a value, if there is one."""
    if place.interval is None or row[place.interval].text is None:
        return ""
    return rf"{{\scriptsize {escape(short_interval(row[place.interval]))}}}"


def _cell(cell: Cell) -> str:
    if cell.repeated:
        return ""
    if cell.text is None:
        return MISSING
    text = STYLES[cell.style].format(escape(latex_columns.shown(cell)))
    text += f" {escape(cell.suffix)}" if cell.suffix else ""
    # Without width, so that marked numbers stay in line with the others.
    return text + "".join(rf"\rlap{{{MARKS[mark]}}}" for mark in cell.marks)


def _notes(table: Table, folded: bool) -> list[str]:
    notes = [escape(note_text(*note)) for note in table.notes]
    if folded:
        notes[0] = f"{escape(BELOW)} {notes[0]}"
    return [
        r"\par\smallskip",
        r"\parbox{\linewidth}{\raggedright\footnotesize " + r"\\ ".join(notes) + "}",
    ]


def document(names: Iterable[str]) -> str:
    """Returns a document of its own that inputs each table from the same directory."""
    inputs = (rf"\input{{{name}.tex}}" + "\n\\clearpage\n" for name in names)
    return DOCUMENT.replace("(tables)\n", "".join(inputs))
