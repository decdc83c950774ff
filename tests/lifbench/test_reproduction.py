"""The paper's printed cells beside those that the released per-sample scores give."""

import csv
import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from project import Project
from small_contexts import CASES, needs_cases
from steadfast.lifbench.metrics import compute_metrics
from steadfast.lifbench.paper import PAPER_MODELS
from steadfast.lifbench.released_scores import build_released_scores
from steadfast.lifbench.reproduction import PRINTED, PrintedCell, build_reproduction, compare
from steadfast.lifbench.tasks import TASKS

ROOT = Path(__file__).resolve().parents[2]
LENGTHS = ["4k", "8k", "16k", "32k", "64k", "128k"]
MODELS = {name: name for name, model in PAPER_MODELS.items() if not model.gold}
LABELS = [PAPER_MODELS[name].label for name in MODELS]
COUNTS = {  # cells, matching
    "Table 3": (240, 240),
    "Table 4": (100, 55),
    "Table 4, ranks": (100, 89),
    "Table 7": (1380, 1380),
    "Table 8": (120, 108),
    "Table 9": (720, 719),
    "Table 10": (120, 120),
    "Table 11": (120, 120),
}
GPT, QWEN = "gpt-4o-2024-08-06", "Qwen2.5-7B"

Scores = dict[tuple[str, str], Path]


@pytest.fixture(scope="module")
def scores(tmp_path_factory) -> Scores:
    directory = tmp_path_factory.mktemp("scores")
    files = {(m, length): directory / m / f"{length}.jsonl" for m in MODELS for length in LENGTHS}
    build_released_scores(MODELS, list(TASKS), str(CASES / "released"), files)
    return files


def arguments(directory: Path, scores: Scores) -> tuple[dict, dict, dict]:
    metrics = {name: directory / f"{name}.csv" for name in ("ars", "ifp", "ifs", "coverage")}
    compute_metrics(scores, "rubric", metrics)
    first = next(iter(scores))[0]
    return metrics, {length: scores[first, length] for length in LENGTHS}, MODELS


@pytest.fixture(scope="module")
def released(tmp_path_factory, scores) -> tuple[dict, dict, dict]:
    return arguments(tmp_path_factory.mktemp("metrics"), scores)


@pytest.fixture(scope="module")
def cells(released) -> list[PrintedCell]:
    return compare(*released)


def counts(cells: list[PrintedCell]) -> dict[str, tuple[int, int]]:
    found = Counter(cell.table for cell in cells)
    matching = Counter(cell.table for cell in cells if cell.matches)
    return {table: (found[table], matching[table]) for table in found}


def printed(name: str) -> list[dict[str, str]]:
    with open(PRINTED / f"{name}.csv", newline="") as lines:
        return list(csv.DictReader(lines))


@needs_cases
def test_as_many_cells_match_as_can(cells):
    assert counts(cells) == COUNTS


@needs_cases
def test_every_difference_is_explained(cells):
    assert [cell for cell in cells if not cell.matches and not cell.note] == []
    assert [cell for cell in cells if cell.matches and cell.note] == []


@needs_cases
def test_two_rows_of_table_8_are_interchanged(cells):
    rows = [cell for cell in cells if cell.table == "Table 8" and not cell.matches]
    assert {cell.model for cell in rows} == {"LWM-Text-Chat-1M", "Llama-3.1-8B"}
    values = {(cell.model, cell.column): cell for cell in rows}
    for (model, column), cell in values.items():
        (other,) = {cell.model for cell in rows} - {model}
        assert cell.printed == values[other, column].scores


@needs_cases
def test_the_one_cell_of_table_9(cells):
    (cell,) = [cell for cell in cells if cell.table == "Table 9" and not cell.matches]
    place = ("Qwen2.5-14B-Inst.", "128k", "Ori")
    assert (cell.model, cell.length, cell.column) == place
    assert (cell.printed, cell.scores) == ("0.404", "0.440")


@needs_cases
def test_table_4_differs_where_the_paper_differs_from_itself(cells):
    overall = {c.model: c.printed for c in cells if c.table == "Table 3" and c.column == "Overall"}
    ars = [cell for cell in cells if cell.table == "Table 4" and cell.column == "ARS"]
    assert all(cell.scores == overall[cell.model] for cell in ars)
    assert sum(not cell.matches for cell in ars) == 13


