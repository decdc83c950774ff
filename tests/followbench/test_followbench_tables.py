"""FollowBench's tables and figure: what stands in them, and what is marked."""

import csv
from dataclasses import replace
from functools import cache

import pytest
from picture_checks import check, drawn

from followbench_run import JUDGES, LANGUAGES, REFUSED, frames
from steadfast.benchmarks.followbench.figures import figures
from steadfast.benchmarks.followbench.tables import BUILDERS, FollowbenchResults, tables
from steadfast.contract.components import Frames
from steadfast.contract.records import OVERALL
from steadfast.show.render import comma_separated
from steadfast.show.roster import Display, Shown
from steadfast.show.table import Table

MODELS = {
    "reference": Shown("Reference", engine="reference"),
    "real-a": Shown("Model $A_1$ & co", "Models", "openai"),
    "real-b": Shown("real-b", "Models", "openai"),
}
DISPLAY = Display(models=MODELS, judges={judge: Shown(judge, "", "openai") for judge in JUDGES})


@cache
def found(languages=LANGUAGES) -> Frames:
    return frames(languages=languages)


def made(
    of: Frames | None = None, display=DISPLAY, mode="strict", languages=LANGUAGES, ways=("path",)
) -> dict[str, Table]:
    """All tables, by their names without the benchmark's."""
    shown = tables(of or found(languages), display, mode, languages, list(BUILDERS), ways)
    return dict(zip(BUILDERS, shown, strict=True))


def rows(table: Table) -> list[list[str]]:
    """The rows as CSV has them, with heading first and marks last."""
    return list(csv.reader(comma_separated(table).splitlines()))


def english(table: Table) -> dict[str, list[str]]:
    """The English rows by model."""
    return {row[1]: row for row in rows(table) if row[0].startswith("English")}


def notes(table: Table) -> str:
    return " ".join(note for _, note in table.notes)


@pytest.fixture(scope="module")
def shown() -> dict[str, Table]:
    return made()


def test_table_2_is_the_mean_of_the_categories(shown):
    hsr = found()["hsr"].set_index(["model", "language", "category", "level"])["value"]
    csl = found()["csl"].set_index(["model", "language", "category"])["value"]
    models = {how.label: model for model, how in MODELS.items()}
    _, *body = rows(shown["table2_levels"])
    assert len(body) == 8
    for heading, label, *cells, _ in body:
        keys = models.get(label, label), {"E": "en", "C": "zh"}[heading[0]]
        values = [hsr[*keys, OVERALL, level] for level in ("1", "2", "3", "4", "5", "")]
        assert [float(cell) for cell in cells[:6]] == pytest.approx(values, abs=0.051)
        assert float(cells[12]) == pytest.approx(csl[*keys, OVERALL], abs=0.051)


def test_languages_and_kinds_of_models_have_sections_of_their_own(shown):
    kinds = ("Models", "(no real models)", "(no model)")
    headings = [section.heading for section in shown["table7_content"].sections]
    assert headings == [f"{name}: {kind}" for name in ("English", "Chinese") for kind in kinds]
    # A rule sets a language off from the one before, and nothing from the table's head.
    set_off = [section.unranked for section in shown["table7_content"].sections]
    assert (set_off[0], set_off[len(kinds)]) == (False, True)
    one = made(languages=("zh",))["table7_content"]
    assert tuple(section.heading for section in one.sections) == kinds


def test_what_is_incomplete_is_marked_where_it_counts(shown):
    table = english(shown["table9_style"])
    assert REFUSED == "en/style/1/2"
    assert "L2: incomplete" in table["real-b"][-1] and "L1: incomplete" not in table["real-b"][-1]
    assert not table["Reference"][-1] and not table["Model $A_1$ & co"][-1]
    assert "real-b, English (19 of 20)" in notes(shown["table9_style"])
    assert not any(row[-1] for row in rows(shown["table11_example"])[1:])
    assert "Fewer items" not in notes(shown["table11_example"])


def test_coverage_says_what_has_no_score_and_why(shown):
    head, *_ = rows(shown["coverage"])
    table = english(shown["coverage"])
    assert table["Reference"][2:9] == ["100"] * 7
    assert (table["real-b"][head.index("Style")], table["real-b"][head.index("Refused")]) == (
        "95.0",
        "1",
    )
    counts = found()["coverage"]
    whole = counts[(counts["category"] == OVERALL) & (counts["level"] == "")]
    invalid = whole.set_index(["model", "language"])["status_invalid"]["sim-c", "en"]
    assert table["sim-c"][head.index("Invalid")] == str(invalid) != "0"


