"""Tables and figures: values, columns, marks and notes."""

import csv
from dataclasses import replace

import pytest
from picture_checks import check, with_layout

from complexbench_run import (
    Run,
    decomposed_record,
    judge_replying,
    question,
    record,
    simulated_judge,
    synthetic_records,
    verdict_reply,
)
from steadfast.benchmarks.complexbench.figures import figures
from steadfast.benchmarks.complexbench.tables import BUILDERS
from steadfast.benchmarks.complexbench.tables import tables as build
from steadfast.contract.components import Frames
from steadfast.show.render import Printed, printed
from steadfast.show.roster import Display, DisplayedModel
from steadfast.stats.tidy import rows_of

MODELS = {
    "reference": DisplayedModel("reference", "Reference", "reference"),
    "model-a": DisplayedModel("Model $A_1$ & co", "Models", "openai"),
    "model-b": DisplayedModel("model-b", "Models", "openai"),
    "sim-c": DisplayedModel("sim-c", "Readers", "simulated"),
}
DISPLAY = Display(models=MODELS)
SLIPS = {"reference": 0.0, "model-a": 0.4, "model-b": 0.1, "sim-c": 0.6}
JUDGES = {"first": simulated_judge(), "second": simulated_judge(0.4)}


def metrics(parts=("zh",), mode="strict", languages=("zh",)) -> Frames:
    """The metrics of a reference and three simulated models."""
    run = Run(synthetic_records(40), mode)
    for part in parts:
        for model, slip in SLIPS.items():
            run.score(run.simulated_responses(slip, part), model, part, **JUDGES)
    return run.metrics(judges=list(JUDGES), languages=languages)


@pytest.fixture(scope="module")
def frames():
    return metrics(parts=("zh", "zh-decomposed"))


def tables(frames: Frames, mode="strict", languages=("zh",)) -> dict[str, Printed]:
    """Each table as it is printed."""
    built = build(frames, DISPLAY, mode, languages, list(BUILDERS))
    return {table.name.removeprefix("complexbench_"): printed(table) for table in built}


@pytest.fixture(scope="module")
def printed_tables(frames):
    return tables(frames)


def rows(table: Printed) -> list[list[str]]:
    """The rows of a table's CSV file, its heading first."""
    return list(csv.reader(table.csv.splitlines()))


def column(table: Printed, position: int) -> dict[str, str]:
    """A column's cells by model, which are in the second column."""
    return {row[1]: row[position] for row in rows(table)[1:]}


def labels(texts) -> list[str]:
    """The texts of a legend or of ticks."""
    return [text.get_text() for text in texts]


def test_main_table_has_the_papers_columns_and_values(frames, printed_tables):
    heading = rows(printed_tables["drfr"])[0]
    assert heading[2:-1] == [
        "And",
        *("Chain: 1", "Chain: 2", "Chain: Avg"),
        *("Selection: 1", "Selection: 2", "Selection: 3", "Selection: Avg"),
        *("Selection & Chain: 2", "Selection & Chain: 3", "Selection & Chain: Avg"),
        *("Overall", "95 % interval", "Ranks"),
    ]
    (overall,) = rows_of(frames["drfr"], measure="overall", model="model-b").to_dict("records")
    values = column(printed_tables["drfr"], 13)
    assert list(values) == ["model-b", "Model $A_1$ & co", "sim-c", "reference"]
    assert (values["model-b"], values["reference"]) == (f"{overall['value']:.3f}", "1.000")
    interval = f"{overall['low']:.3f} to {overall['high']:.3f}"
    assert column(printed_tables["drfr"], 14)["model-b"] == interval
    groups = column(printed_tables["drfr"], 0)
    assert groups["sim-c"] == "Readers (no real models)"
    assert groups["reference"] == "Reference (no model)"


def test_only_real_models_are_bold_or_underlined(printed_tables):
    lines = printed_tables["drfr"].md.splitlines()
    by_model = {line.split("|")[1].strip(): line for line in lines if line.startswith("|")}
    assert "**" in by_model["model-b"] + by_model[r"Model \$A\_1\$ &amp; co"]
    not_real = by_model["reference"] + by_model["sim-c"]
    assert "**" not in not_real and "<u>" not in not_real


def test_judging_and_coverage_are_shown(printed_tables):
    judging = printed_tables["judging"]
    judged = ["Judged: Questions", "Judged: Unreadable"]
    by_rule = ["By rule: Questions", "By rule: Unreadable"]
    assert rows(judging)[0][5:-1] == [*judged, *by_rule, "Undecided"]
    assert set(column(judging, 4).values()) == {"first"}
    assert "all questions are judged" not in judging.md
    coverage = printed_tables["coverage"]
    percent = rows(coverage)[0].index("%")
    assert set(column(coverage, percent).values()) == {"100"}


