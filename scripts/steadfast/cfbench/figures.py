"""CFBench's figures: satisfaction by primary type (Figure 4) and by four factors (Figure 6)."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from steadfast.cfbench.constraint_types import TYPES
from steadfast.cfbench.facts import FULL, PRIMARY_KIND
from steadfast.cfbench.results import CfbenchResults
from steadfast.components import Frames
from steadfast.metrics.tidy import rows_of
from steadfast.resources import facts
from steadfast.show.display import Display
from steadfast.show.figures import GRID, Picture, legend, look, picture
from steadfast.show.results import range_notes

MEASURES = ("ISR", "PSR")  # of Figure 6
FACTORS = facts("cfbench/factors.yaml")


def figures(frames: Frames, display: Display) -> dict[str, Picture]:
    """The figures by name.

    Models are those of the tables with a column a model, by falling PSR.

    Args:
        frames: what ``cfbench.metrics`` gives.
        display: how models are shown.
    """
    results = CfbenchResults(frames, display)
    drawn = {"types": _types(results), "factors": _factors(results)}
    values = results.values(FULL, "PSR")
    notes = range_notes(results.roster, results.words["ranked"], values, display.digits)
    notes += results.notes(results.shown_models)
    captions = results.words["figure_captions"]
    return {name: picture(figure, captions[name], notes) for name, figure in drawn.items()}


def _types(results: CfbenchResults) -> Figure:
    """A line a primary type, a mark a model, with its interval."""
    rows, models = rows_of(results.frames["types"], kind=PRIMARY_KIND), results.shown_models
    labels = [label for label in TYPES if label in set(rows["category"])]
    figure = Figure(figsize=(7.5, 0.9 + 0.42 * max(1, len(labels))), layout="constrained")
    axes = figure.subplots()
    for place, model in enumerate(models):
        values = rows_of(rows, model=model).set_index("category").reindex(labels)
        offset = 0.0 if len(models) == 1 else 0.6 * (place / (len(models) - 1) - 0.5)
        heights = [row + offset for row in range(len(labels))]
        style = look(results.roster, model) | {"linestyle": "none"}
        ends = values["low"], values["high"]
        axes.hlines(heights, *ends, color=style["color"], linewidth=0.8, alpha=0.6)
        axes.plot(values["value"], heights, label=results.roster.figure_label(model), **style)
    names = [f"{TYPES[label].name} ({TYPES[label].number})" for label in labels]
    axes.set_yticks(range(len(labels)), names)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(max(1, len(labels)) - 0.5, -0.5)
    axes.set_xlim(0, 1.02)
    axes.set_title(results.words["figures"]["types"], loc="left", fontsize=10)
    axes.grid(axis="x", **GRID)
    for row in range(1, len(labels)):
        axes.axhline(row - 0.5, color="#eeeeee", linewidth=0.6)
    axes.set_axisbelow(True)
    legend(figure, axes, "lower center", ncols=min(2, max(1, len(models))))
    return figure


def _factors(results: CfbenchResults) -> Figure:
    """A panel a factor and measure."""
    figure = Figure(figsize=(12, 5.4), layout="constrained")
    panels = figure.subplots(len(MEASURES), len(FACTORS), sharex="col", sharey=True)
    for line, measure in zip(panels, MEASURES, strict=True):
        for axes, (factor, how) in zip(line, FACTORS.items(), strict=True):
            rows = rows_of(results.frames["factors"], kind=factor, measure=measure)
            _panel(axes, rows, list(how["bins"]), results)
        line[0].set_ylabel(measure)
    for axes, how in zip(panels[-1], FACTORS.values(), strict=True):
        axes.set_xlabel(f"{how['name']} (records)")
    legend(figure, panels[0][0], "lower center", ncols=min(4, len(results.shown_models) + 1))
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, bins: Sequence[str], results: CfbenchResults) -> None:
    """A line a model over the bins that have records, and the mean of those shown that compete."""
    table = rows.pivot(index="category", columns="model", values="value")
    table = table.reindex([name for name in bins if name in table.index])
    bins, models = list(table.index), [m for m in results.shown_models if m in table]
    for model in models:
        label, style = results.roster.figure_label(model), look(results.roster, model)
        axes.plot(range(len(bins)), table[model], label=label, **style)
    competing = [model for model in models if model in results.roster.contenders]
    if len(competing) > 1:
        mean, name = table[competing].mean(axis=1), results.words["figures"]["mean"]
        axes.plot(range(len(bins)), mean, color="black", linewidth=2.4, label=name)
    counts = rows.groupby("category")["n"].max()
    shown = [f"{name}\n({counts[name]:,})" for name in bins]
    axes.set_xticks(range(len(bins)), shown, fontsize=7)
    axes.set_ylim(0, 1.02)
    axes.grid(axis="y", **GRID)
    axes.set_axisbelow(True)
