"""Models by several measures at once, each on a spoke of its own."""

from collections.abc import Mapping, Sequence
from math import pi, sin

import pandas as pd
from matplotlib.projections.polar import PolarAxes

from steadfast.show.figures import GRID, SMALL, apart, has_intervals, look
from steadfast.show.roster import Roster


def draw_radar(
    axes: PolarAxes,
    rows: pd.DataFrame,
    spokes: Mapping[str, str],
    models: Sequence[str],
    roster: Roster,
    ticks: Sequence[float],
) -> None:
    """Draws a closed line a model, with an interval on each spoke where there is one.

    Args:
        axes: the panel.
        rows: columns model, spoke, value, low and high.
        spokes: label of each, clockwise from the top.
        models: that are drawn.
        roster: how they look.
        ticks: of the rings; the last is the rim, unless a value is beyond it.
    """
    angles = [2 * pi * place / len(spokes) for place in range(len(spokes))]
    shown = rows[rows["model"].isin(models)]
    for number, model in enumerate(models):
        its = shown[shown["model"] == model].set_index("spoke").reindex(list(spokes))
        style = look(roster, model)
        around = [*its["value"], *its["value"].iloc[:1]]
        label = roster.figure_label(model)
        # Beside the spoke where there are intervals, so that none hides another.
        beside = apart(number, len(models), 0.12) if has_intervals(shown) else 0.0
        at = pd.Series(angles, its.index) + beside
        axes.plot([*at, at.iloc[0]], around, clip_on=False, label=label, **style)
        known = its["low"].notna()
        if known.any():
            ends = its.loc[known, "low"], its.loc[known, "high"]
            axes.vlines(at[known], *ends, color=style["color"], linewidth=0.8, alpha=0.6)
    axes.set_theta_offset(pi / 2)
    axes.set_theta_direction(-1)
    axes.set_xticks(angles, list(spokes.values()))
    for angle, text in zip(angles, axes.get_xticklabels(), strict=True):
        side = sin(angle)
        text.set_horizontalalignment(
            "center" if abs(side) < 0.1 else "left" if side > 0 else "right"
        )
    axes.tick_params(axis="x", pad=3)
    ends = shown[["value", "low", "high"]].to_numpy(dtype=float).ravel()
    ends = ends[ends == ends]
    axes.set_ylim(min([0, *ends]), max([ticks[-1], *ends]))  # beyond them only in mode released
    axes.set_yticks(list(ticks))
    axes.set_rlabel_position(180 / len(spokes))  # between two spokes
    axes.tick_params(axis="y", labelsize=SMALL, labelcolor="#666666")
    axes.grid(**GRID)
    axes.spines["polar"].set_color("#bbbbbb")
