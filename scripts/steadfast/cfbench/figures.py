"""CFBench's figures: satisfaction by primary type (Figure 4) and by four factors (Figure 6)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend

from steadfast.cfbench.facts import types
from steadfast.cfbench.frames import PRIMARY_KIND, bin_names, factors
from steadfast.cfbench.results import Results

# Okabe and Ito's palette; instead of yellow, too faint on white, and black, which is the mean's,
# two more that stand apart.
COLOURS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#E69F00",
    "#7F7F7F",
    "#661100",
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")
MEASURES = ("ISR", "PSR")  # of Figure 6
STYLE = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
GRID = {"color": "#dddddd", "linewidth": 0.6}


def draw_figures(
    metrics: Mapping[str, Path], display: Mapping[str, Any], outs: Mapping[str, Path]
) -> None:
    """Draws figures; equal inputs give equal bytes.

    Models are those of the tables with a column a model, by falling PSR; what is no real model is
    dashed and says so.

    Args:
        metrics: the files of ``cfbench.metrics`` by name.
        display: labels and groups by model, group_order, engines by model.
        outs: PNG file of each of types and factors that is wanted.

    Raises:
        UserError: a metrics file is missing or damaged.
    """
    results = Results(metrics, display, mode="strict")
    drawers = {"types": _types, "factors": _factors}
    with rc_context(STYLE):
        for name, path in outs.items():
            figure = drawers[name](results)
            # Without dates and versions, so that equal results are equal files.
            figure.savefig(path, dpi=200, metadata={"Software": None})


def _types(results: Results) -> Figure:
    """A line a primary type, a mark a model, with its interval."""
    rows = results.read("types")
    rows = rows[rows["kind"] == PRIMARY_KIND]
    labels = [label for label in types() if label in set(rows["category"])]
    models = results.few_models()
    figure = Figure(figsize=(7.5, 0.9 + 0.42 * max(1, len(labels))), layout="constrained")
    axes = figure.subplots()
    for place, model in enumerate(models):
        of_model = rows[rows["model"] == model].set_index("category").reindex(labels)
        offset = 0.0 if len(models) == 1 else 0.6 * (place / (len(models) - 1) - 0.5)
        _marks(axes, of_model, [row + offset for row in range(len(labels))], results, model, place)
    names = [f"{types()[label].name} ({types()[label].number})" for label in labels]
    axes.set_yticks(range(len(labels)), names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(max(1, len(labels)) - 0.5, -0.5)
    axes.set_xlim(0, 1.02)
    axes.set_title(results.words["figures"]["types"], loc="left", fontsize=10)
    axes.grid(axis="x", **GRID)
    for row in range(1, len(labels)):
        axes.axhline(row - 0.5, color="#eeeeee", linewidth=0.6)
    axes.set_axisbelow(True)
    _legend(figure, axes, len(models))
    return figure


def _marks(
    axes: Axes,
    rows: pd.DataFrame,
    heights: Sequence[float],
    results: Results,
    model: str,
    place: int,
) -> None:
    look = _look(results, model, place)
    axes.hlines(heights, rows["low"], rows["high"], color=look["color"], linewidth=0.8, alpha=0.6)
    look["linestyle"] = "none"
    axes.plot(rows["value"], heights, label=_name(results, model), **look)


def _factors(results: Results) -> Figure:
    """A panel a factor and measure."""
    rows = results.read("factors")
    facts = factors()
    figure = Figure(figsize=(12, 5.4), layout="constrained")
    panels = figure.subplots(len(MEASURES), len(facts), sharex="col", sharey=True)
    for line, measure in zip(panels, MEASURES, strict=True):
        for axes, (factor, how) in zip(line, facts.items(), strict=True):
            chosen = rows[(rows["kind"] == factor) & (rows["measure"] == measure)]
            _panel(axes, chosen, bin_names(how["from"]), results)
        line[0].set_ylabel(measure)
    for axes, how in zip(panels[-1], facts.values(), strict=True):
        axes.set_xlabel(f"{how['name']} (records)")
    _legend(figure, panels[0][0], len(results.few_models()) + 1)
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, bins: Sequence[str], results: Results) -> None:
    """A line a model over the bins that have records, and the mean of those shown that compete."""
    table = rows.pivot(index="category", columns="model", values="value")
    bins = [name for name in bins if name in table.index]
    table = table.reindex(bins)
    models = results.few_models()
    for place, model in enumerate(models):
        if model in table:
            look = _look(results, model, place)
            axes.plot(range(len(bins)), table[model], label=_name(results, model), **look)
    competing = [m for m in models if m in table and m in results.roster.contenders]
    if len(competing) > 1:
        mean = table[competing].mean(axis=1)
        name = results.words["figures"]["mean"]
        axes.plot(range(len(bins)), mean, color="black", linewidth=2.4, label=name)
    counts = rows.groupby("category")["n"].max()
    shown = [f"{name}\n({counts[name]:,})" for name in bins]
    axes.set_xticks(range(len(bins)), shown, fontsize=7)
    axes.set_ylim(0, 1.02)
    axes.grid(axis="y", **GRID)
    axes.set_axisbelow(True)


def _look(results: Results, model: str, place: int) -> dict[str, Any]:
    real = results.roster.kind(model) == "model"
    return {
        "color": COLOURS[place % len(COLOURS)],
        "marker": MARKERS[place % len(MARKERS)],
        "linestyle": "-" if real else "--",
        "markerfacecolor": None if real else "white",
        "markersize": 4.5,
        "linewidth": 1.2,
    }


def _name(results: Results, model: str) -> str:
    kind = results.roster.kind(model)
    return results.roster.label(model) + results.words["figures"].get(kind, "")


def _legend(figure: Figure, axes: Axes, entries: int) -> Legend:
    handles, names = axes.get_legend_handles_labels()
    legend = figure.legend(
        handles, names, loc="outside lower center", ncols=min(4, max(1, entries)), frameon=False
    )
    for text in legend.get_texts():
        text.set_parse_math(False)  # a label is text, even with dollar signs
    return legend