def test_selection_includes_chains_in_mode_released():
    table = tables(metrics(mode="released"), "released")["drfr"]
    assert sum(heading.endswith(": Avg") for heading in rows(table)[0]) == 2
    assert "includes Selection" in table.md


def test_dimensions_types_and_turns_have_columns(printed_tables):
    assert len(rows(printed_tables["dimensions_form"])[0]) == 10 + 3
    assert len(rows(printed_tables["dimensions_meaning"])[0]) == 9 + 3
    types = ["Lexical", "Format", "Semantic", "Utility", "Chain", "Selection"]
    assert rows(printed_tables["constraints"])[0][2:-1] == types
    assert len(rows(printed_tables["tasks"])[0]) == 10 + 3
    assert column(printed_tables["coherent"], 2)["reference"] == "1.000"
    assert column(printed_tables["coherent"], 4)["reference"] == "0.000"
    heading = rows(printed_tables["decomposition"])[0]
    columns = [column_heading.split(": ")[1] for column_heading in heading[2:-1]]
    assert columns == ["Whole", "Turns", "Difference"] * 4
    assert float(column(printed_tables["decomposition"], 13)["sim-c"]) > 0


def test_unknown_dimension_is_last_and_missing_turns_are_noted():
    run = Run([record(questions=[question(constraint_dimensions=["Rhyme"])])])
    run.score(run.responses("好"), j=judge_replying({0: verdict_reply(True)}))
    by_name = tables(run.metrics())
    assert rows(by_name["dimensions_meaning"])[0][-2] == "Rhyme"
    assert rows(by_name["constraints"])[0][-2] == "Others"
    assert "No instruction was given turn by turn." in by_name["decomposition"].md


def test_languages_have_rows_in_their_order():
    run = Run([decomposed_record(question(), question())])
    yes = verdict_reply(True)
    for part, reply in (("zh", yes), ("zh-decomposed", yes), ("en", "Answer: yes")):
        run.score(run.responses("好", part), part=part, j=judge_replying({0: reply, 1: None}))
    languages = ("zh", "en")
    frames = run.metrics(languages=languages)
    by_name = tables(frames, languages=languages)
    heading, *body = rows(by_name["drfr"])
    assert heading[1:3] == ["Model", "Language"]
    assert [row[1:3] for row in body] == [["m", "zh"], ["m", "en"]]
    for name in ("judging", "coverage"):
        parts = [row[2:4] for row in rows(by_name[name])[1:]]
        assert parts == [["zh", "Whole"], ["zh", "Turns"], ["en", "Whole"]], name
    # Only Chinese instructions were also given turn by turn.
    assert [row[2] for row in rows(by_name["decomposition"])[1:]] == ["zh"]
    note = "en: all questions are judged, since the rules are for Chinese."
    assert note in by_name["judging"].md and "zh: all" not in by_name["judging"].md
    (drfr,) = build(frames, DISPLAY, "strict", languages, ["drfr"])
    assert [row[0].repeated for row in drfr.sections[0].rows] == [False, True]
    assert rows(by_name["coverage"])[1][-1] == ""  # half of the questions, and no mark


def test_figures_show_each_model_in_its_own_colour(frames):
    display = replace(DISPLAY, judges={"first": DisplayedModel("first", engine="openai")})
    pictures = with_layout(lambda: figures(frames, display))
    legend = ["model-b", "Model $A_1$ & co", "sim-c (simulated)", "reference (no model)"]
    for name, (figure, caption) in pictures.items():
        check(figure, name)
        assert "Judge: first." in caption
        assert labels(figure.axes[-1].get_legend().get_texts()) == legend
        assert len({line.get_color() for line in figure.axes[0].lines}) == len(SLIPS)
    categories = pictures["by_category"].figure.axes[0]
    assert labels(categories.get_xticklabels()) == ["", *"12", *"123", *"23", ""]
    assert categories.get_ylabel() == "DRFR, with 95 % intervals"
    assert categories.get_xlabel() == "Depth of nesting"
    assert (categories.get_xlim(), categories.get_ylim()) == ((-0.5, 8.5), (-0.03, 1.03))
    # Headings in the middle of their 1, 2, 3, 2 and 1 categories; every second block has a band.
    assert [text.get_position()[0] for text in categories.texts] == [0, 1.5, 4, 6.5, 8]
    bands = [(band.get_x(), band.get_width()) for band in categories.patches]
    assert bands == [(0.5, 2), (5.5, 2)]
    assert len(pictures["by_dimension"].figure.axes[0].get_xticklabels()) == 19 + 2
