"""What LIFBench's score points weigh (Figure 2), and models by capability (Figure 3)."""

from typing import Any, cast

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes

from steadfast.benchmarks.lifbench.figures import shared
from steadfast.benchmarks.lifbench.scored_tasks import SCORED_TASKS
from steadfast.benchmarks.lifbench.tables.results import STRINGS, LifbenchResults
from steadfast.contract.records import OVERALL
from steadfast.show import figures
from steadfast.show.panels import legend, legends, panel_models, rows_of_panels
from steadfast.show.results import extremes, values_by_model
from steadfast.stats.tidy import rows_of

SCENARIOS = STRINGS["scenarios"]
CAPABILITIES = STRINGS["capabilities"]
TICKS = (0.2, 0.4, 0.6, 0.8, 1.0)
PARTS: Any = {"edgecolor": "white", "height": 0.7}  # of bars
NAMES: Any = {"ha": "center", "va": "center", "color": "white", "fontsize": figures.SMALL}
HUES = dict(zip(SCENARIOS, figures.PALETTE, strict=False))


def weights(results: LifbenchResults, name: str) -> figures.Picture:
    """Draws the weights of score points by scenario and task, and by capability (Figure 2)."""
    rows = results.frames["weights"]
    rows = rows.assign(scenario=rows["task"].map(lambda task: SCORED_TASKS[task].scenario))
    task_weights = rows[rows["capability"] == ""]
    parts = rows[rows["capability"] != ""]
    figure = Figure(figsize=(figures.PAGE, 2.4), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[3, 4])
    _by_task(left, task_weights)
    _by_capability(right, parts)
    legend(figure, right)
    by_scenario = task_weights.groupby("scenario")["value"].sum()
    by_scenario = by_scenario.reindex(list(SCENARIOS), fill_value=0)
    by_capability = parts.groupby("capability")["value"].sum().reindex(list(CAPABILITIES)).dropna()
    note = shared.sentence(
        "weights",
        scenarios=shared.listed(by_scenario.rename(SCENARIOS), 0),
        capabilities=shared.listed(by_capability.rename(CAPABILITIES), 0),
    )
    return shared.captioned(results, name, figure, [note], of_models=False)


def _by_task(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws a bar a scenario, in which each task has a part with its name."""
    weight = rows.set_index("task")["value"]
    for row, scenario in enumerate(SCENARIOS):
        start = 0.0
        for task in rows.loc[rows["scenario"] == scenario, "task"]:
            width = weight[task]
            axes.barh(row, width, left=start, color=HUES[scenario], **PARTS)
            is_small = width < 0.15 * weight.sum() / len(SCENARIOS)
            axes.text(start + width / 2, row, task, rotation=90 if is_small else 0, **NAMES)
            start += width
        axes.text(start, row, f" {start:g}", va="center")
    axes.set_yticks(range(len(SCENARIOS)), list(SCENARIOS.values()))
    _finish(axes, shared.TITLES["scenarios"], len(SCENARIOS))


def _by_capability(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws a bar a capability, in which each scenario has a part."""
    table = rows.pivot_table(index="capability", columns="scenario", values="value", aggfunc="sum")
    table = table.reindex(index=list(CAPABILITIES), columns=list(SCENARIOS)).fillna(0)
    start = pd.Series(0.0, table.index)
    for scenario, heading in SCENARIOS.items():
        style = {"color": HUES[scenario], "label": heading, **PARTS}
        axes.barh(range(len(table)), table[scenario], left=start, **style)
        start = start + table[scenario]
    for row, total in enumerate(start):
        axes.text(total, row, f" {total:g}", va="center")
    axes.set_yticks(range(len(table)), list(CAPABILITIES.values()))
    _finish(axes, shared.TITLES["capabilities"], len(table))


def _finish(axes: Axes, title: str, rows: int) -> None:
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(rows - 0.4, -0.6)
    axes.margins(x=0.1)
    axes.set_xlabel(shared.AXES["weight"])
    figures.draw_frame(axes, title, "x")


def capabilities(results: LifbenchResults, name: str) -> figures.Picture:
    """Draws a radar of the capabilities over all lengths; many models have panels by group."""
    rows = rows_of(results.frames["ifp"], task=OVERALL, length="")
    rows = rows.rename(columns={"capability": "spoke"})
    lines = panel_models(shared.groups(results))
    figure, [panels], keys = rows_of_panels(len(lines), 2.3, 1, figures.COLUMN, projection="polar")
    roster = results.roster
    for axes, (heading, models) in zip(cast(list[PolarAxes], panels), lines, strict=True):
        figures.draw_radar(axes, rows, CAPABILITIES, models, roster, TICKS, figures.series_style)
        axes.set_title(heading, pad=14)
    if roster.models:
        legends(figure, panels, keys)
    else:
        figures.draw_empty_panel(panels[0], shared.EMPTY["models"])
    notes = [shared.sentence("series")] if roster.has_series else []
    return shared.captioned(results, name, figure, [*notes, *_spread(results, rows)], [rows])


def _spread(results: LifbenchResults, rows: pd.DataFrame) -> list[str]:
    """Returns notes on each capability's highest value, and where models differ least and most."""
    digits = results.digits
    highest = []
    spread = {}
    compared = shared.of_contenders(results, rows)
    for capability, heading in CAPABILITIES.items():
        values = values_by_model(rows_of(compared, spoke=capability))
        labelled = [(results.roster.label(model), value) for model, value in values.items()]
        if labelled:
            highest.append(f"{heading} {extremes(labelled, digits)[-1]}")
        if len(labelled) > 1:
            spread[heading] = pd.Series(values).std()
    notes = [shared.sentence("highest", highest=", ".join(highest))] if highest else []
    if len(spread) > 1:
        ends = " to ".join(extremes(spread.items(), digits))
        notes.append(shared.sentence("spread", spread=ends))
    return notes
