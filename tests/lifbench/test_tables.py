"""LIFBench's tables from a small run's files."""

import csv
from pathlib import Path

import pytest

from score_files import random_scores, record, samples, write_run
from steadfast.files import read_jsonl, write_jsonl
from steadfast.lifbench.benchmark import METRICS, table_files
from steadfast.lifbench.figures import ars_by_length
from steadfast.lifbench.metrics import compute_metrics
from steadfast.lifbench.tables import LAYOUT, NAMES, build_tables
from steadfast.lifbench.tasks import RUBRIC

LENGTHS = ["4k", "8k"]
LEVELS = {"good": 0.8, "fair": 0.6, "sim-long": 0.9, "reference": 1.0}
DISPLAY = {
    "digits": 3,
    "labels": {"good": "Good_1", "fair": "Fair"},
    "groups": {
        "good": "API Models",
        "sim-long": "Simulated readers",
        "reference": "reference",
    },
    "group_order": ["API Models"],
}


def read_table(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))


def build(directory: Path, levels: dict[str, float], change=None) -> dict[str, list[list[str]]]:
    """Builds the tables of a run and reads their CSV files."""
    scores, prompts = write_run(directory, levels, LENGTHS)
    if change:
        change(scores)
    metrics = {name: directory / f"{name}.csv" for name in METRICS}
    compute_metrics(scores, "rubric", metrics, references=["reference"])
    build_tables(metrics, prompts, DISPLAY, directory / "tables")
    return {name: read_table(directory / "tables" / f"{name}.csv") for name in NAMES}


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("run")
    build(directory, LEVELS)
    return directory


def test_every_table_has_its_three_files(run):
    names = {path.name for path in (run / "tables").iterdir()}
    assert names == {f"{n}.{e}" for n in NAMES for e in ("tex", "md", "csv")}


def test_the_workflow_expects_the_tables_that_are_built():
    assert table_files() == [f"{n}.{e}" for n in NAMES for e in ("tex", "md", "csv")]


def test_data_are_counted_from_the_prompts(run):
    rows = (run / "tables/table2_data.csv").read_text().splitlines()
    assert rows[1] == ",List,Single-ID,LSI,2,3,12,"
    assert rows[-1] == ",All,,,,,132,"


def test_real_models_alone_are_highlighted(run):
    text = (run / "tables/table3_ars.tex").read_text()
    lines = {line.split(" & ")[0]: line for line in text.splitlines() if " & " in line}
    assert lines[r"Good\_1"].count(r"\textbf") == 12
    assert lines["Fair"].count(r"\underline") == 12
    assert not any(r"\textbf" in lines[m] for m in ("sim-long", "reference"))


def test_simulated_readers_stand_apart_below_a_rule(run):
    text = (run / "tables/table3_ars.tex").read_text()
    heading = r"\multicolumn{13}{@{}c@{}}{\textit{Simulated readers (no real models)}}"
    assert "\\midrule\n" + heading in text


def test_ranks_stand_in_parentheses_for_those_that_compete(run):
    rows = read_table(run / "tables/table4_ifs.csv")
    cells = {row[1]: row[2:] for row in rows}
    assert cells["Good_1"][4].endswith(" (1)")
    assert cells["Fair"][4].endswith(" (2)")
    assert "(" not in cells["sim-long"][4]


def test_each_length_has_its_own_best(run):
    text = (run / "tables/table7_ars_by_length.tex").read_text()
    overall = [line.split(" & ")[-1] for line in text.splitlines() if line.count(" & ") == 13]
    assert sum(r"\textbf" in cell for cell in overall) == len(LENGTHS)


def test_simulated_readers_compete_among_themselves_alone(tmp_path):
    build(tmp_path, {"sim-a": 0.9, "sim-b": 0.5, "reference": 1.0})
    text = (tmp_path / "tables/table3_ars.md").read_text()
    assert "| sim-a" in text
    assert "**1.000**" not in text
    assert text.count("**") == 2 * 12
    assert "No real model has results here" in text


def drop_task(scores):
    lines = random_scores("fair", "4k", 0.6)
    unscored = {"points": None, "total": None, "status": "error"}
    write_jsonl(scores["fair", "4k"], [x | unscored if x["task"] == "OQ" else x for x in lines])


def test_cells_that_lack_samples_are_marked(tmp_path):
    tables = build(tmp_path, LEVELS, drop_task)
    marks = {row[1]: row[-1] for row in tables["table3_ars"]}
    assert marks["Fair"] == "OQ: incomplete; Overall: incomplete"
    assert marks["Good_1"] == ""
    text = (tmp_path / "tables/table3_ars.tex").read_text()
    assert "Fair has 126 of 132 scored" in text
    by_length = {(row[1], row[2]): row for row in tables["table7_ars_by_length"]}
    assert by_length["Fair", "4k"][4] == ""  # no value, rather than 0
    assert by_length["Fair", "8k"][4] != ""
    coverage = {row[1]: row for row in tables["coverage"]}
    assert coverage["Fair"][2:4] == ["90.9", "100"]


def truncate(scores):
    lines = random_scores("fair", "8k", 0.6)
    write_jsonl(scores["fair", "8k"], [line | {"truncated": True} for line in lines])


def test_truncated_models_carry_the_dagger(tmp_path):
    build(tmp_path, LEVELS, truncate)
    text = (tmp_path / "tables/table3_ars.md").read_text()
    assert "| Fair† " in text
    assert "Good\\_1†" not in text


def fail_all(scores):
    for (model, length), path in scores.items():
        if model == "fair":
            write_jsonl(path, [record(s, length, None, "error") for s in samples(length)])


