"""Tables in LaTeX: booktabs, ready for ``\\input``; text of any origin is escaped.

Needs the packages booktabs and graphicx.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import groupby, pairwise

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.show.table import Cell, Column, Section, Table

SETTINGS: Settings = facts("tables/latex.yaml")
SPECIAL: Mapping[str, str] = SETTINGS["special"]
MARKS: Mapping[str | None, str] = SETTINGS["marks"]
STYLES: Mapping[str, str] = SETTINGS["styles"]
DOCUMENT: str = SETTINGS["document"]
MISSING = "--"
LONGEST = 60  # characters of a cell; one name should not shrink the whole table
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
        shown = char if SETTABLE.fullmatch(char) else f"{{U+{ord(char):04X}}}"
        escaped += SPECIAL.get(char, shown) + ("{}" if char == after and char in LIGATURES else "")
    return MINUS.sub("$-$", escaped)


def render(table: Table) -> str:
    """Returns the table as one or more table environments; those after the first are continued."""
    pages = list(table.pages())
    return "\n".join(_page(page, i, len(pages)) for i, page in enumerate(pages))


def _page(table: Table, number: int, count: int) -> str:
    environment = "table*" if len(table.columns) > WIDE else "table"
    caption = escape(table.full_caption) + (" (continued)" if number else "")
    lines = [
        rf"\begin{{{environment}}}[tp]",
        *([r"\addtocounter{table}{-1}"] if number else []),
        r"\centering",
        r"\setlength{\abovecaptionskip}{0pt}\setlength{\belowcaptionskip}{6pt}",
        rf"\caption{{{caption}}}",
        *([] if number else [rf"\label{{tab:{table.name}}}"]),
        r"\small",
        r"\setlength{\tabcolsep}{4pt}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{@{{}}{''.join(c.align for c in table.columns)}@{{}}}}",
        r"\toprule",
        *_head(table.columns),
        *_body(table.sections, len(table.columns)),
        r"\bottomrule",
        r"\end{tabular}}",
        *(_notes(table) if table.notes and number == count - 1 else []),
        rf"\end{{{environment}}}",
        "",
    ]
    return "\n".join(lines)


def _head(columns: tuple[Column, ...]) -> list[str]:
    spans, rules, start = [], "", 1
    for group, members in groupby(columns, key=lambda column: column.group):
        width = len(list(members))
        if group:
            spans.append(rf"\multicolumn{{{width}}}{{c}}{{{escape(group)}}}")
            rules += rf"\cmidrule(lr){{{start}-{start + width - 1}}}"
        else:
            spans += [""] * width
        start += width
    groups = [" & ".join(spans) + r" \\", rules] if rules else []
    return [*groups, " & ".join(escape(column.heading) for column in columns) + r" \\"]


def _body(sections: Iterable[Section], width: int) -> list[str]:
    lines = []
    for i, section in enumerate(sections):
        lines.append(r"\midrule" if i == 0 or section.unranked else r"\addlinespace")
        if section.heading:
            heading = rf"\textit{{{escape(section.heading)}}}"
            lines.append(rf"\multicolumn{{{width}}}{{@{{}}c@{{}}}}{{{heading}}} \\")
            lines.append(r"\addlinespace[2pt]")
        lines += [" & ".join(map(_cell, row)) + r" \\" for row in section.rows]
    return lines


def _cell(cell: Cell) -> str:
    if cell.repeated:
        return ""
    if cell.text is None:
        return MISSING
    shown = cell.text if len(cell.text) <= LONGEST else cell.text[: LONGEST - 3] + "..."
    text = STYLES[cell.style].format(escape(shown))
    text += f" {escape(cell.suffix)}" if cell.suffix else ""
    # Without width, so that marked numbers stay in line with the others.
    return text + "".join(rf"\rlap{{{MARKS[mark]}}}" for mark in cell.marks)


def _notes(table: Table) -> list[str]:
    notes = [(MARKS[mark] + "~" if mark else "") + escape(text) for mark, text in table.notes]
    return [
        r"\par\smallskip",
        r"\parbox{\linewidth}{\raggedright\footnotesize " + r"\\ ".join(notes) + "}",
    ]


def document(names: Iterable[str]) -> str:
    """Returns a document of its own that inputs each table from the same directory."""
    inputs = (rf"\input{{{name}.tex}}" + "\n\\clearpage\n" for name in names)
    return DOCUMENT.replace("(tables)\n", "".join(inputs))
