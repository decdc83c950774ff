"""Tables and figures: what stands in them, what is marked, and that text stays text."""

import csv
from pathlib import Path

import pytest

from complexbench_run import RELEASED, Run, asked, record, synthetic, verdict
from steadfast.complexbench.benchmark import FIGURES, build_tables, draw_figures, table_names
from steadfast.complexbench.tables import BUILDERS
from steadfast.config import load_config
from steadfast.metrics.tidy import read_csv

DISPLAY = {
    "digits": 3,
    "labels": {"model-a": "Model $A_1$ & co"},
    "engines": {"reference": "reference", "model-a": "openai", "model-b": "openai"},
    "groups": {"reference": "Reference"},
}
EVERYTHING = load_config(
    {
        "benchmarks": ["complexbench"],
        "complexbench": {"decomposition": True},
        "judges": {name: {"engine": "reference"} for name in ("first", "second")},
        "models": {"reference": {"engine": "reference"}},
    }
)
READERS = {"model-a": {"slip": 0.4}, "model-b": {"slip": 0.1}, "sim-c": {"slip": 0.6}}


def made(directory: Path, parts=("zh",), **options) -> dict[str, Path]:
    """The metrics of a reference and three readers, one of whose answers is missing."""
    run = Run(directory, synthetic(directory, 40), **options)
    for part in parts:
        run.stood_in("reference", part)
        for model, reader in READERS.items():
            run.stood_in(model, part, reader, judges=[("first", None), ("second", {"slip": 0.4})])
    return run.metrics()


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return made(tmp_path_factory.mktemp("complexbench"), parts=("zh", "zh-decomposed"))


def tables(metrics: dict[str, Path], out: Path, mode="strict", languages=("zh",)) -> dict:
    """The rows of each table's CSV file, its heading first."""
    settings = {"mode": mode, "languages": list(languages), "names": table_names(EVERYTHING)}
    build_tables(metrics, DISPLAY, settings, out)
    return {
        path.stem.removeprefix("complexbench_"): list(
            csv.reader(path.read_text(encoding="utf-8").splitlines())
        )
        for path in sorted(out.glob("*.csv"))
    }


def column(table: list[list[str]], place: int) -> dict[str, str]:
    """A column's cells by model, which stands second, behind the group."""
    return {row[1]: row[place] for row in table[1:]}


def test_the_names_are_those_that_the_rules_expect(found, tmp_path):
    tables(found, tmp_path)
    names = {path.stem for path in tmp_path.iterdir()}
    assert names == {f"complexbench_{n}" for n in (*BUILDERS, "agreement")}
    assert all((tmp_path / f"{name}.{kind}").exists() for name in names for kind in ("tex", "md"))


def test_the_main_table_has_the_papers_columns_and_the_metrics_values(found, tmp_path):
    table = tables(found, tmp_path)["drfr"]
    depths = {"Chain": "12", "Selection": "123", "Selection & Chain": "23"}
    nested = [f"{kind}: {at}" for kind, layers in depths.items() for at in (*layers, "Avg")]
    assert table[0][2:-1] == ["And", *nested, "Overall", "95 % interval"]
    rows = read_csv(found["drfr"])
    overall = rows[rows["measure"] == "overall"].set_index("model")["value"]
    shown = column(table, 13)
    assert list(shown) == ["model-b", "Model $A_1$ & co", "sim-c", "reference"]
    assert shown["model-b"] == f"{overall['model-b']:.3f}"
    assert shown["reference"] == "1.000"
    groups = {row[1]: row[0] for row in table[1:]}
    assert groups["sim-c"].endswith("(no real models)")
    assert groups["reference"] == "Reference (gold, no model)"


def test_the_best_are_picked_out_among_real_models(found, tmp_path):
    tables(found, tmp_path)
    lines = (tmp_path / "complexbench_drfr.md").read_text(encoding="utf-8").splitlines()
    by_model = {line.split("|")[1].strip(): line for line in lines if line.startswith("|")}
    assert "**" in by_model["model-b"] + by_model[r"Model \$A\_1\$ &amp; co"]
    assert not {"**", "<u>"} & set(by_model["reference"].split())
    assert "**" not in by_model["reference"] and "<u>" not in by_model["sim-c"]


def test_selection_takes_in_selection_and_chain_in_mode_released(tmp_path):
    (tmp_path / "run").mkdir()
    metrics = made(tmp_path / "run", settings=RELEASED)
    table = tables(metrics, tmp_path / "tables", "released")["drfr"]
    assert sum(heading.endswith(": Avg") for heading in table[0]) == 2
    caption = (tmp_path / "tables/complexbench_drfr.md").read_text(encoding="utf-8")
    assert "takes in Selection" in caption


