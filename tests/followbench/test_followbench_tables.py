"""Tables and figures: values, sections, marks and notes; and the paper's printed results."""

import csv
from dataclasses import replace
from functools import cache

import pandas as pd
import pytest
from picture_checks import check, with_layout

from followbench_run import JUDGES, LANGUAGES, REFUSED, frames
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.benchmark import FOLLOWBENCH
from steadfast.benchmarks.followbench.facts import CATEGORIES
from steadfast.benchmarks.followbench.figures import figures
from steadfast.benchmarks.followbench.tables import BUILDERS, FollowbenchResults, tables
from steadfast.contract.components import Frames
from steadfast.contract.records import OVERALL
from steadfast.show.render import comma_separated
from steadfast.show.roster import Display, DisplayedModel
from steadfast.show.table import Table
from steadfast.stats.tidy import rows_of

MODELS = {
    "reference": DisplayedModel("Reference", engine="reference"),
    "real-a": DisplayedModel("Model $A_1$ & co", "Models", "openai"),
    "real-b": DisplayedModel("real-b", "Models", "openai"),
}
DISPLAY = Display(
    models=MODELS, judges={judge: DisplayedModel(judge, "", "openai") for judge in JUDGES}
)


@cache
def run_frames(languages=LANGUAGES) -> Frames:
    return frames(languages=languages)


def all_tables(
    metrics: Frames | None = None,
    display=DISPLAY,
    mode="strict",
    languages=LANGUAGES,
    judge_prompts=("path",),
    names=tuple(BUILDERS),
) -> dict[str, Table]:
    """Some or all tables, by their names without the benchmark's."""
    metrics = metrics or run_frames(languages)
    built = tables(metrics, display, mode, languages, list(names), judge_prompts)
    return dict(zip(names, built, strict=True))


@pytest.fixture(scope="module")
def strict_tables() -> dict[str, Table]:
    return all_tables()


def rows(table: Table) -> list[list[str]]:
    """The rows as in the CSV file, with heading first and marks last."""
    return list(csv.reader(comma_separated(table).splitlines()))


def english_rows(table: Table) -> dict[str, list[str]]:
    """The English rows by model."""
    return {row[1]: row for row in rows(table) if row[0].startswith("English")}


def notes(table: Table) -> str:
    return " ".join(note for _, note in table.notes)


def overall_rates(model: str, language: str) -> pd.DataFrame:
    """The HSR over all categories, by level; the mean of levels is ""."""
    keys = {"model": model, "language": language, "category": OVERALL}
    return rows_of(run_frames()["hsr"], **keys).set_index("level")


def test_table_2_has_the_values_over_all_categories(strict_tables):
    csl = run_frames()["csl"].set_index(["model", "language", "category"])["value"]
    models = {display.label: model for model, display in MODELS.items()}
    _, *body = rows(strict_tables["table2_levels"])
    assert len(body) == 8
    for heading, label, *cells, _ in body:
        model = models.get(label, label)
        language = {"E": "en", "C": "zh"}[heading[0]]
        rates = overall_rates(model, language).loc[[*"12345", ""], "value"].tolist()
        assert list(map(float, cells[:6])) == pytest.approx(rates, abs=0.051)
        assert float(cells[12]) == pytest.approx(csl[model, language, OVERALL], abs=0.051)


def test_languages_and_kinds_of_models_have_sections(strict_tables):
    kinds = ["Models", "(no real models)", "(no model)"]
    sections = strict_tables["table7_content"].sections
    expected = [f"English: {kind}" for kind in kinds] + [f"Chinese: {kind}" for kind in kinds]
    assert [section.heading for section in sections] == expected
    # A rule separates a language from the one before, but not from the table's head.
    assert (sections[0].unranked, sections[len(kinds)].unranked) == (False, True)
    (chinese,) = all_tables(languages=("zh",), names=["table7_content"]).values()
    assert [section.heading for section in chinese.sections] == kinds


def test_incomplete_values_are_marked(strict_tables):
    by_model = english_rows(strict_tables["table9_style"])
    assert REFUSED == "en/style/1/2"
    marks = by_model["real-b"][-1]
    assert "L2: incomplete" in marks and "L1: incomplete" not in marks
    assert not by_model["Reference"][-1] and not by_model["Model $A_1$ & co"][-1]
    assert "real-b, English (19 of 20)" in notes(strict_tables["table9_style"])
    assert not any(row[-1] for row in rows(strict_tables["table11_example"])[1:])
    assert "Fewer items" not in notes(strict_tables["table11_example"])


