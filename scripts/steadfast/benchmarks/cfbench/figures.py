"""CFBench's figures: records by origin (3), satisfaction by type (4), origin (5), factor (6)."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from steadfast.base.resources import facts
from steadfast.benchmarks.cfbench.data import TYPES
from steadfast.benchmarks.cfbench.facts import OTHER_TASKS, PRIMARY_KIND
from steadfast.benchmarks.cfbench.facts import SECONDARY_KIND as SECONDARY
from steadfast.benchmarks.cfbench.tables import CfbenchResults
from steadfast.contract.components import Frames
from steadfast.show import figures as drawing
from steadfast.show.panels import by_category, legend
from steadfast.show.results import Note, range_note, range_notes
from steadfast.show.roster import Display
from steadfast.stats.tidy import rows_of

MEASURES = ("ISR", "PSR")  # of Figure 6
FACTOR_MODELS = 5  # of Figure 6, beside their mean
FACTORS = facts("cfbench/factors.yaml")


def figures(frames: Frames, display: Display) -> dict[str, drawing.Picture]:
    """Returns the figures by name; models are those of the tables with a column a model."""
    results = CfbenchResults(frames, display)
    types: dict[str, str] = {}
    secondary_types: dict[str, str] = {}
    for label, primary_type in TYPES.items():
        types[label] = f"{primary_type.name} ({primary_type.number})"
        for secondary_label, name in primary_type.secondary.items():
            secondary_types[secondary_label] = f"{name} ({primary_type.number})"
    blank = {"": results.words["blank_types"]}
    type_rows = frames["types"]
    origin_rows = rows_of(frames["domains"], measure="PSR")
    domains = _origin_names(frames, "domain")
    tasks = _origin_names(frames, "task")
    kinds = {
        "types": (rows_of(type_rows, kind=PRIMARY_KIND), types | blank, "types"),
        "secondary_types": (rows_of(type_rows, kind=SECONDARY), secondary_types | blank, "types"),
        "domains": (rows_of(origin_rows, kind="domain"), domains, "domains"),
        "nlp_tasks": (rows_of(origin_rows, kind="task"), tasks, "domains"),
    }
    captions = results.words["figure_captions"]
    shared = range_notes(results.roster, results.words["ranked"], results.ranking, display.digits)
    shared += results.notes(results.shown_models)
    pictures = {}
    for name, (rows, names, metric) in kinds.items():
        notes = [*_extremes(results, rows, names), *shared, *results.left_out_notes(metric)]
        labels = {label: names[label] for label in names if label in set(rows["category"])}
        title = results.words["figures"][metric]
        figure = by_category(results.roster, results.shown_models, rows, labels, title)
        pictures[name] = drawing.picture(figure, captions[name], notes)
    pictures["distribution"] = _distribution(results)
    notes = [*shared, *results.left_out_notes("factors", results.best_models(FACTOR_MODELS))]
    return pictures | {"factors": drawing.picture(_factors(results), captions["factors"], notes)}


def _extremes(results: CfbenchResults, rows: pd.DataFrame, names: Mapping[str, str]) -> list[Note]:
    """Returns a note on the types that contenders satisfy least and most, on average."""
    competing = rows[rows["model"].isin(results.roster.contenders)]
    competing = competing[competing["category"].isin(list(names))]
    means = competing.groupby("category")["value"].mean().dropna()
    if len(means) < 2:
        return []
    labelled = [(names[str(key)], value) for key, value in means.items()]
    return range_note(results.words["figures"]["mean_of_types"], labelled, results.digits)


def _origin_names(frames: Frames, kind: str) -> dict[str, str]:
    """What the domains, or the NLP tasks, of a run's records are called, in the metric's order."""
    names = facts("cfbench/domains.yaml")[f"{kind}s"]
    categories = rows_of(frames["distribution"], kind=kind)["category"]
    return {str(key): drawing.wrap_label(names.get(key, str(key))) for key in categories}


def _distribution(results: CfbenchResults) -> drawing.Picture:
    """Draws how many records each domain and each NLP task has, most of them on top (Figure 3)."""
    words = results.words["figures"]
    counts = results.frames["distribution"]
    other = counts.loc[counts["category"] == OTHER_TASKS, "value"].sum()
    named = counts[counts["category"] != OTHER_TASKS]
    parts = {kind: rows_of(named, kind=kind) for kind in ("domain", "task")}
    height = 0.6 + 0.16 * max(5, *map(len, parts.values()))
    figure = Figure(figsize=(drawing.PAGE, height), layout="constrained")
    for axes, (kind, rows) in zip(figure.subplots(1, 2), parts.items(), strict=True):
        names = _origin_names(results.frames, kind)
        rows = rows.sort_values("value", ascending=False, kind="stable")
        bars = axes.barh(range(len(rows)), rows["value"], color=drawing.PALETTE[0], height=0.7)
        axes.bar_label(bars, fontsize=drawing.SMALL, padding=2)
        axes.set_yticks(range(len(rows)), [names[category] for category in rows["category"]])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(max(5, len(rows)) - 0.4, -0.6)
        axes.set_xlim(0, 1.15 * rows["value"].max() if len(rows) else 1)
        axes.set_xlabel(words["distribution"])
        heading = results.words["sections"][kind]
        drawing.draw_frame(axes, f"{heading} ({rows['value'].sum():,})", grid="x")
    caption = results.words["figure_captions"]["distribution"]
    note: list[Note] = [(None, words["other_tasks"].format(n=f"{other:,}"))] if other else []
    return drawing.picture(figure, caption, note)


def _factors(results: CfbenchResults) -> Figure:
    """Returns a panel a factor and measure."""
    figure = Figure(figsize=(drawing.PAGE, 1.8 * len(FACTORS)), layout="constrained")
    panels = figure.subplots(len(FACTORS), len(MEASURES), sharex="row", sharey=True)
    for line, (factor, layout) in zip(panels, FACTORS.items(), strict=True):
        for axes, measure in zip(line, MEASURES, strict=True):
            rows = rows_of(results.frames["factors"], kind=factor, measure=measure)
            _panel(axes, rows, list(layout["bins"]), results)
            axes.set_xlabel(f"{layout['name']} (records)")
    for axes, measure in zip(panels[0], MEASURES, strict=True):
        axes.set_title(measure)
    legend(figure, panels[0][0])
    return figure


def _panel(axes: Axes, rows: pd.DataFrame, bins: Sequence[str], results: CfbenchResults) -> None:
    """Draws a line a model over the bins that have records, and the contenders' mean."""
    table = rows.pivot(index="category", columns="model", values="value")
    table = table.reindex([name for name in bins if name in table.index])
    bins = list(table.index)
    models = [m for m in results.best_models(FACTOR_MODELS) if m in table]
    drawing.draw_models(axes, results.roster, models, rows.set_index("category"), bins, 0.3)
    competing = [model for model in models if model in results.roster.contenders]
    if len(competing) > 1:
        mean = table[competing].mean(axis=1)
        name = results.words["figures"]["mean"]
        axes.plot(range(len(bins)), mean, color="black", linewidth=2, label=name)
    counts = rows.groupby("category")["n"].max()
    labels = [f"{name}\n({counts[name]:,})" for name in bins]
    axes.set_xticks(range(len(bins)), labels)
    axes.set_xlim(-0.5, max(1, len(bins)) - 0.5)
    axes.set_ylim(0, 1.02)
    drawing.draw_frame(axes)
