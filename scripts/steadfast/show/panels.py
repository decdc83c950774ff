"""How a figure is laid out: panels in rows, legends below them, and which models have room."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from steadfast.show import figures
from steadfast.show.effective_context_length import STRINGS as EFFECTIVE
from steadfast.show.effective_context_length import Effective
from steadfast.show.figures import COLUMN, PAGE
from steadfast.show.results import Note
from steadfast.show.roster import NOTES, Group, Roster, members

MOST = 10  # models whose lines are drawn in one panel, at most
MOST_MODELS = 24  # models that one figure has room for on a printed page
ABREAST = 6  # names that stand side by side in a legend, at most
LABELLED = 0.3  # inches of a label below the panels
MARGIN = 0.1  # inches around a legend


def grid(
    count: int, height: float, columns: int, label: str, **options: Any
) -> tuple[Figure, list[Axes]]:
    """Returns a figure of ``count`` panels, line by line; few panels take one column of a page.

    Heights are in inches; ``label`` stands below the last line.
    """
    wide = COLUMN if 2 * count <= columns else PAGE
    lines = max(1, -(-count // columns))
    columns = max(1, -(-count // lines))
    figure = Figure(figsize=(wide, height * lines + LABELLED), layout="constrained")
    panels = list(figure.subplots(lines, columns, squeeze=False, **options).flat)
    for number, axes in enumerate(panels):
        if number >= max(count, 1):
            axes.remove()
        elif number + columns >= count:  # the lowest of its column
            axes.tick_params(axis="x", labelbottom=True)
        if number >= columns * (lines - 1):
            axes.set_xlabel(label, fontsize=figures.SMALL)
    return figure, panels[: max(count, 1)]


def rows_of_panels(
    lines: int, height: float, columns: int, width: float = PAGE, **options: Any
) -> tuple[Figure, list[list[Axes]], list[Axes]]:
    """Returns a figure of rows of panels, and empty axes for a legend below each row."""
    figure = Figure(figsize=(width, height * lines), layout="constrained")
    spec = figure.add_gridspec(2 * lines, columns, height_ratios=[1, 0.01] * lines)
    panels: list[list[Axes]] = []
    for column in range(columns):
        cells = [spec[2 * row, column] for row in range(lines)]
        panels.append([figure.add_subplot(cell, **options) for cell in cells])
    return figure, panels, [figure.add_subplot(spec[2 * row + 1, :]) for row in range(lines)]


def by_category(
    roster: Roster, models: Sequence[str], rows: pd.DataFrame, labels: Mapping[str, str], title: str
) -> Figure:
    """Returns a line a category, from 0 to 1, and on it a mark a model with its interval.

    ``rows`` have the columns model, category, value, low and high; ``labels`` are of the categories
    from the top down, and ``title`` stands below.
    """
    # As high as the marks need that stand below each other, and no higher than a page.
    high = min((0.1 + 0.05 * max(1, len(models))) * max(5, len(labels)), figures.TALL - 1)
    figure = Figure(figsize=(PAGE, 0.6 + high), layout="constrained")
    axes = figure.subplots()
    values = rows.set_index("category")
    along = list(labels)
    figures.draw_models(axes, roster, models, values, along, 0.75, upright=False, linestyle="none")
    axes.set_yticks(range(len(labels)), list(labels.values()))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(max(1, len(labels)) - 0.5, -0.5)
    axes.set_xlim(0, 1.02)
    axes.set_xlabel(title)
    figures.draw_frame(axes, grid="x")
    for row in range(1, len(labels)):
        axes.axhline(row - 0.5, color="#eeeeee", linewidth=0.6)
    legend(figure, axes)
    return figure


def effective_figure(effective: Effective, groups: Iterable[Group]) -> Figure:
    """Returns the share of its score that each model keeps at each length, many models by group."""
    lines = panel_models(groups)
    width = PAGE if len(lines) > 1 else COLUMN
    figure, (panels,), keys = rows_of_panels(len(lines), 1.9, 1, width)
    lengths = effective.lengths
    top = max(1.05, 1.03 * effective.rows[["value", "high"]].max().max())
    share = float(effective.rows["retention"].max())
    rows = effective.rows.set_index("length")
    spread = 0.2 if figures.has_intervals(rows) else 0.0
    for axes, (heading, models) in zip(panels, lines, strict=True):
        figures.draw_models(axes, effective.results.roster, models, rows, lengths, spread)
        axes.axhline(share, color="#666666", linewidth=0.8, zorder=0)
        axes.set_xticks(range(len(lengths)), lengths)
        axes.set(ylim=(0, top), xlabel=EFFECTIVE["axes"]["length"])
        axes.set_ylabel(effective.text(EFFECTIVE["axes"]["kept"]))
        figures.draw_frame(axes, heading)
    legends(figure, panels, keys)
    return figure


def legend(figure: Figure, axes: Axes) -> None:
    """Draws a legend of a panel's lines below the panels; the figure grows by its height."""
    _grow(figure, _legend(figure, figure, axes, loc="outside lower center"))


