"""What all figures share: the models' colours and markers, legends, captions, equal bytes."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, Literal, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from steadfast.files import Record, Settings, write_text
from steadfast.show.display import Display
from steadfast.show.results import Note
from steadfast.show.roster import WORDS, Group, Roster

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
LABEL = 44
"""Characters of a label's line, at most."""
MOST = 10
"""Models whose lines are drawn in one panel, at most."""
NARROW = 5.0
"""Inches of the narrowest figure."""
MARGIN = 0.1
"""Inches around a legend."""
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


def in_trial(picture: Picture, display: Display) -> Picture:
    """A picture whose figure and caption say that it is of a trial, where it is of one."""
    if not display.trial:
        return picture
    said = WORDS["trial_picture"].format(limit=display.limit)
    picture.figure.text(0.005, 0.005, said, ha="left", va="bottom", fontsize=7, color="firebrick")
    return picture._replace(caption=f"{display.trial} {picture.caption}")


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


def wrapped(text: str, width: int = LABEL) -> str:
    """A label in lines of so many characters at most."""
    return fill(text, width)


def row_height(labels: Iterable[str]) -> float:
    """Inches that a row needs so that its label, in one line or several, covers no other."""
    return 0.1 + 0.14 * max((label.count("\n") + 1 for label in labels), default=1)


def frame(axes: Axes, title: str = "", grid: Literal["x", "y", "both"] = "y") -> None:
    """Title and grid of a panel."""
    if title:
        axes.set_title(title, loc="left", fontsize=10)
    axes.grid(axis=grid, **GRID)
    axes.set_axisbelow(True)


def blank(axes: Axes, sentence: str) -> None:
    """A panel that has nothing to show, and says why."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, fill(sentence, 50), ha="center", va="center", transform=axes.transAxes)


def draw_points(
    axes: Axes, places: Sequence[float], rows: pd.DataFrame, upright: bool = True, **style: Any
) -> None:
    """Values joined as the style says, each with its interval where it has one.

    Args:
        axes: the panel.
        places: of the values on the other axis.
        rows: columns value, low and high, one row a place.
        upright: whether values are heights; else they go to the right.
        style: of the line and its markers.
    """
    at = pd.Series(places, rows.index, dtype=float)
    known = rows["low"].notna()
    draw = axes.vlines if upright else axes.hlines
    if known.any():
        ends = rows.loc[known, "low"], rows.loc[known, "high"]
        draw(at[known], *ends, color=style["color"], linewidth=0.8, alpha=0.6)
    # A mark on the edge of the panel is drawn whole.
    axes.plot(*((at, rows["value"]) if upright else (rows["value"], at)), clip_on=False, **style)


def apart(number: int, count: int, width: float) -> float:
    """How far from its place the mark of one of several stands, so that none hides another."""
    return (number - (count - 1) / 2) * width / max(count, 1)


def has_intervals(rows: pd.DataFrame) -> bool:
    """Whether any value has an interval."""
    return bool(rows["low"].notna().any())


def grid(
    count: int, size: tuple[float, float], columns: int, label: str, **how: Any
) -> tuple[Figure, list[Axes]]:
    """A figure of so many panels, line by line.

    Args:
        count: of panels.
        size: inches of a panel, width and height.
        columns: at most.
        label: of the horizontal axis, below the lowest panels.
        how: what ``Figure.subplots`` takes.
    """
    columns = min(columns, max(count, 1))
    lines = max(1, -(-count // columns))
    figure = Figure(figsize=(max(size[0] * columns, NARROW), size[1] * lines), layout="constrained")
    panels = list(figure.subplots(lines, columns, squeeze=False, **how).flat)
    for number, axes in enumerate(panels):
        if number >= max(count, 1):
            axes.remove()
        elif number + columns >= count:  # the lowest of its column
            axes.tick_params(axis="x", labelbottom=True)
            axes.set_xlabel(label)
    return figure, panels[: max(count, 1)]


def legend(figure: Figure, axes: Axes, place: Literal["right", "below"] = "below") -> None:
    """A legend of a panel's lines outside the panels; the figure grows by what it takes."""
    handles, names = axes.get_legend_handles_labels()
    if not handles:
        return
    location: Literal["outside right center", "outside lower center"] = (
        "outside right center" if place == "right" else "outside lower center"
    )
    width, height = figure.get_size_inches()
    for ncols in [1] if place == "right" else range(len(names), 0, -1):
        made = figure.legend(
            handles, [wrapped(name) for name in names], loc=location, ncols=ncols, frameon=False
        )
        box = made.get_window_extent()
        if place == "right" or ncols == 1 or box.width <= 0.98 * figure.bbox.width:
            break
        made.remove()
    wide, high = box.width / figure.dpi + MARGIN, box.height / figure.dpi + MARGIN
    if place == "right":
        figure.set_size_inches(width + wide, max(height, high))
    else:
        figure.set_size_inches(max(width, wide), height + high)


def legends(figure: Figure, panels: Iterable[Axes], key: Iterable[Axes]) -> None:
    """A legend of each panel to the right of it, in empty axes; the figure grows by the widest."""
    widest = 0.0
    for axes, beside in zip(panels, key, strict=True):
        beside.set_axis_off()
        handles, names = axes.get_legend_handles_labels()
        made = beside.legend(
            handles,
            [wrapped(name) for name in names],
            loc="center left",
            bbox_to_anchor=(0, 0.5),
            borderaxespad=0,
            frameon=False,
        )
        widest = max(widest, made.get_window_extent().width / figure.dpi)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width + widest + MARGIN, height)


def lineups(groups: Iterable[Group]) -> list[tuple[str, list[str]]]:
    """Models that are drawn in one panel, with its heading: few all together, many by group.

    Args:
        groups: of the roster, in their order.

    Example:
        >>> few = [Group("A", ("a",), "model"), Group("B", ("b", "c"), "model")]
        >>> lineups(few)
        [('', ['a', 'b', 'c'])]
        >>> many = Group("C", tuple("defghijklmn"), "model")
        >>> [(heading, len(models)) for heading, models in lineups([*few, many])]
        [('A', 1), ('B', 2), ('C', 6), ('C', 5)]
    """
    groups = list(groups)
    everyone = [model for group in groups for model in group.models]
    if len(everyone) <= MOST:
        return [("", everyone)]
    found = []
    for group in groups:
        parts = -(-len(group.models) // MOST)
        size = -(-len(group.models) // parts)
        found += [
            (group.full_heading, list(group.models[first : first + size]))
            for first in range(0, len(group.models), size)
        ]
    return found
