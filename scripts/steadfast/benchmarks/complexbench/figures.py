"""ComplexBench in figures: models by category and nesting, and by constraint dimension."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from steadfast.benchmarks.complexbench.aggregation import family
from steadfast.benchmarks.complexbench.facts import dimensions, taxonomy
from steadfast.benchmarks.complexbench.tables import LAYOUT, heading
from steadfast.contract.components import Frames
from steadfast.show.figures import SMALL, Picture, draw_frame, draw_models, picture, wrap_label
from steadfast.show.panels import legends, panel_models, pictured_groups, rows_of_panels
from steadfast.show.results import range_notes, shared_notes, values_by_model
from steadfast.show.roster import Display, Roster
from steadfast.stats.scores import models_by_prompts
from steadfast.stats.tidy import rows_of

BAND = "#f2f2f2"
MOST_UPRIGHT = 10  # labels of an axis; more are slanted

# What stands along the axis, by heading: keys and how they are shown.
Blocks = dict[str, dict[str, str]]


def figures(frames: Frames, display: Display) -> Mapping[str, Picture]:
    """Returns by_category (DRFR by layers of nesting) and by_dimension, in the first language."""
    language = next(iter(frames["drfr"]["language"]), "")
    drfr = rows_of(frames["drfr"], language=language)
    dimension_rows = rows_of(frames["constraints"], language=language, measure="dimension")
    overall = rows_of(drfr, measure="overall")
    roster = Roster(overall["model"], display, models_by_prompts(frames["coverage"]))
    by_category = drfr[drfr["measure"].isin(["category", "overall"])].set_index("category")
    by_dimension = dimension_rows.set_index("dimension")
    groups, left_out = pictured_groups(roster, values_by_model(overall))
    lines = panel_models(groups)
    texts = LAYOUT["figures"]
    categories = _categories(by_category.index)
    by_layers = (texts["by_category"], texts["layers"])
    kinds = _dimensions(by_dimension.index)
    figures = {
        "by_category": _figure(by_category, categories, lines, roster, by_layers),
        "by_dimension": _figure(by_dimension, kinds, lines, roster, (texts["by_dimension"], "")),
    }
    measure = LAYOUT["ranked"].format(language=language)
    notes = range_notes(roster, measure, values_by_model(overall), display.digits)
    notes += [*shared_notes(roster, judged=True), *left_out]
    captions = LAYOUT["figure_captions"]
    return {name: picture(figure, captions[name], notes) for name, figure in figures.items()}


def _figure(
    rows: pd.DataFrame,
    blocks: Blocks,
    lines: Sequence[tuple[str, list[str]]],
    roster: Roster,
    labels: tuple[str, str],
) -> Figure:
    """Returns values with their intervals; many models stand in panels by group."""
    upright = sum(map(len, blocks.values())) <= MOST_UPRIGHT
    figure, [panels], keys = rows_of_panels(len(lines), 2.4 if upright else 3.0, 1)
    for axes, (title, models) in zip(panels, lines, strict=True):
        _panel(axes, rows, blocks, models, roster)
        axes.set_ylabel(wrap_label(labels[0]))
        # Above the headings of the blocks.
        axes.set_title(title, loc="left", pad=18)
    panels[-1].set_xlabel(labels[1])
    legends(figure, panels, keys)
    return figure


def _panel(
    axes: Axes, rows: pd.DataFrame, blocks: Blocks, models: list[str], roster: Roster
) -> None:
    texts: dict[str, str] = {}
    for block in blocks.values():
        texts |= block
    names = list(texts.values())
    draw_models(axes, roster, models, rows, list(texts), 0.78, linestyle="none")
    _mark_blocks(axes, blocks)
    axes.set_xticks(range(len(names)), names)
    if len(names) > MOST_UPRIGHT:
        for text in axes.get_xticklabels():
            text.set(rotation=40, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.5, max(len(names), 1) - 0.5)
    axes.set_ylim(-0.03, 1.03)
    draw_frame(axes)


def _categories(keys: pd.Index) -> Blocks:
    """Returns the categories under their families, by layers, and all together."""
    blocks: Blocks = {}
    for key in dict.fromkeys(keys):
        name = family(key, "strict")
        if key:
            blocks.setdefault(heading(name), {})[key] = key[len(name) + 1 :]
    return blocks | {LAYOUT["overall"]: {"": ""}}


def _dimensions(keys: pd.Index) -> Blocks:
    """Returns the dimensions under their types, then others, and composition types."""
    compositions = taxonomy()["composition_types"]
    blocks: Blocks = {}
    for name, kind in dimensions().items():
        if name in keys:
            blocks.setdefault(heading(kind), {})[name] = name
    further = sorted(set(keys) - set(dimensions()) - set(compositions))
    blocks[LAYOUT["others"]] = {name: name for name in further}
    blocks[LAYOUT["composition"]] = {name: name for name in compositions if name in keys}
    return {title: names for title, names in blocks.items() if names}


def _mark_blocks(axes: Axes, blocks: Blocks) -> None:
    start = -0.5
    for number, (title, keys) in enumerate(blocks.items()):
        end = start + len(keys)
        if number % 2:
            axes.axvspan(start, end, color=BAND, linewidth=0, zorder=0)
        axes.text((start + end) / 2, 1.06, title, ha="center", va="bottom", fontsize=SMALL)
        start = end
