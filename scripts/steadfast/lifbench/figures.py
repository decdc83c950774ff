"""LIFBench in one figure: how ARS falls with length, and how steady each model is."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from steadfast.components import Frames
from steadfast.lifbench.perspectives import PERSPECTIVES
from steadfast.metrics.asked import models_by_prompts
from steadfast.metrics.tidy import OVERALL
from steadfast.resources import facts
from steadfast.show.display import Display
from steadfast.show.figures import GRID, Picture, look, mark_apart, picture
from steadfast.show.results import range_notes, shared_notes, values_by_model
from steadfast.show.roster import Roster

WORDS = facts("lifbench/figures.yaml")
HEADINGS = facts("lifbench/tables.yaml")["perspectives"]
HUES = {"expression": "#000000", "variable": "#0072B2", "length": "#E69F00"}
SIGNS = {"expression": "o", "variable": "s", "length": "^"}


def figures(frames: Frames, display: Display) -> dict[str, Picture]:
    """``ars_by_length``: overall ARS against length, and each model's IFS in three perspectives.

    The models are named once, between the panels, by falling ARS; what is no real model is dashed
    and says so.

    Args:
        frames: ``ars``, ``ifs`` and ``coverage`` of ``lifbench.metrics``.
        display: how models are shown.
    """
    ars, ifs = (rows[rows["task"] == OVERALL] for rows in (frames["ars"], frames["ifs"]))
    roster = Roster(set(ars["model"]), display, models_by_prompts(frames["coverage"]))
    overall = values_by_model(ars[ars["length"] == ""])
    models = [model for group in roster.groups(overall) for model in group.models]
    height = max(3.0, 0.9 + 0.23 * len(models))
    figure = Figure(figsize=(10, height), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_ars(left, ars[ars["length"] != ""], models, roster)
    _draw_ifs(right, ifs[ifs["length"] == ""], models, roster)
    mark_apart(figure, roster)
    notes = range_notes(roster, WORDS["ars"], overall, display.digits)
    notes += shared_notes(roster, judged=False)
    return {"ars_by_length": picture(figure, WORDS["captions"]["ars_by_length"], notes)}


def _draw_ars(axes: Axes, rows: pd.DataFrame, models: Sequence[str], roster: Roster) -> None:
    lengths = list(dict.fromkeys(rows["length"]))
    for model in models:
        values = rows[rows["model"] == model].set_index("length")["value"].reindex(lengths)
        axes.plot(range(len(lengths)), values, **look(roster, model))
    axes.set_xticks(range(len(lengths)), lengths)
    # By the released rubric an answer's total, and so a mean of few, may be above 1.
    top = max(1.02, rows["value"].max() + 0.02) if len(rows) else 1.02
    axes.set(ylim=(0, top), xlabel="Length (tokens)", ylabel="Overall ARS")
    axes.set_title("ARS by length", loc="left", fontsize=10)
    axes.grid(axis="y", **GRID)
    axes.set_axisbelow(True)


def _draw_ifs(axes: Axes, rows: pd.DataFrame, models: Sequence[str], roster: Roster) -> None:
    for perspective in PERSPECTIVES:
        values = rows[rows["perspective"] == perspective].set_index("model")["value"]
        axes.plot(
            values.reindex(models),
            range(len(models)),
            linestyle="none",
            marker=SIGNS[perspective],
            color=HUES[perspective],
            markersize=5,
            alpha=0.85,
            label=HEADINGS[perspective],
        )
    axes.set_yticks(range(len(models)), [roster.figure_label(model) for model in models])
    for label in axes.get_yticklabels():
        label.set_parse_math(False)  # a label is text, even with dollar signs
    axes.tick_params(axis="y", length=0, pad=34)
    for row, model in enumerate(models):  # the line that belongs to the name
        axes.plot(
            [-0.09, -0.055, -0.02],
            [row] * 3,
            transform=axes.get_yaxis_transform(),
            clip_on=False,
            markevery=[1],
            **look(roster, model),
        )
    axes.set_xlim(left=0)
    axes.set(ylim=(len(models) - 0.5, -0.5), xlabel="IFS (smaller is steadier)")
    axes.set_title("Stability by perspective", loc="left", fontsize=10)
    axes.grid(**GRID)
    axes.set_axisbelow(True)
    axes.legend(loc="best", frameon=True, edgecolor="none", framealpha=0.9)