def test_table_1_counts_the_items_and_what_cannot_be_passed_is_said_where_it_matters(shown):
    _, *body = rows(shown["table1_items"])
    assert body[-1][-5:-1] == ["", "145", "", "140"]
    events = next(row for row in body if "event argument" in row[2])
    assert events[3:-1] == ["Rule", "58", "5", "", "0"]
    items = found()["items"]
    apart = (items["category"] == "format") & (items["language"] == "en")
    shown = made(found() | {"items": items.assign(impossible=2 * (apart & ~apart.duplicated()))})
    sentence = "English: 2 items cannot be passed"
    assert sentence in notes(shown["table2_levels"]) and sentence in notes(shown["table10_format"])
    assert sentence not in notes(shown["table9_style"])
    assert "Chinese: 0 items" not in notes(shown["table2_levels"])


def test_tables_say_how_the_judge_was_asked_and_table_3_the_papers_numbers(shown):
    rated = made(ways=("rating", "path"))
    assert "rates a response from 0 to 10" in rated["table2_levels"].caption
    assert "rates" not in shown["table2_levels"].caption
    assert "(rating)" in notes(rated["table3_agreement"])
    assert "(rating)" not in notes(rated["agreement"]) + notes(shown["table3_agreement"])
    sentence = "88 % (path), 79 % (last) and 67 % (rating)"
    assert sentence in notes(made(display=replace(DISPLAY, published=True))["table3_agreement"])
    assert sentence not in notes(shown["table3_agreement"])


def test_in_mode_released_levels_are_rounded_half_to_even_and_unreadable_replies_counted():
    for mode, printed in (("strict", "0.4"), ("released", "0.3")):
        results = FollowbenchResults(found(), DISPLAY, mode, LANGUAGES)
        assert str(results.level(0.35)) == printed
    head, *_ = rows(made(mode="released")["coverage"])
    assert "Unreadable" in head and "Invalid" in head
    head, *_ = rows(made()["coverage"])
    assert "Unreadable" not in head


def test_the_figure_has_a_panel_a_language_and_a_line_a_model():
    figure = drawn(lambda: figures(found(), DISPLAY))["by_category"].figure
    check(figure)
    panels = figure.axes[:2]
    legend = figure.axes[2].get_legend()
    assert [axes.get_title() for axes in panels] == ["English", "Chinese"]
    assert len(legend.get_texts()) == 4
    hsr = found()["hsr"].set_index(["model", "language", "category", "level"])["value"]
    for axes, language in zip(panels, LANGUAGES, strict=True):
        lines = {line.get_label(): line for line in axes.lines}
        assert len(lines) == 4
        dashed = {label for label, line in lines.items() if line.get_linestyle() == "--"}
        assert dashed == {"Reference (no model)", "sim-c (simulated)"}
        values = lines["real-b"].get_ydata()
        assert values[0] == values[-1] == hsr["real-b", language, "content", ""]


def test_figure_5_has_a_line_for_models_that_differ_in_temperature_alone():
    hsr = found()["hsr"].set_index(["model", "language", "category", "level"])
    made = drawn(lambda: figures(found(), DISPLAY))["temperature"]
    check(made.figure)
    assert [axes.get_title() for axes in made.figure.axes] == ["English", "Chinese"]
    for axes, language in zip(made.figure.axes, LANGUAGES, strict=True):
        (line,) = axes.lines
        (intervals,) = axes.collections
        assert line.get_label() == "Model $A_1$ & co"
        rates = [hsr.loc[(model, language, OVERALL, "")] for model in ("real-b", "real-a")]
        assert list(line.get_xdata()) == [0.0, 0.7]
        assert list(line.get_ydata()) == [rate["value"] for rate in rates]
        bars = [sorted(end for _, end in bar) for bar in intervals.get_segments()]
        assert bars == [pytest.approx([rate["low"], rate["high"]]) for rate in rates]
    values = [f"{hsr.loc[(m, 'en', OVERALL, ''), 'value']:.1f}" for m in ("real-b", "real-a")]
    assert f"Model $A_1$ & co, English: {values[0]} at 0; {values[1]} at 0.7." in made.caption
    assert "real-b, English (144 of 145)" in made.caption  # one was refused
