"""What all figures share: sizes of print, models' looks, legends, captions, equal bytes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import pi, sin
from pathlib import Path
from textwrap import fill
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes

from steadfast.base.files import Record, Settings, write_text
from steadfast.show.results import Note
from steadfast.show.roster import STRINGS, Display, Roster

# Okabe and Ito's palette; instead of yellow, too faint on white, and black, which is the mean's,
# one more that stands apart.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")
# Inches of a figure's width: that of a printed page, and that of one of its two columns.
PAGE = 7.0
COLUMN = 3.3
TALL = 9.0  # inches of a printed page's height
SMALL = 7  # points of what is smaller than the rest; nothing in a figure has less than six
STYLE: Any = {
    "font.size": 8,
    "axes.titlesize": 8,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "legend.handlelength": 2.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.parse_math": False,  # a label is text, even with dollar signs
    "pdf.fonttype": 42,  # text that can be searched, and edited
    "svg.hashsalt": "steadfast",
}
GRID: Settings = {"color": "#dddddd", "linewidth": 0.6}
DOTS_PER_INCH = 200
LABEL = 32  # characters of a label's line, at most
# Without dates and versions, so that equal results are equal files.
FORMATS: dict[str, tuple[Any, dict[str, None]]] = {
    "png": (FigureCanvasAgg, {"Software": None}),
    "pdf": (FigureCanvasPdf, {"Creator": None, "Producer": None, "CreationDate": None}),
    "svg": (FigureCanvasSVG, {"Creator": None, "Date": None}),
}


class Picture(NamedTuple):
    """A figure, and below it sentences of plain text, whose numbers come from the metrics."""

    figure: Figure
    caption: str


def picture(figure: Figure, caption: str, notes: Iterable[Note] = ()) -> Picture:
    """Returns a figure with its caption, and notes such as tables have behind it."""
    return Picture(figure, " ".join([caption, *(text for _, text in notes)]))


def in_trial(picture: Picture, display: Display) -> Picture:
    """Returns a picture, in a trial with a remark on it in figure and caption."""
    if not display.trial:
        return picture
    trial_note = STRINGS["trial_picture"].format(limit=display.limit)
    picture.figure.text(
        0.005, 0.005, trial_note, ha="left", va="bottom", fontsize=SMALL, color="firebrick"
    )
    return picture._replace(caption=f"{display.trial} {picture.caption}")


def write_picture(picture: Picture, stem: Path) -> None:
    """Writes ``{stem}.pdf``, ``.svg`` and ``.png``, and the caption as ``{stem}.txt``."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    figure = picture.figure
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if not axis.label.get_text():
                axis.set_label_coords(0, 0)  # else each drawing looks for its place
    if engine := figure.get_layout_engine():
        engine.execute(figure)
    figure.set_layout_engine("none")
    figure.set_dpi(DOTS_PER_INCH)
    # Each canvas prints by itself: ``savefig`` would lay out every text twice.
    for kind, (canvas, metadata) in FORMATS.items():
        getattr(canvas(figure), f"print_{kind}")(f"{stem}.{kind}", metadata=metadata)
    caption = stem.with_name(f"{stem.name}.txt")
    write_text(caption, " ".join(picture.caption.split()) + "\n")


def model_style(roster: Roster, model: str) -> Record:
    """Returns a model's line and marker; what is no real model is dashed and hollow."""
    place = roster.place(model)
    real = roster.kind(model) == "model"
    return {
        "color": PALETTE[place % len(PALETTE)],
        "marker": MARKERS[place % len(MARKERS)],
        "linestyle": "-" if real else "--",
        "markerfacecolor": None if real else "white",
    }


def series_style(roster: Roster, model: str) -> Record:
    """Returns a model's line: a colour for each series, dashes for base models, a marker each."""
    if not roster.has_series:
        return model_style(roster, model)
    series, is_base = roster.series(model)
    # Colours go by the config's order, real models first.
    in_order = sorted(roster.models, key=lambda m: (roster.kind(m) != "model", roster.place(m)))
    all_series = list(dict.fromkeys(roster.series(name)[0] for name in in_order))
    style = model_style(roster, model) | {"color": PALETTE[all_series.index(series) % len(PALETTE)]}
    return style | ({"linestyle": "--"} if is_base else {})


def wrap_label(text: str) -> str:
    """Returns a label in lines of ``LABEL`` characters at most."""
    return fill(text, LABEL)


def row_height(labels: Iterable[str]) -> float:
    """Returns the inches that a row needs so that its label, of whatever lines, covers no other."""
    return 0.06 + 0.12 * max((label.count("\n") + 1 for label in labels), default=1)