def legends(figure: Figure, panels: Iterable[Axes], keys: Iterable[Axes]) -> None:
    """Draws a legend of each panel in empty axes below it; the figure grows by their heights."""
    for axes, key in zip(panels, keys, strict=True):
        key.set_axis_off()
        # Its place is free to lie beside the axes, which are as wide as what is drawn above.
        layout = {"loc": "upper center", "bbox_to_anchor": (0.5, 1), "borderaxespad": 0}
        _grow(figure, _legend(figure, key, axes, **layout))


def _legend(figure: Figure, place: Figure | Axes, axes: Axes, **options: Any) -> float:
    """Draws a legend with as many columns as fit; returns its height in inches."""
    handles, names = axes.get_legend_handles_labels()
    if not handles:
        return 0.0
    names = list(map(figures.wrap_label, names))
    for columns in range(min(len(names), ABREAST), 0, -1):
        artist = place.legend(handles, names, ncols=columns, frameon=False, **options)
        box = artist.get_window_extent()
        if columns == 1 or box.width <= 0.95 * figure.bbox.width:
            break
        artist.remove()
    return float(box.height / figure.dpi + MARGIN)


def _grow(figure: Figure, by: float) -> None:
    figure.set_figheight(figure.get_figheight() + by)


def pictured_groups(roster: Roster, value: Mapping[str, float]) -> tuple[list[Group], list[Note]]:
    """Returns the groups that a figure has room for, and a note on models that it leaves out."""
    groups = roster.groups(value)
    all_models = members(groups)
    if len(all_models) <= MOST_MODELS:
        return groups, []
    contenders = set(roster.contenders)
    # Models that are not ranked, such as baselines, take half of the room at most.
    unranked = [model for model in all_models if model not in contenders][: MOST_MODELS // 2]
    best = sorted(contenders & value.keys(), key=lambda model: (-value[model], model))
    shown_models = {*unranked, *best[: MOST_MODELS - len(unranked)]}
    shown_groups = []
    for group in groups:
        models = tuple(model for model in group.models if model in shown_models)
        if models:
            shown_groups.append(replace(group, models=models))
    note = NOTES["pictured"].format(shown=len(shown_models), count=len(all_models))
    return shown_groups, [(None, note)]


def panel_models(groups: Iterable[Group]) -> list[tuple[str, list[str]]]:
    """Returns the models of each panel, with its heading: few all together, many by group."""
    groups = list(groups)
    all_models = members(groups)
    if len(all_models) <= MOST:
        return [("", all_models)]
    lines: list[tuple[str, list[str]]] = []
    for group in groups:
        if lines and len(lines[-1][1]) + len(group.models) <= MOST:
            heading, models = lines.pop()
            lines.append((f"{heading}; {group.full_heading}", [*models, *group.models]))
            continue
        parts = -(-len(group.models) // MOST)
        size = -(-len(group.models) // parts)
        for first in range(0, len(group.models), size):
            lines.append((group.full_heading, list(group.models[first : first + size])))
    return [(figures.wrap_label(heading), models) for heading, models in lines]