@needs_cases
def test_exchanged_models_match_no_longer(tmp_path, scores, cells):
    turned = {GPT: QWEN, QWEN: GPT}
    exchanged = {(turned.get(m, m), length): path for (m, length), path in scores.items()}
    found = compare(*arguments(tmp_path, exchanged))
    labels = {PAPER_MODELS[m].label for m in turned}
    for before, after in zip(cells, found, strict=True):
        if "ranks" not in after.table and after.model not in labels:
            assert before == after
    wrong = [c for c in found if c.model in labels and not c.matches and "ranks" not in c.table]
    assert len([c for c in wrong if c.table == "Table 3"]) == 24
    assert {c.note for c in wrong} == {""}  # no explanation that was written for another number
    values = {(c.model, c.column): c for c in found if c.table == "Table 3"}
    assert values["GPT-4o", "LSI"].scores == values["Qwen2.5-7B", "LSI"].printed


@needs_cases
def test_exchanged_lengths_show_in_the_tables_by_length_alone(tmp_path, scores):
    exchanged = dict(scores)
    exchanged[GPT, "4k"], exchanged[GPT, "128k"] = scores[GPT, "128k"], scores[GPT, "4k"]
    found = counts(compare(*arguments(tmp_path, exchanged)))
    for table in ("Table 3", "Table 4", "Table 4, ranks", "Table 8"):
        assert found[table] == COUNTS[table]
    for table in ("Table 7", "Table 9", "Table 10", "Table 11"):
        assert found[table][1] < COUNTS[table][1] - 1


@needs_cases
def test_models_that_do_not_run_are_left_out(tmp_path, scores):
    some = {key: path for key, path in scores.items() if key[0] in (GPT, QWEN)}
    metrics, samples, _ = arguments(tmp_path, some)
    found = compare(metrics, samples, {GPT: GPT, QWEN: QWEN, "mine": "mine"})
    assert {cell.model for cell in found} == {"GPT-4o", "Qwen2.5-7B"}
    assert counts(found)["Table 3"] == (24, 24)


@needs_cases
def test_the_files_show_counts_and_every_difference(tmp_path, released):
    build_reproduction(*released, tmp_path)
    with open(tmp_path / "reproduction.csv", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 2900
    assert Counter(row["matches"] for row in rows) == {"yes": 2831, "no": 69}
    assert all(bool(row["explanation"]) == (row["matches"] == "no") for row in rows)
    text = (tmp_path / "reproduction.md").read_text()
    assert re.search(r"\| Table 9 +\| +720 \| +719 \| +1 \| +1 \| +0 \|", text)
    assert re.search(r"\| All +\| +2,900 \| +2,831 \| +69 \| +69 \| +0 \|", text)
    assert len(re.findall(r"\(\d\) +\|$", text, re.MULTILINE)) == 69
    assert "interchanged" in (tmp_path / "reproduction.tex").read_text()


@needs_cases
def test_the_page_has_the_counts(cells):
    page = (ROOT / "docs/reproduction.md").read_text()
    for table, (number, matching) in counts(cells).items():
        assert re.search(rf"\| {table} \| {number:,} \| {matching:,} \|", page), table


def test_the_printed_tables_are_whole():
    names = [path.stem for path in sorted(PRINTED.glob("table*.csv"))]
    assert sum(len(printed(name)) for name in names) == 2800
    for name in names:
        rows = printed(name)
        assert {row["model"] for row in rows} == set(LABELS)
        assert all(re.fullmatch(r"\d\.\d{3}", row["value"]) for row in rows)
        places = [(row["model"], row.get("length"), row["column"]) for row in rows]
        assert len(set(places)) == len(places)


def test_printed_ranks_follow_from_printed_values():
    for column in ("Expression", "Variable", "Length", "Average", "ARS"):
        rows = [row for row in printed("table4_ifs") if row["column"] == column]
        values = sorted((row["value"] for row in rows), reverse=column == "ARS")
        for row in rows:
            first, last = values.index(row["value"]) + 1, 20 - values[::-1].index(row["value"])
            assert first <= int(row["rank"]) <= last, row


def test_the_paper_s_daggers():
    cut = {PAPER_MODELS[name].label for name in MODELS if PAPER_MODELS[name].truncated}
    assert cut == {label for label in LABELS if label.startswith(("Qwen", "C4AI"))}


@needs_cases
@pytest.mark.workflow
@pytest.mark.xdist_group("workflow")
def test_the_workflow_makes_them_from_the_released_files(tmp_path):
    config = yaml.safe_load((ROOT / "config/released.yaml").read_text())
    config["lifbench"]["released"] = {"directory": str(CASES.resolve() / "released")}
    project = Project.new(tmp_path, config)
    project.snakemake("results/tables")
    with open(project.path("results/tables/reproduction.csv"), newline="") as lines:
        assert Counter(row["matches"] for row in csv.DictReader(lines))["yes"] == 2831
    assert r"\input{reproduction.tex}" in project.path("results/tables/all_tables.tex").read_text()
    assert project.planned() == {}
