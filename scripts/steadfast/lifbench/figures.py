"""LIFBench in one figure: how ARS falls with length, and how steady each model is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from steadfast.lifbench.metrics import PERSPECTIVES
from steadfast.lifbench.tables import LAYOUT
from steadfast.metrics.tidy import OVERALL, read_csv
from steadfast.tables.roster import Roster

# Okabe and Ito's palette without its yellow, which is too faint for a line on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")
HUES = {"expression": "#000000", "variable": "#0072B2", "length": "#E69F00"}
SIGNS = {"expression": "o", "variable": "s", "length": "^"}
SIMULATED = " (simulated)"
REFERENCE = " (gold)"


def ars_by_length(
    metrics: Mapping[str, Path],
    display: Mapping[str, Any],
    out_png: Path,
    out_pdf: Path | None = None,
) -> None:
    """Draws overall ARS against length, and beside it each model's IFS in three perspectives.

    The models are named once, between the panels, by falling ARS; what is no real model is dashed
    and says so. Equal inputs give equal bytes.

    Args:
        metrics: the files ``ars`` and ``ifs`` of ``lifbench.metrics``.
        display: labels and groups by model, group_order, engines by model.
        out_png: picture to write, 200 dots per inch.
        out_pdf: the same as vectors, if wanted.

    Raises:
        UserError: a file is missing or damaged.
    """
    ars, ifs = (_overall(read_csv(metrics[name])) for name in ("ars", "ifs"))
    ifs = ifs[ifs["length"] == ""]
    roster = Roster(set(ars["model"]), display)
    overall = dict(ars[ars["length"] == ""][["model", "value"]].itertuples(index=False))
    models = [model for group in roster.groups(overall) for model in group.models]
    looks = {model: _look(i, roster.kind(model)) for i, model in enumerate(models)}

    with rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        height = max(3.0, 0.9 + 0.23 * len(models))
        figure = Figure(figsize=(10, height), layout="constrained")
        left, right = figure.subplots(1, 2)
        _draw_ars(left, ars[ars["length"] != ""], models, looks)
        _draw_ifs(right, ifs, models, looks, roster)
        # Without dates and versions, so that equal results are equal files.
        figure.savefig(out_png, dpi=200, metadata={"Software": None})
        if out_pdf:
            nothing = {"Creator": None, "Producer": None, "CreationDate": None}
            figure.savefig(out_pdf, metadata=nothing)


def _overall(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["task"] == OVERALL]


def _look(number: int, kind: str) -> dict[str, Any]:
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[number % len(MARKERS)],
        "linestyle": "-" if kind == "model" else "--",
        "markerfacecolor": None if kind == "model" else "white",
        "markersize": 4.5,
        "linewidth": 1.2,
    }


def _draw_ars(axes: Axes, rows: pd.DataFrame, models: list[str], looks: Mapping[str, Any]) -> None:
    lengths = list(dict.fromkeys(rows["length"]))
    for model in models:
        values = rows[rows["model"] == model].set_index("length")["value"].reindex(lengths)
        axes.plot(range(len(lengths)), values, **looks[model])
    axes.set_xticks(range(len(lengths)), lengths)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("Length (tokens)")
    axes.set_ylabel("Overall ARS")
    axes.set_title("ARS by length", loc="left", fontsize=10)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def _draw_ifs(
    axes: Axes, rows: pd.DataFrame, models: list[str], looks: Mapping[str, Any], roster: Roster
) -> None:
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
            label=LAYOUT["perspectives"][perspective],
        )
    suffix = {"simulated": SIMULATED, "reference": REFERENCE}
    names = [roster.label(m) + suffix.get(roster.kind(m), "") for m in models]
    axes.set_yticks(range(len(models)), names)
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
            **looks[model],
        )
    axes.set_ylim(len(models) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel("IFS (smaller is steadier)")
    axes.set_title("Stability by perspective", loc="left", fontsize=10)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(loc="best", frameon=True, edgecolor="none", framealpha=0.9)
