"""FollowBench in one figure: HSR by constraint category (the paper's Figure 4)."""

from collections.abc import Mapping
from math import pi
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes

from steadfast.followbench.facts import CATEGORIES, LANGUAGES, facts
from steadfast.followbench.results import by_model
from steadfast.metrics.tidy import OVERALL, read_csv
from steadfast.tables.roster import Roster

# Okabe and Ito's palette without its yellow, which is too faint for a line on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")


def draw_figures(
    metrics: Mapping[str, Path], display: Mapping[str, Any], outs: Mapping[str, Path]
) -> None:
    """Draws each model's HSR in each category, the mean of its levels; a panel a language.

    What is no real model is dashed and says so. Equal inputs give equal bytes.

    Args:
        metrics: the file ``hsr`` of ``followbench.metrics``.
        display: labels and groups by model, group_order, engines by model.
        outs: ``by_category``: picture to write, 200 dots per inch.

    Raises:
        UserError: the file is missing or damaged.
    """
    rows = read_csv(metrics["hsr"])
    rows = rows[rows["level"] == ""]
    languages = [language for language in LANGUAGES if language in set(rows["language"])]
    roster = Roster(set(rows["model"]), display)
    first = by_model(rows, language=languages[0], category=OVERALL) if languages else {}
    groups = roster.groups({model: value for model, (value, _) in first.items()})
    models = [model for group in groups for model in group.models]
    with rc_context({"font.size": 9}):
        panels = max(len(languages), 1)
        figure = Figure(figsize=(4.6 * panels + 2.2, 4.9), layout="constrained")
        all_axes = figure.subplots(1, panels, subplot_kw={"projection": "polar"}, squeeze=False)[0]
        for axes, language in zip(all_axes, languages, strict=False):
            _draw(axes, rows[rows["language"] == language], models, roster)
            axes.set_title(facts("tables")["languages"][language], pad=18, fontsize=10)
        figure.suptitle(facts("tables")["figures"]["by_category"], fontsize=10)
        if models:
            handles, labels = all_axes[0].get_legend_handles_labels()
            legend = figure.legend(handles, labels, loc="outside right center", frameon=False)
            for text in legend.get_texts():
                text.set_parse_math(False)  # a label is text, even with dollar signs
        # Without dates and versions, so that equal results are equal files.
        figure.savefig(outs["by_category"], dpi=200, metadata={"Software": None})


def _draw(axes: PolarAxes, rows: pd.DataFrame, models: list[str], roster: Roster) -> None:
    words = facts("tables")
    angles = [2 * pi * place / len(CATEGORIES) for place in range(len(CATEGORIES))]
    columns = {category: by_model(rows, category=category) for category in CATEGORIES}
    for number, model in enumerate(models):
        values = [columns[c].get(model, (float("nan"), True))[0] for c in CATEGORIES]
        kind = roster.kind(model)
        axes.plot(
            [*angles, angles[0]],
            [*values, values[0]],
            color=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)],
            markersize=4.5,
            markerfacecolor=None if kind == "model" else "white",
            linestyle="-" if kind == "model" else "--",
            linewidth=1.3,
            clip_on=False,
            label=roster.label(model) + words["figures"].get(kind, ""),
        )
    axes.set_theta_offset(pi / 2)
    axes.set_theta_direction(-1)
    axes.set_xticks(angles, [words["categories"][category] for category in CATEGORIES])
    axes.tick_params(axis="x", pad=10)
    axes.set_ylim(min(0, rows["value"].min()), 100)  # below 0 only in mode released
    axes.set_yticks([20, 40, 60, 80, 100])
    axes.set_rlabel_position(30)  # between two categories
    axes.tick_params(axis="y", labelsize=7, labelcolor="#666666")
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.spines["polar"].set_color("#bbbbbb")