def test_a_model_without_any_score_shows_dashes(tmp_path):
    build(tmp_path, LEVELS, fail_all)
    line = next(
        x
        for x in (tmp_path / "tables/table3_ars.tex").read_text().splitlines()
        if x.startswith("Fair")
    )
    assert line.count("--") == 12
    assert "| Fair" in (tmp_path / "tables/coverage.md").read_text()


def test_captions_name_the_rubric(run):
    for name in NAMES:
        if "{rubric}" in LAYOUT["captions"][name]:
            assert "the released rubric" in (run / f"tables/{name}.md").read_text()


def test_the_rubric_s_table_has_every_score_point_and_sum(run):
    rows = read_table(run / "tables/table6_rubric.csv")[1:]
    points = [(row[1], row[2]) for row in rows]
    for task, found in RUBRIC.items():
        label = "LBI, LBE" if task in ("LBI", "LBE") else task
        assert {(label, point) for point in (*found, "total")} <= set(points)
    totals = {row[1]: row[4:6] for row in rows if row[2] == "total"}
    assert totals["LSI"] == ["4", "4"]
    assert totals["MF"] == ["20", "20"]
    lsi = {row[2]: row[4:7] for row in rows if row[1] == "LSI"}
    assert lsi["correct"] == ["2", "1", "Recog"]
    assert lsi["ori"] == ["1", "2", "Ori"]


def test_capabilities_stand_in_the_paper_s_order(run):
    head, *rows = read_table(run / "tables/table8_ifp.csv")
    assert head[1:-1] == ["Model", "Format", "Logic", "Num", "Ori", "Recog", "Spat"]
    assert rows[-1][0] == "reference (gold, no model)"
    assert all(0 < float(cell) <= 1 for row in rows for cell in row[2:-1])
    head, *rows = read_table(run / "tables/table9_ifp_by_length.csv")
    assert head[2:4] == ["Length", "Format"]
    assert [row[2] for row in rows] == LENGTHS * len(LEVELS)


@pytest.mark.parametrize("name", ["table10_ifs_expression", "table11_ifs_variable"])
def test_the_smallest_spread_is_best(run, name):
    rows = {row[1]: row[2:4] for row in read_table(run / f"tables/{name}.csv")[1:]}
    text = (run / f"tables/{name}.md").read_text()
    for i in range(len(LENGTHS)):
        best = min(rows["Good_1"][i], rows["Fair"][i])
        assert f"**{best}**" in text


def test_models_stand_by_their_mean_rank_of_stability(tmp_path):
    tables = build(tmp_path, {"m1": 0.9, "m2": 0.8, "m3": 0.7, "m4": 0.6})
    rows = tables["table4_ifs"][1:]
    ranks = [[int(cell.split("(")[1].strip(")")) for cell in row[2:5]] for row in rows]
    assert [sum(row) for row in ranks] == sorted(sum(row) for row in ranks)


def two_rubrics(scores):
    for path in scores.values():
        write_jsonl(
            path,
            [
                line | {"rubric": "released", "also": {"corrected": {"total": 1 - line["total"]}}}
                for line in list(read_jsonl(path))
            ],
        )


def test_both_rubrics_stand_side_by_side(tmp_path):
    build(tmp_path, LEVELS, two_rubrics)
    text = (tmp_path / "tables/rubrics.md").read_text()
    assert "Released: ARS" in text
    assert "Corrected: Rank" in text
    assert "Ranks by the corrected rubric and by the released rubric over 3 models" in text
    assert "Spearman's rho -1.000, Kendall's tau -1.000" in text
    rows = {row[1]: row for row in read_table(tmp_path / "tables/rubrics.csv")}
    head = rows["Model"]
    places = [i for i, heading in enumerate(head) if heading.endswith(": Rank")]
    assert [rows["Good_1"][i] for i in places] == ["1", "2"]
    assert [rows["reference"][i] for i in places] == ["", ""]


def test_a_single_rubric_says_so(run):
    text = (run / "tables/rubrics.md").read_text()
    assert "scored by the released rubric alone" in text
    assert "Corrected" not in text


def test_pairs_are_compared_with_the_better_model_first(run):
    rows = read_table(run / "tables/comparisons.csv")[1:]
    assert [(row[1], row[2]) for row in rows] == [
        ("sim-long", "Good_1"),
        ("sim-long", "Fair"),
        ("Good_1", "Fair"),
    ]
    for row in rows:
        low, high = (float(end) for end in row[4].split(" to "))
        assert 0 < low <= float(row[3]) <= high


def test_one_model_has_no_comparison(tmp_path):
    build(tmp_path, {"m": 0.5})
    assert "No two models" in (tmp_path / "tables/comparisons.md").read_text()


def test_tables_are_the_same_twice(run, tmp_path):
    build(tmp_path, LEVELS)
    for path in (run / "tables").iterdir():
        assert path.read_bytes() == (tmp_path / "tables" / path.name).read_bytes()


def test_the_figure_is_the_same_twice(run, tmp_path):
    metrics = {name: run / f"{name}.csv" for name in ("ars", "ifs")}
    display = DISPLAY | {"labels": {"good": "$x_1 {"}}  # no mathematics, but a name
    for name in ("a", "b"):
        ars_by_length(metrics, display, tmp_path / f"{name}.png", tmp_path / f"{name}.pdf")
    for ending in ("png", "pdf"):
        first, second = (tmp_path / f"{name}.{ending}" for name in ("a", "b"))
        assert first.read_bytes() == second.read_bytes()
        assert first.stat().st_size > 10_000