def test_every_dimension_and_type_has_a_column(found, tmp_path):
    made_tables = tables(found, tmp_path)
    assert len(made_tables["dimensions_form"][0]) == 10 + 3
    assert len(made_tables["dimensions_meaning"][0]) == 9 + 3
    types = ["Lexical", "Format", "Semantic", "Utility", "Chain", "Selection"]
    assert made_tables["constraints"][0][2:-1] == types
    assert len(made_tables["tasks"][0]) == 10 + 3


def test_the_coherent_test_and_the_turns(found, tmp_path):
    made_tables = tables(found, tmp_path)
    assert column(made_tables["coherent"], 2)["reference"] == "1.000"
    assert column(made_tables["coherent"], 4)["reference"] == "0.000"
    turns = made_tables["decomposition"]
    assert [h.split(": ")[1] for h in turns[0][2:-1]] == ["Whole", "Turns", "Difference"] * 4
    assert float(column(turns, 13)["sim-c"]) > 0


def test_without_turns_a_note_says_so(tmp_path):
    (tmp_path / "run").mkdir()
    tables(made(tmp_path / "run"), tmp_path / "tables")
    text = (tmp_path / "tables/complexbench_decomposition.md").read_text(encoding="utf-8")
    assert "No instruction was asked turn by turn." in text


def test_what_decided_and_how_much_is_scored(found, tmp_path):
    made_tables = tables(found, tmp_path)
    heading, *rows = made_tables["judging"]
    kinds = {"Judged": ["Questions", "Unread"], "By rule": ["Questions", "Unread"]}
    both = [f"{kind}: {column}" for kind, columns in kinds.items() for column in columns]
    assert heading[5:-1] == [*both, "Open"]
    assert {row[4] for row in rows} == {"first", "j"}
    heading, *rows = made_tables["coverage"]
    assert {row[heading.index("%")] for row in rows} == {"100.0"}


def test_cells_with_missing_verdicts_are_marked(tmp_path):
    run = Run(tmp_path, [record(n, [asked(), asked()]) for n in range(3)])
    run.answer("好")
    run.judge(lambda _, request: "?" if request["sample_id"] == "1/0" else verdict(True))
    run.score()
    table = tables(run.metrics(), tmp_path / "tables")["drfr"]
    assert table[1][-1] == "And: incomplete; Overall: incomplete"
    text = (tmp_path / "tables/complexbench_drfr.tex").read_text(encoding="utf-8")
    assert "m has 5 of 6" in text


def test_several_languages_stand_in_rows_of_their_own(tmp_path):
    (tmp_path / "run").mkdir()
    metrics = made(tmp_path / "run", parts=("zh", "en"))
    made_tables = tables(metrics, tmp_path / "tables", languages=("zh", "en"))
    assert made_tables["drfr"][0][2] == "Language"
    assert [row[2] for row in made_tables["drfr"][1:3]] == ["zh", "en"]
    text = (tmp_path / "tables/complexbench_judging.md").read_text(encoding="utf-8")
    assert "en: all questions are judged, since the rules are Chinese." in text


def test_labels_are_escaped(found, tmp_path):
    tables(found, tmp_path)
    text = (tmp_path / "complexbench_drfr.tex").read_text(encoding="utf-8")
    assert r"Model \$A\_1\$ \& co" in text


def test_the_figures_are_the_same_bytes_again(found, tmp_path):
    pictures = []
    for run in ("one", "two"):
        outs = {name: tmp_path / run / f"{name}.png" for name in FIGURES}
        draw_figures(found, DISPLAY, outs)
        pictures.append({name: path.read_bytes() for name, path in outs.items()})
    assert pictures[0] == pictures[1]
    assert all(picture.startswith(b"\x89PNG") for picture in pictures[0].values())
    assert len(set(pictures[0].values())) == len(FIGURES) > 1


def test_figures_of_nothing(tmp_path):
    run = Run(tmp_path, [record()])
    run.answer({"0": None})
    run.judge(lambda *_: None)
    run.score()
    outs = {name: tmp_path / f"{name}.png" for name in FIGURES}
    draw_figures(run.metrics(), {}, outs)
    assert all(path.exists() for path in outs.values())
    tables(run.metrics(), tmp_path / "tables")
