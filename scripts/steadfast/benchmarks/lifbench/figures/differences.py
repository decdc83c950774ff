"""Differences in stability: of RECS from random sampling (Figure 7), of a judge from the rubric."""

import pandas as pd
from matplotlib.axes import Axes

from steadfast.benchmarks.lifbench.figures import shared
from steadfast.benchmarks.lifbench.scored_tasks import JUDGE
from steadfast.benchmarks.lifbench.tables.further import sign_notes
from steadfast.benchmarks.lifbench.tables.results import STRINGS as HEADINGS
from steadfast.benchmarks.lifbench.tables.results import LifbenchResults
from steadfast.show.figures import (
    Picture,
    draw_empty_panel,
    draw_frame,
    draw_points,
    model_style,
    row_height,
)
from steadfast.show.panels import grid
from steadfast.stats.tidy import rows_of

PERSPECTIVES = HEADINGS["perspectives"]


def differences(results: LifbenchResults, name: str) -> Picture:
    """Draws a panel a perspective: IFS minus IFS of what it is compared with, a row a model."""
    metric = shared.STRINGS["needs"][name]
    rows = results.frames[metric]
    if metric == "rubric_stability":
        rows = rows_of(rows, rubric=JUDGE)
    with_rows = set(rows["perspective"])
    perspectives = [perspective for perspective in PERSPECTIVES if perspective in with_rows]
    order, names = shared.named(results, set(rows["model"]))
    height = 0.7 + row_height(names) * max(len(order), 3)
    figure, panels = grid(len(perspectives), height, 4, shared.AXES[metric], sharey=True)
    for axes, perspective in zip(panels, perspectives, strict=False):
        _draw(axes, rows_of(rows, perspective=perspective), order, results)
        draw_frame(axes, PERSPECTIVES[perspective], "x")
        axes.tick_params(axis="y", length=0)
    panels[0].set_yticks(range(len(order)), names)
    panels[0].set_ylim(max(len(order), 1) - 0.5, -0.5)
    if not perspectives:
        draw_empty_panel(panels[0], shared.EMPTY[metric])
    notes = _notes(results, rows, perspectives, metric)
    return shared.captioned(results, name, figure, notes, [rows])


def _draw(axes: Axes, rows: pd.DataFrame, order: list[str], results: LifbenchResults) -> None:
    """Draws a mark a model with its interval, and the line of no difference."""
    axes.axvline(0, color="black", linewidth=0.8)
    for row, model in enumerate(order):
        model_rows = rows_of(rows, model=model)[["value", "low", "high"]]
        style = model_style(results.roster, model) | {"linestyle": "none"}
        draw_points(axes, [row] * len(model_rows), model_rows, upright=False, **style)


def _notes(
    results: LifbenchResults, rows: pd.DataFrame, perspectives: list[str], metric: str
) -> list[str]:
    """Returns notes on how many models have a larger IFS, and by how much on average."""
    competing = shared.of_contenders(results, rows)
    means = {}
    for perspective in perspectives:
        values = rows_of(competing, perspective=perspective)["value"]
        if len(values):
            means[PERSPECTIVES[perspective]] = values.mean()
    if not means:
        return []
    signs = [text for _, text in sign_notes(rows, results, metric)]
    return [*signs, shared.sentence("mean_gap", means=shared.listed(means, results.digits))]