def draw_frame(axes: Axes, title: str = "", grid: Literal["x", "y", "both"] = "y") -> None:
    """Draws title and grid of a panel."""
    if title:
        axes.set_title(title, loc="left", y=1)  # else each drawing looks for what it might cover
    axes.grid(axis=grid, **GRID)
    axes.set_axisbelow(True)


def draw_empty_panel(axes: Axes, sentence: str) -> None:
    """Makes a panel that has nothing to show say why."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, fill(sentence, 36), ha="center", va="center", transform=axes.transAxes)


def draw_points(
    axes: Axes, places: Sequence[float], rows: pd.DataFrame, upright: bool = True, **style: Any
) -> None:
    """Draws values at places with their intervals: as heights, or to the right."""
    at = pd.Series(places, rows.index, dtype=float)
    _draw_intervals(axes.vlines if upright else axes.hlines, at, rows, style["color"])
    # A mark on the edge of the panel is drawn whole.
    axes.plot(*((at, rows["value"]) if upright else (rows["value"], at)), clip_on=False, **style)


def draw_models(
    axes: Axes,
    roster: Roster,
    models: Sequence[str],
    rows: pd.DataFrame,
    along: Sequence[str],
    width: float,
    upright: bool = True,
    **style: Any,
) -> None:
    """Draws each model's values over the places ``along``, which are the rows' index.

    Models stand beside each other within ``width`` of a place.
    """
    for number, model in enumerate(models):
        values = rows[rows["model"] == model].reindex(list(along))
        places = [place + dodge_offset(number, len(models), width) for place in range(len(along))]
        model_looks = {"label": roster.figure_label(model), **model_style(roster, model), **style}
        draw_points(axes, places, values, upright, **model_looks)


def _draw_intervals(
    draw: Callable[..., object], at: pd.Series, rows: pd.DataFrame, color: str
) -> None:
    has_interval = rows["low"].notna()
    if has_interval.any():
        ends = rows.loc[has_interval, "low"], rows.loc[has_interval, "high"]
        draw(at[has_interval], *ends, color=color, linewidth=0.8, alpha=0.6)


def dodge_offset(number: int, count: int, width: float) -> float:
    """Returns how far from its place one of several marks stands, so that none hides another."""
    return (number - (count - 1) / 2) * width / max(count, 1)


def has_intervals(rows: pd.DataFrame) -> bool:
    """Returns whether any value has an interval."""
    return bool(rows["low"].notna().any())


def draw_radar(
    axes: PolarAxes,
    rows: pd.DataFrame,
    spokes: Mapping[str, str],
    models: Sequence[str],
    roster: Roster,
    ticks: Sequence[float],
    look_of: Callable[[Roster, str], Record] = model_style,
) -> None:
    """Draws a closed line a model, with an interval on each spoke where there is one.

    The columns are model, spoke, value, low and high. The last tick is the rim, unless a value is
    beyond it.
    """
    angles = [2 * pi * place / len(spokes) for place in range(len(spokes))]
    shown_rows = rows[rows["model"].isin(models)]
    for number, model in enumerate(models):
        values = shown_rows[shown_rows["model"] == model].set_index("spoke").reindex(list(spokes))
        style = look_of(roster, model)
        closed_line = [*values["value"], *values["value"].iloc[:1]]
        label = roster.figure_label(model)
        # Beside the spoke where there are intervals, so that none hides another.
        beside = dodge_offset(number, len(models), 0.12) if has_intervals(shown_rows) else 0.0
        at = pd.Series(angles, values.index) + beside
        axes.plot([*at, at.iloc[0]], closed_line, clip_on=False, label=label, **style)
        _draw_intervals(axes.vlines, at, values, style["color"])
    axes.set_theta_offset(pi / 2)
    axes.set_theta_direction(-1)
    axes.set_xticks(angles, list(spokes.values()))
    for angle, text in zip(angles, axes.get_xticklabels(), strict=True):
        side = sin(angle)
        text.set_horizontalalignment(
            "center" if abs(side) < 0.1 else "left" if side > 0 else "right"
        )
    axes.tick_params(axis="x", pad=3)
    ends = shown_rows[["value", "low", "high"]].to_numpy(dtype=float).ravel()
    ends = ends[~np.isnan(ends)]
    axes.set_ylim(min([0, *ends]), max([ticks[-1], *ends]))  # beyond them only in mode released
    axes.set_yticks(list(ticks))
    axes.set_rlabel_position(180 / len(spokes))  # between two spokes
    axes.tick_params(axis="y", labelsize=SMALL, labelcolor="#666666")
    axes.grid(**GRID)
    axes.spines["polar"].set_color("#bbbbbb")
