"""LIFBench's tables from a small run's files."""

import csv
from pathlib import Path

import pytest

from score_files import random_scores, record, samples, write_run
from steadfast.files import write_jsonl
from steadfast.lifbench.figures import ars_by_length
from steadfast.lifbench.metrics import compute_metrics
from steadfast.lifbench.tables import NAMES, build_tables

LENGTHS = ["4k", "8k"]
LEVELS = {"good": 0.8, "fair": 0.6, "sim-long": 0.9, "reference": 1.0}
DISPLAY = {
    "digits": 3,
    "labels": {"good": "Good_1", "fair": "Fair"},
    "groups": {"good": "API Models", "sim-long": "Simulated readers"},
    "group_order": ["API Models"],
}


def read_table(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))


def build(directory: Path, levels: dict[str, float], change=None) -> dict[str, list[list[str]]]:
    """Builds the tables of a run and reads their CSV files."""
    scores, prompts = write_run(directory, levels, LENGTHS)
    if change:
        change(scores)
    metrics = {name: directory / f"{name}.csv" for name in ("ars", "ifp", "ifs", "coverage")}
    compute_metrics(scores, "rubric", metrics)
    build_tables(metrics, prompts, DISPLAY, directory / "tables")
    return {name: read_table(directory / "tables" / f"{name}.csv") for name in NAMES}


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("run")
    build(directory, LEVELS)
    return directory


def test_every_table_has_its_three_files(run):
    names = {path.name for path in (run / "tables").iterdir()}
    endings = ("tex", "md", "csv")
    assert names == {f"{n}.{e}" for n in NAMES for e in endings} | {"all_tables.tex"}


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
