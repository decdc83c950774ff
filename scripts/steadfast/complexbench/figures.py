"""ComplexBench in figures: models by category and nesting, and by constraint dimension."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from steadfast.complexbench.aggregation import family
from steadfast.complexbench.tables.results import LAYOUT, heading
from steadfast.complexbench.taxonomy import dimensions, taxonomy
from steadfast.metrics.tidy import read_csv
from steadfast.tables.roster import Roster

# Okabe and Ito's palette without its yellow, which is too faint for a mark on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "h")
BAND = "#f2f2f2"


Blocks = dict[str, dict[str, str]]
"""What stands along the axis, by heading: keys and how they are shown."""


def draw_figures(
    metrics: Mapping[str, Path], display: Mapping[str, Any], outs: Mapping[str, Path]
) -> None:
    """Draws each model's values in the first language; equal inputs give equal bytes.

    Args:
        metrics: the files ``drfr`` and ``constraints`` of ``complexbench.metrics``.
        display: labels and groups by model, group_order, engines by model.
        outs: picture to write, 200 dots per inch: by_category (DRFR by category and layers of
            nesting), by_dimension (accuracy by constraint dimension and composition type).

    Raises:
        UserError: a file is missing or damaged.
    """
    drfr = _first_language(read_csv(metrics["drfr"]))
    constraints = _first_language(read_csv(metrics["constraints"]))
    whole = drfr[drfr["measure"] == "overall"]
    roster = Roster(set(whole["model"]), display)
    groups = roster.groups(dict(zip(whole["model"], whole["value"], strict=True)))
    models = [model for group in groups for model in group.models]
    shown = {
        "by_category": (
            drfr[drfr["measure"].isin(["category", "overall"])].rename(columns={"category": "key"}),
            _categories,
        ),
        "by_dimension": (
            constraints[constraints["measure"] == "dimension"].rename(columns={"dimension": "key"}),
            _dimensions,
        ),
    }
    for name, path in outs.items():
        rows, blocks = shown[name]
        with rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
            figure = Figure(figsize=(10, 4.6), layout="constrained")
            _draw(figure.subplots(), rows, blocks(list(rows["key"])), models, roster)
            figure.axes[0].set_ylabel(LAYOUT["figures"][name])
            if name == "by_category":
                figure.axes[0].set_xlabel(LAYOUT["figures"]["layers"])
            path.parent.mkdir(parents=True, exist_ok=True)
            # Without dates and versions, so that equal results are equal files.
            figure.savefig(path, dpi=200, metadata={"Software": None})


def _first_language(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["language"] == next(iter(rows["language"]), "")]


def _draw(
    axes: Axes, rows: pd.DataFrame, blocks: Blocks, models: list[str], roster: Roster
) -> None:
    places = {key: place for place, key in enumerate(key for its in blocks.values() for key in its)}
    spread = 0.72 / max(len(models), 1)
    for number, model in enumerate(models):
        its = rows[rows["model"] == model]
        offset = (number - (len(models) - 1) / 2) * spread
        colour = COLOURS[number % len(COLOURS)]
        ends = [(its["value"] - its["low"]).clip(lower=0), (its["high"] - its["value"]).clip(0)]
        axes.errorbar(
            its["key"].map(places) + offset,
            its["value"],
            yerr=[end.fillna(0.0) for end in ends],
            linestyle="none",
            elinewidth=0.7,
            marker=MARKERS[number % len(MARKERS)],
            markersize=5,
            color=colour,
            markerfacecolor=colour if roster.kind(model) == "model" else "white",
            label=_label(model, roster),
        )
    _mark_blocks(axes, blocks)
    names = [name for its in blocks.values() for name in its.values()]
    slanted = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(names)), names, **(slanted if len(names) > len(MARKERS) + 2 else {}))
    axes.set_xlim(-0.5, max(len(names), 1) - 0.5)
    axes.set_ylim(-0.03, 1.03)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    if models:
        legend = axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        for text in legend.get_texts():
            text.set_parse_math(False)  # a label is text, even with dollar signs


def _categories(keys: list[str]) -> Blocks:
    """The categories under their families, by layers, and all together."""
    blocks: Blocks = {}
    for key in dict.fromkeys(keys):
        name = family(key, "strict")
        if key:
            blocks.setdefault(heading(name), {})[key] = key[len(name) + 1 :]
    return blocks | {LAYOUT["overall"]: {"": ""}}


def _dimensions(keys: list[str]) -> Blocks:
    """The dimensions under their types, then others, and composition types."""
    compositions = taxonomy()["composition_types"]
    blocks: Blocks = {}
    for name, kind in dimensions().items():
        if name in keys:
            blocks.setdefault(heading(kind), {})[name] = name
    others = sorted(set(keys) - set(dimensions()) - set(compositions))
    blocks[LAYOUT["others"]] = {name: name for name in others}
    blocks[LAYOUT["composition"]] = {name: name for name in compositions if name in keys}
    return {title: names for title, names in blocks.items() if names}


def _mark_blocks(axes: Axes, blocks: Blocks) -> None:
    start = -0.5
    for number, (title, keys) in enumerate(blocks.items()):
        end = start + len(keys)
        if number % 2:
            axes.axvspan(start, end, color=BAND, linewidth=0, zorder=0)
        axes.text((start + end) / 2, 1.06, title, ha="center", va="bottom")
        start = end


def _label(model: str, roster: Roster) -> str:
    form = LAYOUT["figures"]["labels"].get(roster.kind(model), "{model}")
    return form.format(model=roster.label(model))
