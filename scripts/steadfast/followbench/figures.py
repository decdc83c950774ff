"""FollowBench in figures: HSR by constraint category and by temperature (Figures 4 and 5)."""

from math import pi

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes

from steadfast.components import Frames
from steadfast.followbench.facts import CATEGORIES, LANGUAGES
from steadfast.metrics.asked import models_by_prompts
from steadfast.metrics.tidy import OVERALL, rows_of
from steadfast.resources import facts
from steadfast.show.display import Display
from steadfast.show.figures import GRID, Picture, legend, look, picture
from steadfast.show.results import Note, range_notes, shared_notes, values_by_model
from steadfast.show.roster import Roster
from steadfast.tables.table import rounded

WORDS = facts("followbench/tables.yaml")


def figures(frames: Frames, display: Display) -> dict[str, Picture]:
    """A panel a language; what is no real model is dashed and says so.

    Args:
        frames: ``hsr``, ``temperature`` and ``coverage`` of ``followbench.metrics``.
        display: how models are shown.

    Returns:
        by_category (each model's HSR in each category, the mean of its levels), temperature (HSR
        over everything, a line for the models that differ in temperature alone).
    """
    return {
        "by_category": _by_category(frames, display),
        "temperature": _by_temperature(frames, display),
    }


def _by_category(frames: Frames, display: Display) -> Picture:
    rows = frames["hsr"]
    rows = rows[rows["level"] == ""]
    languages = _languages(rows)
    roster = Roster(set(rows["model"]), display, models_by_prompts(frames["coverage"]))
    whole = rows[rows["category"] == OVERALL]
    first = whole[whole["language"] == languages[0]] if languages else whole
    models = [m for group in roster.groups(values_by_model(first)) for m in group.models]
    panels = max(len(languages), 1)
    figure = Figure(figsize=(4.6 * panels + 2.2, 4.9), layout="constrained")
    all_axes = figure.subplots(1, panels, subplot_kw={"projection": "polar"}, squeeze=False)[0]
    for axes, language in zip(all_axes, languages, strict=False):
        _draw(axes, rows[rows["language"] == language], models, roster)
        axes.set_title(WORDS["languages"][language], pad=18, fontsize=10)
    figure.suptitle(WORDS["figures"]["by_category"], fontsize=10)
    if models:
        legend(figure, all_axes[0], "right center")
    notes = []
    for language in languages:
        measure = WORDS["ranked"].format(measure="HSR", language=WORDS["languages"][language])
        values = values_by_model(whole[whole["language"] == language])
        notes += range_notes(roster, measure, values, max(display.digits - 2, 0))
    notes += shared_notes(roster, judged=True)
    return picture(figure, WORDS["figure_captions"]["by_category"], notes)


def _by_temperature(frames: Frames, display: Display) -> Picture:
    rows = rows_of(frames["temperature"], measure="HSR")
    languages, lines = _languages(rows), list(dict.fromkeys(rows["line"]))
    roster = Roster(set(rows["model"]), display, models_by_prompts(frames["coverage"]))
    digits, words = max(display.digits - 2, 0), WORDS["temperature"]
    panels = max(len(languages), 1)
    figure = Figure(figsize=(3.9 * panels + 2.2, 3.6), layout="constrained")
    all_axes = figure.subplots(1, panels, squeeze=False, sharey=True)[0]
    notes, incomplete = [], []
    for axes, language in zip(all_axes, languages, strict=False):
        named = WORDS["languages"][language]
        axes.set_title(named, fontsize=10)
        for line in lines:
            of_line = rows_of(rows, line=line, language=language)
            ends = [of_line["value"] - of_line["low"], of_line["high"] - of_line["value"]]
            axes.errorbar(
                of_line["temperature"],
                of_line["value"],
                yerr=[end.clip(lower=0).fillna(0.0) for end in ends],
                elinewidth=0.7,
                capsize=2,
                label=roster.figure_label(line),
                **look(roster, line),
            )
            values = "; ".join(
                words["value"].format(value=rounded(row.value, digits), at=f"{row.temperature:g}")
                for row in of_line.itertuples()
            )
            notes.append(
                words["line"].format(model=roster.label(line), language=named, values=values)
            )
        for row in rows_of(rows, language=language).itertuples():
            slots = {"model": roster.label(row.model), "language": named}
            if row.n < row.expected:
                shown = {"scored": f"{row.n:,.0f}", "expected": f"{row.expected:,.0f}"}
                incomplete.append(WORDS["notes"]["incomplete_model"].format(**slots, **shown))
        axes.set_xlabel(words["axis"])
        axes.grid(**GRID)
    all_axes[0].set_ylabel(WORDS["figures"]["by_category"])
    if lines:
        legend(figure, all_axes[0], "right center")
    if incomplete:
        notes.append(WORDS["notes"]["incomplete"].format(models="; ".join(incomplete)))
    remarks: list[Note] = [(None, note) for note in notes]
    remarks += shared_notes(roster, judged=True)
    return picture(figure, WORDS["figure_captions"]["temperature"], remarks)


def _languages(rows: pd.DataFrame) -> list[str]:
    return [language for language in LANGUAGES if language in set(rows["language"])]


def _draw(axes: PolarAxes, rows: pd.DataFrame, models: list[str], roster: Roster) -> None:
    angles = [2 * pi * place / len(CATEGORIES) for place in range(len(CATEGORIES))]
    table = rows.pivot(index="model", columns="category", values="value")
    table = table.reindex(index=models, columns=list(CATEGORIES))
    for model in models:
        values = list(table.loc[model])
        axes.plot(
            [*angles, angles[0]],
            [*values, values[0]],
            clip_on=False,
            label=roster.figure_label(model),
            **look(roster, model),
        )
    axes.set_theta_offset(pi / 2)
    axes.set_theta_direction(-1)
    axes.set_xticks(angles, [WORDS["categories"][category] for category in CATEGORIES])
    axes.tick_params(axis="x", pad=10)
    axes.set_ylim(min(0, rows["value"].min()), 100)  # below 0 only in mode released
    axes.set_yticks([20, 40, 60, 80, 100])
    axes.set_rlabel_position(30)  # between two categories
    axes.tick_params(axis="y", labelsize=7, labelcolor="#666666")
    axes.grid(**GRID)
    axes.spines["polar"].set_color("#bbbbbb")