def test_coverage_shows_why_items_have_no_score(strict_tables):
    head = rows(strict_tables["coverage"])[0]
    by_model = english_rows(strict_tables["coverage"])
    assert by_model["Reference"][2:9] == ["100"] * 7
    refusing = dict(zip(head, by_model["real-b"], strict=True))
    assert (refusing["Style"], refusing["Refused"]) == ("95.0", "1")
    assert (refusing["No CSL"], by_model["Reference"][head.index("No CSL")]) == ("1", "0")
    keys = {"category": OVERALL, "level": "", "model": "sim-c", "language": "en"}
    (invalid,) = rows_of(run_frames()["coverage"], **keys)["status_invalid"]
    assert by_model["sim-c"][head.index("Invalid")] == str(invalid) != "0"


def test_table_1_counts_items(strict_tables):
    body = rows(strict_tables["table1_items"])[1:]
    categories = [section.rows[0][0].text for section in strict_tables["table1_items"].sections]
    assert categories[:-1] == [category.capitalize() for category in CATEGORIES]
    assert body[-1][-5:-1] == ["", "145", "", "140"]
    events = next(row for row in body if "event argument" in row[2])
    assert events[3:-1] == ["Rule", "58", "5", "", "0"]


def test_impossible_items_are_noted_where_they_count():
    items = run_frames()["items"].copy()
    first = items[(items["category"] == "format") & (items["language"] == "en")].index[0]
    items.loc[first, "impossible"] = 2
    items = items[(items["category"] != "format") | (items["language"] == "en")]
    names = ("table2_levels", "table9_style", "table10_format")
    by_name = all_tables(run_frames() | {"items": items}, names=names)
    sentence = "English: 2 items cannot be passed"
    assert sentence in notes(by_name["table2_levels"])
    assert sentence in notes(by_name["table10_format"])
    assert sentence not in notes(by_name["table9_style"])
    assert "Chinese:" not in notes(by_name["table2_levels"])  # none is impossible
    assert "Chinese:" not in notes(by_name["table10_format"])  # there is none


def test_notes_name_the_judge(strict_tables):
    assert "Judge: first." in notes(strict_tables["table2_levels"])


def test_judge_prompts_are_named_in_captions_and_notes(strict_tables):
    names = ("table2_levels", "table3_agreement", "agreement")
    rated = all_tables(judge_prompts=("rating", "path"), names=names)
    assert "rates a response from 0 to 10" in rated["table2_levels"].caption
    assert "rates" not in strict_tables["table2_levels"].caption
    assert "(rating)" in notes(rated["table3_agreement"])
    assert "(rating)" not in notes(rated["agreement"]) + notes(strict_tables["table3_agreement"])


def test_published_agreement_is_noted_on_demand(strict_tables):
    (published,) = all_tables(display=PUBLISHED, names=["table3_agreement"]).values()
    sentence = "88 % (path), 79 % (last) and 67 % (rating)"
    assert sentence in notes(published)
    assert sentence not in notes(strict_tables["table3_agreement"])


def test_released_rounds_levels_half_to_even_and_counts_unreadable_replies(strict_tables):
    for mode, printed in (("strict", "0.4"), ("released", "0.3")):
        results = FollowbenchResults(run_frames(), DISPLAY, mode, LANGUAGES)
        assert str(results.level(0.35)) == printed
    whole = FollowbenchResults(run_frames(), replace(DISPLAY, digits=2), "strict", LANGUAGES)
    assert (str(whole.rate(62.4)), whole.digits) == ("62", 0)
    (released,) = all_tables(mode="released", names=["coverage"]).values()
    head = rows(released)[0]
    assert "Unreadable" in head and "Invalid" in head
    assert "Unreadable" not in rows(strict_tables["coverage"])[0]


def test_figure_of_categories_has_a_panel_per_language():
    figure, caption = with_layout(lambda: figures(run_frames(), DISPLAY))["by_category"]
    check(figure)
    assert "Judge: first." in caption
    assert len(figure.axes[2].get_legend().get_texts()) == 4
    hsr = run_frames()["hsr"].set_index(["model", "language", "category", "level"])["value"]
    panels = zip(figure.axes[:2], ("en", "zh"), ("English", "Chinese"), strict=True)
    for axes, language, title in panels:
        assert axes.get_title() == title
        styles = {line.get_label(): line.get_linestyle() for line in axes.lines}
        dashed = {"Reference (no model)": "--", "sim-c (simulated)": "--"}
        assert styles == dashed | {"Model $A_1$ & co": "-", "real-b": "-"}
        (values,) = [line.get_ydata() for line in axes.lines if line.get_label() == "real-b"]
        assert values[0] == values[-1] == hsr["real-b", language, "content", ""]
        overall = [hsr[model, language, OVERALL, ""] for model in ("real-a", "real-b")]
        assert f"HSR in {title}: from {min(overall):.1f} (" in caption
        assert list(axes.get_yticks()) == [20, 40, 60, 80, 100]


