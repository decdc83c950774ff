"""Tables in LaTeX: booktabs, ready for ``\\input``; text of any origin is escaped.

Needs the packages booktabs and graphicx.
"""

import re
from collections.abc import Iterable
from itertools import groupby

from steadfast.tables.table import Cell, Column, Section, Table

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': "''",
    "[": "{[}",  # after \\ or a macro a bare bracket opens an optional argument
    "]": "{]}",
    "*": "{*}",
    "–": "--",
    "—": "---",
    "’": "'",
    "†": r"$^{\dagger}$",
}
MARKS = {"dagger": r"$^{\dagger}$", "incomplete": r"$^{*}$"}
STYLES = {"": "{}", "best": r"\textbf{{{}}}", "second": r"\underline{{{}}}"}
MISSING = "--"
LONGEST = 60  # characters of a cell; one name should not shrink the whole table
WIDE = 7  # columns from which on a table spans both columns of a page

# What pdflatex sets in its default fonts; anything else is shown by its code point.
SETTABLE = re.compile(r"[ -~À-ÏÑ-ÖØ-Ýß-ïñ-öø-ýÿ]")
MINUS = re.compile(r"(?<![^ ])-(?=\d)")
LIGATURES = "-,'"  # two in a row would join, -- to a dash


def escape(text: str) -> str:
    """Text that LaTeX prints as it stands, whatever it holds."""
    text = " ".join(text.split())
    escaped = "".join(
        _escaped(char) + ("{}" if char == after and char in LIGATURES else "")
        for char, after in zip(text, [*text[1:], ""], strict=False)
    )
    return MINUS.sub("$-$", escaped)


def _escaped(char: str) -> str:
    if char in SPECIAL:
        return SPECIAL[char]
    return char if SETTABLE.fullmatch(char) else f"{{U+{ord(char):04X}}}"


def render(table: Table) -> str:
    """The table as one or more table environments; those after the first are continued."""
    pages = list(table.pages())
    return "\n".join(_page(page, i, len(pages)) for i, page in enumerate(pages))


def _page(table: Table, number: int, count: int) -> str:
    environment = "table*" if len(table.columns) > WIDE else "table"
    caption = escape(table.caption) + (" (continued)" if number else "")
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
        *(_notes(table) if number == count - 1 else []),
        rf"\end{{{environment}}}",
        "",
    ]
    return "\n".join(lines)


def _head(columns: tuple[Column, ...]) -> list[str]:
    lines = []
    if any(column.group for column in columns):
        spans, rules, start = [], [], 1
        for group, members in groupby(columns, key=lambda column: column.group):
            width = len(list(members))
            spans.append(rf"\multicolumn{{{width}}}{{c}}{{{escape(group)}}}" if group else "")
            spans += [] if group else [""] * (width - 1)
            if group:
                rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
            start += width
        lines = [" & ".join(spans) + r" \\", "".join(rules)]
    return [*lines, " & ".join(escape(column.heading) for column in columns) + r" \\"]


def _body(sections: Iterable[Section], width: int) -> list[str]:
    lines = []
    for i, section in enumerate(sections):
        lines.append(r"\midrule" if i == 0 or section.apart else r"\addlinespace")
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
    if not table.notes:
        return []
    notes = [(MARKS[mark] + "~" if mark else "") + escape(text) for mark, text in table.notes]
    return [
        r"\par\smallskip",
        r"\parbox{\linewidth}{\raggedright\footnotesize " + r"\\ ".join(notes) + "}",
    ]


def document(names: Iterable[str]) -> str:
    """A document of its own that inputs each table from the same directory."""
    return "\n".join(
        [
            r"\documentclass[10pt,a4paper]{article}",
            r"\usepackage[utf8]{inputenc}",
            r"\usepackage[margin=2cm]{geometry}",
            r"\usepackage{booktabs,graphicx}",
            r"\begin{document}",
            *(rf"\input{{{name}.tex}}" + "\n" + r"\clearpage" for name in names),
            r"\end{document}",
            "",
        ]
    )
