"""The page of run-to-run variation, for people."""

from collections.abc import Sequence

from steadfast.base.files import Settings
from steadfast.base.markdown import markdown_table
from steadfast.base.resources import facts
from steadfast.contract.records import ALONE, OVERALL

STRINGS = facts("show.yaml")["nondeterminism"]
PERCENT = ("identical", "differ")


def nondeterminism_page(title: str, rows: Sequence[Settings], data_note: str = "") -> str:
    """The rows in Markdown, the finding first and last the note on the data."""
    alone = next(row for row in rows if (row["task"], row["way"]) == (OVERALL, ALONE))
    lines = [
        f"# Run-to-run variation of {title}",
        "",
        f"{alone['n']} requests, {alone['repeats']} times each alone: {alone['identical']:.1%} of "
        "the pairs of responses are identical.",
    ]
    if alone["score_sd"]:
        lines.append(
            f"Between these times the mean score has a standard deviation of "
            f"{alone['score_sd']:.4f}: a difference of that size between two runs of these "
            "requests may be the engine's own."
        )
    columns = STRINGS["columns"]
    cells = []
    for row in rows:
        cells.append([_cell(row[column], column) for column in columns])
    table = markdown_table(list(columns.values()), cells, padded=False)
    lines += ["", table, "", STRINGS["legend"]]
    lines += ["", data_note] if data_note else []
    return "\n".join(lines) + "\n"


def _cell(value: object, column: str) -> str:
    if not isinstance(value, float):
        return "" if value is None else str(value)
    return f"{value:.1%}" if column in PERCENT else f"{value:.4f}"