def test_figure_5_has_a_line_for_models_that_differ_only_in_temperature():
    picture = with_layout(lambda: figures(run_frames(), DISPLAY))["temperature"]
    check(picture.figure)
    panels = zip(picture.figure.axes, ("en", "zh"), ("English", "Chinese"), strict=True)
    for axes, language, title in panels:
        (line,) = axes.lines
        (intervals,) = axes.collections
        assert (axes.get_title(), line.get_label()) == (title, "Model $A_1$ & co")
        points = zip(line.get_xdata(), line.get_ydata(), intervals.get_segments(), strict=True)
        for (x, y, bar), model in zip(points, ("real-b", "real-a"), strict=True):
            rate = overall_rates(model, language).loc[""]
            assert (x, y) == ({"real-b": 0.0, "real-a": 0.7}[model], rate["value"])
            assert sorted(bar[:, 1]) == pytest.approx([rate["low"], rate["high"]])
    at_0 = overall_rates("real-b", "en").loc["", "value"]
    at_07 = overall_rates("real-a", "en").loc["", "value"]
    values = f"Model $A_1$ & co, English: {at_0:.1f} at 0; {at_07:.1f} at 0.7."
    assert values in picture.caption
    assert "real-b, English (144 of 145)" in picture.caption  # one was refused
    assert "145 of 145" not in picture.caption and "Judge: first." in picture.caption
    assert picture.figure.axes[0].get_ylabel() == "HSR (%), mean of the levels"


PRINTED = facts("followbench/printed.yaml")
PUBLISHED = replace(DISPLAY, published=True)
HEADING = "Published (paper; judge GPT-4)"
CATEGORY = {f"table{n}_{category}": category for n, category in enumerate(CATEGORIES, start=7)}
LEVELS = {"table2_levels": OVERALL, **CATEGORY}

NOT_THE_MEAN = {
    ("Vicuna-13B-V1.5", 8),
    ("LLaMA2-Chat-7B", 4),
    ("Vicuna-7B-V1.5", 3),
    ("Baichuan2-Chat-7B", 0),
    ("Baichuan2-Chat-7B", 5),
}
HALF = 0.05 + 1e-9  # half of the last printed digit


def printed_values(category: str) -> pd.DataFrame:
    """The printed values, a row for each model."""
    texts = pd.Series(PRINTED["levels"][category]).str.split(expand=True)
    return texts.astype(float)


def test_printed_table_2_is_the_mean_of_the_categories():
    mean = sum(map(printed_values, CATEGORIES)) / len(CATEGORIES)
    distance = (mean - printed_values(OVERALL)).abs().stack()
    assert (distance < 2 * HALF).all()  # both are rounded
    assert set(distance[distance > HALF].index) == NOT_THE_MEAN


@pytest.mark.wide
def test_published_section_is_shown_on_demand():
    without = all_tables()
    published = all_tables(display=PUBLISHED)
    for name, table in without.items():
        before = rows(table)
        after = rows(published[name])
        assert after[: len(before)] == before
        if name in (*LEVELS, "table5_consistency"):
            assert {row[0] for row in after[len(before) :]} == {f"English: {HEADING}"}
        else:  # table 3 has a note
            assert (table == published[name]) == (name != "table3_agreement")


def published_rows(name: str) -> list[list[str]]:
    """The printed cells of a table's published section."""
    display = replace(PUBLISHED, digits=6)
    (table,) = all_tables(display=display, mode="released", names=[name]).values()
    return [row[1:-1] for row in rows(table) if HEADING in row[0]]


@pytest.mark.quick(1)
@pytest.mark.parametrize(("name", "category"), LEVELS.items())
def test_published_digits_are_printed_unchanged(name, category):
    expected = []
    for model, text in PRINTED["levels"][category].items():
        digits = text.split()
        expected.append([model, *digits[:5], "", *digits[5:10], "", digits[10], ""])
    assert published_rows(name) == expected


def test_published_consistency_is_printed_unchanged():
    printed = published_rows("table5_consistency")
    assert printed == [[m, text, *[""] * 5] for m, text in PRINTED["consistency"].items()]
    assert printed[0][:2] == ["GPT-4", "42.2"]


def test_summary_has_the_digits_of_the_paper():
    digits = {name: measure.digits for name, measure in FOLLOWBENCH.measures.items()}
    assert digits == {"HSR": 1, "CSL": 1}  # Tables 2 to 5
