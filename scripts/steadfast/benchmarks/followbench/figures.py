"""FollowBench in figures: HSR by constraint category and by temperature (Figures 4 and 5)."""

from typing import cast

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import CATEGORIES, LANGUAGES
from steadfast.benchmarks.followbench.tables import rate_digits
from steadfast.contract.components import Frames
from steadfast.contract.records import OVERALL
from steadfast.show import figures as drawing
from steadfast.show.panels import legend, legends, panel_models, pictured_groups, rows_of_panels
from steadfast.show.results import Note, range_notes, shared_notes, values_by_model
from steadfast.show.roster import STRINGS as SHARED
from steadfast.show.roster import Display, Roster
from steadfast.show.table import rounded
from steadfast.stats.scores import models_by_prompts
from steadfast.stats.tidy import rows_of

STRINGS = facts("followbench/tables.yaml")


def figures(frames: Frames, display: Display) -> dict[str, drawing.Picture]:
    """Returns by_category (each model's HSR, a panel a language) and temperature."""
    return {
        "by_category": _by_category(frames, display),
        "temperature": _by_temperature(frames, display),
    }


def _by_category(frames: Frames, display: Display) -> drawing.Picture:
    rows = frames["hsr"]
    rows = rows[rows["level"] == ""]
    languages = _languages(rows)
    roster = Roster(set(rows["model"]), display, models_by_prompts(frames["coverage"]))
    overall = rows[rows["category"] == OVERALL]
    first = overall[overall["language"] == languages[0]] if languages else overall
    groups, left_out = pictured_groups(roster, values_by_model(first))
    lines = panel_models(groups)
    count = max(len(languages), 1)
    width = drawing.PAGE if count > 1 else drawing.COLUMN
    figure, panels, keys = rows_of_panels(len(lines), 2.8, count, width, projection="polar")
    spokes = {category: STRINGS["categories"][category] for category in CATEGORIES}
    for language, down in zip(languages, panels, strict=False):
        language_rows = rows[rows["language"] == language].rename(columns={"category": "spoke"})
        for axes, (heading, models) in zip(cast(list[PolarAxes], down), lines, strict=True):
            drawing.draw_radar(axes, language_rows, spokes, models, roster, (20, 40, 60, 80, 100))
            named = [heading, STRINGS["languages"][language]]
            axes.set_title("\n".join(filter(None, named)), pad=14)
    figure.suptitle(STRINGS["figures"]["by_category"], fontsize=8)
    legends(figure, panels[0], keys)
    notes: list[Note] = []
    for language in languages:
        measure = STRINGS["ranked_in"].format(
            measure="HSR", language=STRINGS["languages"][language]
        )
        values = values_by_model(overall[overall["language"] == language])
        notes += range_notes(roster, measure, values, rate_digits(display))
    notes += [*shared_notes(roster, judged=True), *left_out]
    if drawing.has_intervals(rows):
        unit = STRINGS["sampling_unit"]["unit"]
        notes.append((None, SHARED["notes"]["intervals"].format(unit=unit)))
    return drawing.picture(figure, STRINGS["figure_captions"]["by_category"], notes)


def _by_temperature(frames: Frames, display: Display) -> drawing.Picture:
    rows = rows_of(frames["temperature"], measure="HSR")
    languages = _languages(rows)
    lines = list(dict.fromkeys(rows["line"]))
    roster = Roster(set(rows["model"]), display, models_by_prompts(frames["coverage"]))
    digits = rate_digits(display)
    words = STRINGS["temperature"]
    panels = max(len(languages), 1)
    width = drawing.PAGE if panels > 1 else drawing.COLUMN
    figure = Figure(figsize=(width, 2.4), layout="constrained")
    all_axes = figure.subplots(1, panels, squeeze=False, sharey=True)[0]
    notes = []
    incomplete = []
    for axes, language in zip(all_axes, languages, strict=False):
        named = STRINGS["languages"][language]
        axes.set_title(named)
        for line in lines:
            line_rows = rows_of(rows, line=line, language=language)
            style = drawing.model_style(roster, line)
            label = roster.figure_label(line)
            temperatures = list(line_rows["temperature"])
            drawing.draw_points(axes, temperatures, line_rows, label=label, **style)
            points = []
            for row in line_rows.itertuples():
                slots = {"value": rounded(row.value, digits), "at": f"{row.temperature:g}"}
                points.append(words["value"].format(**slots))
            slots = {"model": roster.label(line), "language": named, "values": "; ".join(points)}
            notes.append(words["line"].format(**slots))
        for row in rows_of(rows, language=language).itertuples():
            if row.n < row.expected:
                slots = {"model": roster.label(row.model), "language": named}
                slots |= {"scored": f"{row.n:,.0f}", "expected": f"{row.expected:,.0f}"}
                incomplete.append(STRINGS["notes"]["incomplete_model"].format(**slots))
        axes.set_xlabel(words["axis"])
        drawing.draw_frame(axes, grid="both")
    all_axes[0].set_ylabel(STRINGS["figures"]["by_category"])
    legend(figure, all_axes[0])
    if incomplete:
        notes.append(STRINGS["notes"]["incomplete"].format(models="; ".join(incomplete)))
    remarks: list[Note] = [(None, note) for note in notes]
    remarks += shared_notes(roster, judged=True)
    return drawing.picture(figure, STRINGS["figure_captions"]["temperature"], remarks)


def _languages(rows: pd.DataFrame) -> list[str]:
    return [language for language in LANGUAGES if language in set(rows["language"])]
