"""Tables and figures: what stands in them, what is marked, and that text stays text."""

import csv

import pytest
from picture_checks import check, drawn

from complexbench_instances import asked
from complexbench_run import Run, believing, record, saying, synthetic, verdict
from steadfast.benchmarks.complexbench.figures import figures
from steadfast.benchmarks.complexbench.tables import BUILDERS
from steadfast.benchmarks.complexbench.tables import tables as build
from steadfast.contract.components import Frames
from steadfast.show.render import Printed, printed
from steadfast.show.roster import Display, Shown

MODELS = {
    "reference": Shown("reference", "Reference", "reference"),
    "model-a": Shown("Model $A_1$ & co", "Models", "openai"),
    "model-b": Shown("model-b", "Models", "openai"),
    "sim-c": Shown("sim-c", "Readers", "simulated"),
}
DISPLAY = Display(models=MODELS)
SLIPS = {"reference": 0.0, "model-a": 0.4, "model-b": 0.1, "sim-c": 0.6}
JUDGES = {"first": believing(), "second": believing(0.4)}


def made(parts=("zh",), mode="strict", languages=("zh",)) -> Frames:
    """The metrics of a reference and three readers."""
    run = Run(synthetic(40), mode)
    for part in parts:
        for model, slip in SLIPS.items():
            run.score(run.read(slip, part), model, part, **JUDGES)
    return run.metrics(judges=list(JUDGES), languages=languages)


@pytest.fixture(scope="module")
def found():
    return made(parts=("zh", "zh-decomposed"))


def tables(frames: Frames, mode="strict", languages=("zh",)) -> dict[str, Printed]:
    """Each table as it is printed."""
    built = map(printed, build(frames, DISPLAY, mode, languages, list(BUILDERS)))
    return {one.name.removeprefix("complexbench_"): one for one in built}


@pytest.fixture(scope="module")
def shown(found):
    return tables(found)


def rows(table: Printed) -> list[list[str]]:
    """The rows of a table's CSV file, its heading first."""
    return list(csv.reader(table.csv.splitlines()))


def column(table: Printed, place: int) -> dict[str, str]:
    """A column's cells by model, which stands second, behind the group."""
    return {row[1]: row[place] for row in rows(table)[1:]}


def test_the_main_table_has_the_papers_columns_and_the_metrics_values(found, shown):
    heading, *body = rows(shown["drfr"])
    depths = {"Chain": "12", "Selection": "123", "Selection & Chain": "23"}
    nested = [f"{kind}: {at}" for kind, layers in depths.items() for at in (*layers, "Avg")]
    assert heading[2:-1] == ["And", *nested, "Overall", "95 % interval", "Ranks"]
    drfr = found["drfr"]
    overall = drfr[drfr["measure"] == "overall"].set_index("model").loc["model-b"]
    values = column(shown["drfr"], 13)
    assert list(values) == ["model-b", "Model $A_1$ & co", "sim-c", "reference"]
    assert (values["model-b"], values["reference"]) == (f"{overall['value']:.3f}", "1.000")
    interval = f"{overall['low']:.3f} to {overall['high']:.3f}"
    assert column(shown["drfr"], 14)["model-b"] == interval
    groups = {row[1]: row[0] for row in body}
    assert groups["sim-c"] == "Readers (no real models)"
    assert groups["reference"] == "Reference (no model)"


def test_judging_and_coverage_and_the_best_real_models_are_shown(shown):
    lines = shown["drfr"].md.splitlines()
    by_model = {line.split("|")[1].strip(): line for line in lines if line.startswith("|")}
    assert "**" in by_model["model-b"] + by_model[r"Model \$A\_1\$ &amp; co"]
    assert not any(
        sign in by_model[name] for name in ("reference", "sim-c") for sign in ("**", "<u>")
    )
    heading, *body = rows(shown["judging"])
    kinds = {"Judged": ["Questions", "Unreadable"], "By rule": ["Questions", "Unreadable"]}
    both = [f"{kind}: {column}" for kind, columns in kinds.items() for column in columns]
    assert heading[5:-1] == [*both, "Undecided"]
    assert {row[4] for row in body} == {"first"}
    heading, *body = rows(shown["coverage"])
    assert {row[heading.index("%")] for row in body} == {"100"}


def test_selection_takes_in_selection_and_chain_in_mode_released():
    table = tables(made(mode="released"), "released")["drfr"]
    assert sum(heading.endswith(": Avg") for heading in rows(table)[0]) == 2
    assert "includes Selection" in table.md


def test_every_dimension_type_and_turn_has_a_column(shown):
    assert len(rows(shown["dimensions_form"])[0]) == 10 + 3
    assert len(rows(shown["dimensions_meaning"])[0]) == 9 + 3
    types = ["Lexical", "Format", "Semantic", "Utility", "Chain", "Selection"]
    assert rows(shown["constraints"])[0][2:-1] == types
    assert len(rows(shown["tasks"])[0]) == 10 + 3
    assert column(shown["coherent"], 2)["reference"] == "1.000"
    assert column(shown["coherent"], 4)["reference"] == "0.000"
    heading = rows(shown["decomposition"])[0]
    assert [h.split(": ")[1] for h in heading[2:-1]] == ["Whole", "Turns", "Difference"] * 4
    assert float(column(shown["decomposition"], 13)["sim-c"]) > 0


def test_a_dimension_beyond_the_19_stands_last_and_a_run_without_turns_says_so():
    run = Run([record(questions=[asked(constraint_dimensions=["Rhyme"])])])
    run.score(run.given("好"), j=saying({0: verdict(True)}))
    found = tables(run.metrics())
    assert rows(found["dimensions_meaning"])[0][-2] == "Rhyme"
    assert rows(found["constraints"])[0][-2] == "Others"
    assert "No instruction was given turn by turn." in found["decomposition"].md


@pytest.mark.wide
def test_several_languages_stand_in_rows_of_their_own():
    both = ("zh", "en")
    found = tables(made(parts=both, languages=both), languages=both)
    heading, *body = rows(found["drfr"])
    assert heading[2] == "Language"
    assert [row[2] for row in body[:2]] == ["zh", "en"]
    note = "en: all questions are judged, since the rules are for Chinese."
    assert note in found["judging"].md


def test_the_figures_show_each_model_in_its_own_colour(found):
    made = drawn(lambda: figures(found, DISPLAY))
    for name, (figure, _) in made.items():
        check(figure, name)
        legend = figure.axes[-1].get_legend()
        labels = [text.get_text() for text in legend.get_texts()]
        assert labels == [
            "model-b",
            "Model $A_1$ & co",
            "sim-c (simulated)",
            "reference (no model)",
        ]
        assert len({line.get_color() for line in figure.axes[0].lines}) == len(SLIPS)
    ticks = [text.get_text() for text in made["by_category"].figure.axes[0].get_xticklabels()]
    assert ticks == ["", *"12", *"123", *"23", ""]
    assert len(made["by_dimension"].figure.axes[0].get_xticklabels()) == 19 + 2
