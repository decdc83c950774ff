"""The page of noise: how much answers and scores of equal requests differ, for people."""

from collections.abc import Callable, Sequence

from steadfast.base.files import Settings
from steadfast.base.markdown import markdown_table
from steadfast.base.resources import facts
from steadfast.contract.records import OVERALL
from steadfast.stats.repeatability import ALL, COLUMNS, spelled

WORDS = facts("show.yaml")["noise"]


def noise_page(
    title: str,
    rows: Sequence[Settings],
    show: Callable[[object], str],
    asked: str = "",
    missed: Sequence[str] = (),
) -> str:
    """The rows for people, in Markdown, the finding first and last what text was asked.

    ``missed`` has what ``hits_missed`` says.
    """
    whole = [row for row in rows if row["task"] == OVERALL]
    alone = next(row for row in whole if (row["cache"], row["beside"]) == (ALL, 1))
    lines = [
        f"# Noise of {title}",
        "",
        f"{alone['n']} requests, {alone['repeats']} times each alone: {alone['identical']:.1%} of "
        "the pairs of answers are identical.",
    ]
    if alone["score_sd"]:
        lines.append(
            f"Between these times the mean score has a standard deviation of "
            f"{alone['score_sd']:.4f}: a difference of that size between two runs of these "
            "requests may be the engine's own."
        )
    cells = [[_cell(row, column, show) for column in WORDS["columns"]] for row in whole]
    headings = list(WORDS["columns"].values())
    lines += ["", markdown_table(headings, cells, padded=False), "", WORDS["legend"]]
    for sentence in missed:
        lines += ["", sentence]
    cells = [[show(row[column]) for column in COLUMNS] for row in rows]
    lines += ["", "## By task", "", markdown_table(COLUMNS, cells, padded=False)]
    lines += ["", asked] if asked else []
    return "\n".join(lines) + "\n"


def _cell(row: Settings, column: str, show: Callable[[object], str]) -> str:
    """A cell of the page's first table."""
    if column == "asked":
        return f"among {row['beside']}" if row["beside"] > 1 else f"alone, {row['cache']}"
    if row[column] is None:
        return ""
    if column == "hit":
        ends = row["hit_low"], row["hit_high"]
        return f"{row['hit']:,.0f}" + (f" ({spelled(*ends)})" if ends[0] < ends[1] else "")
    if column in ("identical", "differ"):
        return f"{row[column]:.1%}"
    return f"{row[column]:g}" if column == "place" else show(row[column])
