"""What all figures share: the models' colours and markers, legends, files of equal bytes."""

from textwrap import fill
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from steadfast.files import Record, Settings
from steadfast.show.roster import WORDS, Roster

# Okabe and Ito's palette; instead of yellow, too faint on white, and black, which is the mean's,
# one more that stands apart.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")
STYLE: Any = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
GRID: Settings = {"color": "#dddddd", "linewidth": 0.6}
DOTS_PER_INCH = 200
LINE = 150
"""Characters of a note's line."""


def look(roster: Roster, model: str) -> Record:
    """A model's line and marker, which stay the same when others come or go.

    What is no real model is dashed and hollow.
    """
    place, real = roster.place(model), roster.kind(model) == "model"
    return {
        "color": PALETTE[place % len(PALETTE)],
        "marker": MARKERS[place % len(MARKERS)],
        "linestyle": "-" if real else "--",
        "markerfacecolor": None if real else "white",
        "markersize": 4.5,
        "linewidth": 1.2,
    }


def mark_apart(figure: Figure, roster: Roster) -> None:
    """Says below the panels which models answered other prompts, where some did."""
    if roster.apart:
        text = fill(WORDS["notes"]["apart"], LINE)
        figure.supxlabel(text, x=0.01, ha="left", fontsize=7)


def legend(
    figure: Figure, axes: Axes, place: Literal["right center", "lower center"], ncols: int = 1
) -> None:
    """A legend of a panel's lines outside the panels; a name is text, even with dollar signs."""
    handles, names = axes.get_legend_handles_labels()
    outside: Literal["outside right center", "outside lower center"] = (
        "outside right center" if place == "right center" else "outside lower center"
    )
    made = figure.legend(handles, names, loc=outside, ncols=ncols, frameon=False)
    for text in made.get_texts():
        text.set_parse_math(False)
