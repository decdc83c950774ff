"""What all figures share: the models' colours and markers, legends, captions, equal bytes."""

from collections.abc import Iterable
from pathlib import Path
from textwrap import fill
from typing import Any, Literal, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from steadfast.files import Record, Settings, write_text
from steadfast.show.results import Note
from steadfast.show.roster import WORDS, Roster

# Okabe and Ito's palette; instead of yellow, too faint on white, and black, which is the mean's,
# one more that stands apart.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")
STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.parse_math": False,  # a label is text, even with dollar signs
    "pdf.fonttype": 42,  # text that can be searched, and edited
    "svg.hashsalt": "steadfast",
}
GRID: Settings = {"color": "#dddddd", "linewidth": 0.6}
DOTS_PER_INCH = 200
LINE = 150
"""Characters of a note's line."""
# Without dates and versions, so that equal results are equal files.
METADATA: dict[str, Any] = {
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
    "svg": {"Creator": None, "Date": None},
    "png": {"Software": None},
}


class Picture(NamedTuple):
    """A figure and what is to be read below it.

    Attributes:
        figure: with its layout engine set.
        caption: sentences of plain text; each number in them comes from the metrics.
    """

    figure: Figure
    caption: str


def picture(figure: Figure, caption: str, notes: Iterable[Note] = ()) -> Picture:
    """A figure with its caption, and notes such as tables have behind it."""
    return Picture(figure, " ".join([caption, *(text for _, text in notes)]))


def write_picture(picture: Picture, stem: Path) -> None:
    """Writes ``{stem}.pdf``, ``.svg`` and ``.png``, and the caption as ``{stem}.txt``.

    All three have the layout that the first drawing finds.
    """
    stem.parent.mkdir(parents=True, exist_ok=True)
    picture.figure.draw_without_rendering()
    picture.figure.set_layout_engine("none")
    for kind, metadata in METADATA.items():
        path = stem.with_name(f"{stem.name}.{kind}")
        picture.figure.savefig(path, dpi=DOTS_PER_INCH, metadata=metadata)
    caption = stem.with_name(f"{stem.name}.txt")
    write_text(caption, " ".join(picture.caption.split()) + "\n")


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
