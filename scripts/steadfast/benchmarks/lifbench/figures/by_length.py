"""What length costs: ARS and IFS (also Figure 4), capabilities (5), easy and hard tasks (6)."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from steadfast.benchmarks.lifbench.analyses import EASY, HARD, MOST_EASY
from steadfast.benchmarks.lifbench.figures import shared
from steadfast.benchmarks.lifbench.records import PERSPECTIVES
from steadfast.benchmarks.lifbench.tables.results import STRINGS as HEADINGS
from steadfast.benchmarks.lifbench.tables.results import LifbenchResults
from steadfast.contract.records import OVERALL
from steadfast.show import effective_context_length, figures
from steadfast.show import panels as layout
from steadfast.show.results import range_notes
from steadfast.show.roster import Roster
from steadfast.show.table import rounded
from steadfast.stats.tidy import rows_of

PANEL_HEIGHT = 1.1  # inches of a model's panel, without its title
LETTERS = "abc"
WITHIN = ("expression", "variable")  # perspectives of stability that a single length has
CAPABILITIES = HEADINGS["capabilities"]
HUES = {"expression": "#000000", "variable": "#0072B2", "length": "#E69F00"}
SIGNS = {"expression": "o", "variable": "s", "length": "^"}


def by_length(results: LifbenchResults, name: str) -> figures.Picture:
    """Draws ARS and IFS at each length (Figure 4); many models stand in rows by group."""
    ars = _at_lengths(rows_of(results.frames["ars"], task=OVERALL))
    ifs = _at_lengths(rows_of(results.frames["ifs"], task=OVERALL))
    panel_columns = [(ars, shared.AXES["ars"], shared.TITLES["ars"])]
    for perspective in WITHIN:
        heading = HEADINGS["perspectives"][perspective]
        title = shared.TITLES["of_perspective"].format(perspective=heading.lower())
        panel_columns.append((rows_of(ifs, perspective=perspective), shared.AXES["ifs"], title))
    lines = layout.panel_models(shared.groups(results))
    figure, panels, keys = layout.rows_of_panels(len(lines), 1.9, len(panel_columns))
    for column, ((rows, label, title), down) in enumerate(zip(panel_columns, panels, strict=True)):
        for axes, (heading, order) in zip(down, lines, strict=True):
            _lines(axes, rows, results, order)
            axes.set_ylim(0, max(1.02, _top(rows)) if column == 0 else _top(rows))
            axes.set_ylabel(label)
            panel_title = f"({LETTERS[column]}) {title}"
            has_heading = heading and column == 0
            figures.draw_frame(axes, f"{heading}\n{panel_title}" if has_heading else panel_title)
    layout.legends(figure, panels[0], keys)
    return shared.captioned(results, name, figure, _decline(results, ars, ifs), [ars, ifs])


def capabilities_by_length(results: LifbenchResults, name: str) -> figures.Picture:
    """Draws the capabilities at each length, a panel a model (Figure 5)."""
    rows = _at_lengths(rows_of(results.frames["ifp"], task=OVERALL))
    figure = _panels(results, rows, "capability", CAPABILITIES, shared.AXES["ifp"])
    losses = {}
    for capability, heading in CAPABILITIES.items():
        change = _change(results, rows_of(rows, capability=capability))
        if len(change):
            losses[heading] = -change.mean()
    note = shared.sentence("falls", falls=shared.listed(losses, results.digits), **_ends(results))
    return shared.captioned(results, name, figure, [note] if losses else [], [rows])


def complexity(results: LifbenchResults, name: str) -> figures.Picture:
    """Draws easy and hard tasks at each length, a panel a model (Figure 6)."""
    rows = _at_lengths(results.frames["complexity"])
    figure = _panels(results, rows, "split", shared.STRINGS["splits"], shared.AXES["complexity"])
    weights = results.frames["weights"]
    task_weights = weights[weights["capability"] == ""]
    easy_tasks = task_weights.loc[task_weights["value"] <= MOST_EASY, "task"]
    hard_tasks = task_weights.loc[task_weights["value"] > MOST_EASY, "task"]
    slots = {
        EASY: ", ".join(easy_tasks) or shared.EMPTY[EASY],
        HARD: ", ".join(hard_tasks) or shared.EMPTY[HARD],
    }
    changes = {split: _change(results, rows_of(rows, split=split)) for split in (EASY, HARD)}
    losses = -pd.DataFrame(changes).dropna()
    notes = []
    if len(losses):
        means = {split: rounded(loss, results.digits) for split, loss in losses.mean().items()}
        is_harder = (losses[HARD] > losses[EASY]).to_dict()
        notes.append(shared.counted(results, "hard_falls", is_harder, **means, **_ends(results)))
    return shared.captioned(results, name, figure, notes, [rows], slots=slots)


def effective(results: LifbenchResults, name: str) -> figures.Picture:
    """Draws the share of overall ARS at the shortest length that each model keeps at each."""
    effective = effective_context_length.Effective(results, shared.AXES["ars"])
    figure = layout.effective_figure(effective, shared.groups(results))
    notes = effective.retention_notes()
    return shared.captioned(results, name, figure, notes, [effective.rows], slots=effective.slots)


def _panels(
    results: LifbenchResults, rows: pd.DataFrame, key: str, kinds: Mapping[str, str], label: str
) -> Figure:
    """Draws a panel a model, in which each kind has a line over the lengths."""
    order, titles = shared.named(results)
    height = PANEL_HEIGHT + figures.row_height(titles)
    lengths = shared.AXES["length"]
    figure, panels = layout.grid(len(order), height, 4, lengths, sharex=True, sharey=True)
    dodge = 0.2 if figures.has_intervals(rows) else 0
    for axes, model, title in zip(panels, order, titles, strict=False):
        for number, (kind, heading) in enumerate(kinds.items()):
            kind_rows = rows_of(rows, **{"model": model, key: kind}).set_index("length")
            offset = figures.dodge_offset(number, len(kinds), dodge)
            figures.draw_points(
                axes,
                (np.arange(len(results.lengths)) + offset).tolist(),
                kind_rows.reindex(results.lengths),
                label=heading,
                color=figures.PALETTE[number],
                marker=figures.MARKERS[number],
                markersize=3,
            )
        figures.draw_frame(axes)
        axes.set_title(title, loc="left", fontsize=figures.SMALL, y=1)
    panels[0].set_xticks(range(len(results.lengths)), results.lengths)
    if not order:
        figures.draw_empty_panel(panels[0], shared.EMPTY["models"])
    panels[0].set_ylim(0, max(1.02, _top(rows)))
    figure.supylabel(label, fontsize=8)
    layout.legend(figure, panels[0])
    return figure


def _lines(axes: Axes, rows: pd.DataFrame, results: LifbenchResults, order: Sequence[str]) -> None:
    by_length = rows.set_index("length")
    dodge = 0.2 if figures.has_intervals(rows) else 0.0
    figures.draw_models(axes, results.roster, order, by_length, results.lengths, dodge)
    axes.set_xticks(range(len(results.lengths)), results.lengths)
    axes.set_xlabel(shared.AXES["length"])


def _top(rows: pd.DataFrame) -> float:
    """Returns a little above the highest value and the highest end of an interval."""
    highest = rows[["value", "high"]].max().max()
    return 1.0 if pd.isna(highest) or highest <= 0 else 1.03 * highest


def _at_lengths(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["length"] != ""]


def _ends(results: LifbenchResults) -> dict[str, str]:
    return {"first": results.lengths[0], "last": results.lengths[-1]}


def _change(results: LifbenchResults, rows: pd.DataFrame) -> pd.Series:
    """Returns the change from the shortest to the longest length of each contender with both."""
    # Of the config's lengths, which stand in their order.
    first = results.lengths[0]
    last = results.lengths[-1]
    if first == last:
        return pd.Series(dtype=float)
    values = shared.of_contenders(results, rows)
    table = values.pivot(index="model", columns="length", values="value")
    table = table.reindex(columns=[first, last]).astype(float)
    return (table[last] - table[first]).dropna()


def _decline(results: LifbenchResults, ars: pd.DataFrame, ifs: pd.DataFrame) -> list[str]:
    """Returns notes on how many models lose with length, and are least stable at the longest."""
    if len(results.lengths) == 1:
        return []
    last = results.lengths[-1]
    lower = (_change(results, ars) < 0).to_dict()
    notes = [shared.counted(results, "ars_falls", lower, **_ends(results))]
    for perspective in WITHIN:
        rows = rows_of(ifs, perspective=perspective)
        table = rows.pivot(index="model", columns="length", values="value")
        table = table.reindex(columns=results.lengths).dropna()
        peaks = (table.idxmax(axis=1) == last).to_dict() if len(table) else {}
        heading = shared.STRINGS["perspectives"][perspective]
        notes.append(shared.counted(results, "ifs_peaks", peaks, perspective=heading, last=last))
    return list(filter(None, notes))


def ars_by_length(results: LifbenchResults, name: str) -> figures.Picture:
    """Draws overall ARS against length, and each model's IFS in three perspectives."""
    ars = _at_lengths(rows_of(results.frames["ars"], task=OVERALL))
    ifs = rows_of(results.frames["ifs"], task=OVERALL, length="")
    order, names = shared.named(results)
    roster = results.roster
    height = max(2.4, 0.6 + figures.row_height(names) * len(order))
    figure = Figure(figsize=(figures.PAGE, height), layout="constrained")
    left, right = figure.subplots(1, 2)
    _lines(left, ars, results, order)
    # By the released rubric an answer's total, and so a mean of few, may be above 1.
    top = max(1.02, ars["value"].max() + 0.02) if len(ars) else 1.02
    left.set(ylim=(0, top), ylabel=shared.AXES["ars"])
    figures.draw_frame(left, shared.TITLES["ars"])
    _draw_ifs(right, ifs, order, names, roster)
    entries = right.get_legend_handles_labels()
    legend = figure.legend(*entries, loc="outside upper right", ncols=3, frameon=False)
    figure.set_figheight(height + legend.get_window_extent().height / figure.dpi + layout.MARGIN)
    notes = range_notes(roster, shared.STRINGS["ars"], results.ars[OVERALL, ""], results.digits)
    return shared.captioned(results, name, figure, [text for _, text in notes], [ars, ifs])


def _draw_ifs(
    axes: Axes, rows: pd.DataFrame, order: Sequence[str], names: Sequence[str], roster: Roster
) -> None:
    for number, perspective in enumerate(PERSPECTIVES):
        perspective_rows = rows_of(rows, perspective=perspective).set_index("model")
        values = perspective_rows[["value", "low", "high"]].reindex(list(order))
        figures.draw_points(
            axes,
            (np.arange(len(order)) + figures.dodge_offset(number, len(PERSPECTIVES), 0.5)).tolist(),
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
            **figures.model_style(roster, model),
        )
    axes.set_xlim(left=0)
    axes.set(ylim=(len(order) - 0.5, -0.5), xlabel=shared.AXES["ifs"])
    figures.draw_frame(axes, shared.TITLES["ifs"], "both")
