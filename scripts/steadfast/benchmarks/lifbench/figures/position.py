"""Where in the context an answer is found: success by position and length."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize

from steadfast.benchmarks.lifbench.analyses import LIST
from steadfast.benchmarks.lifbench.figures import shared
from steadfast.benchmarks.lifbench.tables.results import LifbenchResults
from steadfast.show.figures import SMALL, Picture, draw_empty_panel, row_height
from steadfast.show.panels import grid
from steadfast.show.results import extremes
from steadfast.show.table import rounded
from steadfast.stats import depth, tidy

COLOURS = "cividis"  # read alike by the colour-blind, and dark to light in grey
COLUMNS = 4
CELL = 6.5  # points of a cell's number, which is as wide as the cell
SCALE = 0.5  # inches of the scale of colours
DARK = 0.55  # what is darker has white numbers


def success_by_position(results: LifbenchResults, name: str) -> Picture:
    """Draws a heat map a model: the mean score of the list scenario by position and length."""
    rows = tidy.rows_of(results.frames["depth"], task=LIST)
    cells = rows[rows["length"] != ""]
    order, titles = shared.named(results, set(cells["model"]))
    height = 0.2 + row_height(titles) + 0.16 * len(results.lengths)
    label = shared.AXES["position"] if order else ""
    figure, panels = grid(len(order), height, COLUMNS, label, sharex=True, sharey=True)
    figure.set_figheight(figure.get_figheight() + SCALE)
    if not order:
        draw_empty_panel(panels[0], shared.EMPTY["position"])
        return shared.captioned(results, name, figure, [shared.EMPTY["position"]])
    scale = Normalize(min(0, cells["value"].min()), max(1, cells["value"].max()))
    for axes, model, title in zip(panels, order, titles, strict=True):
        _draw(axes, tidy.rows_of(cells, model=model), results.lengths, scale)
        axes.set_title(title, loc="left", fontsize=SMALL, y=1)
    panels[0].set_yticks(range(len(results.lengths)), results.lengths)
    panels[0].set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    panels[0].set(xlim=(0, 1), ylim=(len(results.lengths) - 0.5, -0.5))
    figure.supylabel(shared.AXES["length"], fontsize=8)
    layout: Any = {"location": "bottom", "aspect": 40, "fraction": 0.06}
    colours = ScalarMappable(scale, colormaps[COLOURS])
    figure.colorbar(colours, ax=panels, label=shared.AXES["success"], **layout)
    notes = _differences(results, rows[rows["length"] == ""])
    return shared.captioned(results, name, figure, notes)


def _draw(axes: Axes, rows: pd.DataFrame, lengths: list[str], scale: Normalize) -> None:
    """Draws a cell a length and bin, with its value; hatched without a sample."""
    bins = int(rows["bins"].max())
    table = rows.pivot(index="length", columns="bin", values="value")
    table = table.reindex(index=lengths, columns=range(1, bins + 1)).astype(float)
    axes.set_facecolor("#f2f2f2")
    axes.patch.set(hatch="////", edgecolor="#bbbbbb")
    edges = np.arange(bins + 1) / bins
    rims = np.arange(len(lengths) + 1) - 0.5
    axes.pcolormesh(edges, rims, table, cmap=COLOURS, norm=scale, edgecolors="white", linewidth=0.5)
    for row, length in enumerate(lengths):
        for column, value in enumerate(table.loc[length]):
            if pd.notna(value):
                text = f"{rounded(value, 2)}".removeprefix("0")
                label = axes.text((column + 0.5) / bins, row, text, ha="center", va="center")
                label.set(fontsize=CELL, color="white" if scale(value) < DARK else "black")
                label.set_in_layout(column in (0, bins - 1))  # others are within the panel
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def _differences(results: LifbenchResults, rows: pd.DataFrame) -> list[str]:
    """Returns a note on the differences between models' best and worst position."""
    by_model = shared.of_contenders(results, rows).groupby("model")
    if not len(by_model):
        return []
    gaps = by_model["value"].max() - by_model["value"].min()
    name = "position_thirds" if rows["bins"].max() == depth.FEW_BINS else "position"
    labelled = [(results.roster.label(str(model)), value) for model, value in gaps.items()]
    ends = " to ".join(extremes(labelled, results.digits))
    return [shared.sentence(name, apart=ends, n=f"{by_model['n'].sum().max():,.0f}")]
