"""LIFBench in one figure: how ARS falls with length, and how steady each model is."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from steadfast.benchmarks.lifbench.figures.shared import (
    AXES,
    TITLES,
    WORDS,
    captioned,
    models,
    values_of,
)
from steadfast.benchmarks.lifbench.perspectives import PERSPECTIVES
from steadfast.benchmarks.lifbench.tables.results import WORDS as HEADINGS
from steadfast.benchmarks.lifbench.tables.results import LifbenchResults
from steadfast.show.figures import (
    PAGE,
    Picture,
    apart,
    draw_points,
    frame,
    has_intervals,
    look,
    row_height,
    wrapped,
)
from steadfast.show.panels import MARGIN
from steadfast.show.results import range_notes
from steadfast.show.roster import Roster
from steadfast.stats.tidy import OVERALL, rows_of

HUES = {"expression": "#000000", "variable": "#0072B2", "length": "#E69F00"}
SIGNS = {"expression": "o", "variable": "s", "length": "^"}


def ars_by_length(results: LifbenchResults, name: str) -> Picture:
    """Draws overall ARS against length, and each model's IFS in three perspectives.

    The models are named once, between the panels, by falling ARS; what is no real model is dashed
    and says so.
    """
    ars, ifs = (rows_of(results.frames[key], task=OVERALL) for key in ("ars", "ifs"))
    ars, ifs = ars[ars["length"] != ""], ifs[ifs["length"] == ""]
    order, roster = models(results), results.roster
    names = [wrapped(roster.figure_label(model)) for model in order]
    high = max(2.4, 0.6 + row_height(names) * len(order))
    figure = Figure(figsize=(PAGE, high), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_ars(left, ars, results.lengths, order, roster)
    _draw_ifs(right, ifs, order, names, roster)
    made = figure.legend(
        *right.get_legend_handles_labels(), loc="outside upper right", ncols=3, frameon=False
    )
    figure.set_figheight(high + made.get_window_extent().height / figure.dpi + MARGIN)
    notes = range_notes(roster, WORDS["ars"], results.ars[OVERALL, ""], results.digits)
    return captioned(results, name, figure, [text for _, text in notes], [ars, ifs])


def _draw_ars(
    axes: Axes, rows: pd.DataFrame, lengths: Sequence[str], order: Sequence[str], roster: Roster
) -> None:
    for number, model in enumerate(order):
        beside = apart(number, len(order), 0.2) if has_intervals(rows) else 0.0
        places = [place + beside for place in range(len(lengths))]
        values = values_of(rows, model, "length", lengths)
        draw_points(axes, places, values, **look(roster, model))
    axes.set_xticks(range(len(lengths)), lengths)
    # By the released rubric an answer's total, and so a mean of few, may be above 1.
    top = max(1.02, rows["value"].max() + 0.02) if len(rows) else 1.02
    axes.set(ylim=(0, top), xlabel=AXES["length"], ylabel=AXES["ars"])
    frame(axes, TITLES["ars"])


def _draw_ifs(
    axes: Axes, rows: pd.DataFrame, order: Sequence[str], names: Sequence[str], roster: Roster
) -> None:
    for number, perspective in enumerate(PERSPECTIVES):
        found = rows_of(rows, perspective=perspective).set_index("model")
        values = found[["value", "low", "high"]].reindex(list(order))
        places = [place + apart(number, len(PERSPECTIVES), 0.5) for place in range(len(order))]
        draw_points(
            axes,
            places,
            values,
            upright=False,
            linestyle="none",
            marker=SIGNS[perspective],
            color=HUES[perspective],
            alpha=0.85,
            label=HEADINGS["perspectives"][perspective],
        )
    axes.set_yticks(range(len(order)), names)
    axes.tick_params(axis="y", length=0, pad=26)
    for row, model in enumerate(order):  # the line that belongs to the name
        axes.plot(
            [-0.09, -0.055, -0.02],
            [row] * 3,
            transform=axes.get_yaxis_transform(),
            clip_on=False,
            markevery=[1],
            **look(roster, model),
        )
    axes.set_xlim(left=0)
    axes.set(ylim=(len(order) - 0.5, -0.5), xlabel=AXES["ifs"])
    frame(axes, TITLES["ifs"], "both")
