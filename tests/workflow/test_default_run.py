"""The whole DAG on a tiny config: what a user finds in results/."""

import getpass
import os
import socket
import subprocess
from datetime import datetime
from pathlib import Path

import libfaketime
import pytest
import yaml

from project import FIGURE, PAPER, ROOT, SNAKEMAKE, Project

pytestmark = pytest.mark.workflow


@pytest.fixture(params=["finished", pytest.param("paper", marks=pytest.mark.wide)])
def run(request) -> Project:
    """A run of three tasks, and one of all tasks that has a figure."""
    return request.getfixturevalue(request.param)


def test_the_reference_scores_exactly_one_everywhere(run, request):
    samples = {"finished": 30 + 30 + 25, "paper": 461}[request.node.callspec.params["run"]]
    for length in PAPER["lifbench"]["lengths"]:
        scores = run.records(f"lifbench/scores/reference/{length}.jsonl")
        assert len(scores) == samples
        assert [row["sample_id"] for row in scores if row["total"] != 1] == []


@pytest.mark.wide
def test_the_reference_has_full_marks_in_every_cell_of_the_default_report(tmp_path):
    default = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    project = Project.new(
        tmp_path, {**default, "lifbench": PAPER["lifbench"], "only": ["reference"]}
    )
    project.snakemake("results/summary/summary.csv")
    (row,) = project.rows("summary/summary.csv")
    highest = {"ARS": "1.000", "HSR": "100.0", "CSL": "5.0", "PSR": "1.000", "DRFR": "1.000"}
    steadiest = {"IFS": "0.000"}
    assert {name: row[name] for name in highest | steadiest} == highest | steadiest


def test_latex_has_a_glyph_for_each_character_of_the_tables(run):
    pages = list(run.folder.glob("results/tables/*.tex"))
    assert pages and [path.name for path in pages if "{U+" in path.read_text()] == []


def test_every_table_and_caption_says_that_its_text_is_synthetic(run):
    said = "LIFBench: synthetic contexts"
    captions = [*run.folder.glob("results/figures/*.txt")]
    assert bool(captions) == run.path(FIGURE).exists()
    tables = [*run.folder.glob("results/tables/[a-z]*.*")]
    silent = [path for path in [*captions, *tables] if said not in path.read_text()]
    # It stands in each row of a CSV file; the comparisons of one model have none.
    rowless = [
        path for path in tables if path.suffix == ".csv" and path.read_text().count("\n") < 2
    ]
    assert {path.name for path in silent} - {path.name for path in rowless} == {"all_tables.tex"}


@pytest.mark.wide
def test_table_2_has_the_papers_counts(paper):
    columns = ("#Exp.", "#Var.", "#Data")
    rows = paper.rows("tables/lifbench_table2_data.csv")
    data = {row["ID"]: [int(row[column]) for column in columns] for row in rows if row["ID"]}
    # Two lengths here, six in the paper.
    printed = {
        "LSI": [5, 6, 180], "LMI": [5, 5, 150], "LOI": [11, 6, 396], "LOE": [12, 6, 432],
        "LBI": [11, 6, 396], "LBE": [12, 6, 432], "MB": [5, 5, 150], "MF": [5, 5, 150],
        "OR": [5, 5, 150], "OQ": [5, 6, 180], "OE": [5, 5, 150],
    }  # fmt: skip
    assert data == {task: [e, v, n // 3] for task, (e, v, n) in printed.items()}


def bytes_of(project: Project) -> dict[str, bytes]:
    """The results that do not tell of one run (logs), its order (the journal) or its time."""
    folder = project.path("results")
    names = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    return {
        str(name): (folder / name).read_bytes()
        for name in sorted(names)
        if name.parts[0] not in ("logs", "benchmarks", "journal")
        and name.as_posix() != "metrics/inference.csv"
    }


@pytest.mark.wide
def test_two_runs_give_the_same_bytes(paper, tmp_path):
    """As a user starts it, with other sets, in another year."""
    again = Project.new(tmp_path, PAPER, with_data=False)
    clock = Path(libfaketime.__file__).parent / "vendor/libfaketime/src/libfaketime.so.1"
    later = {"FAKETIME": "+1y", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "LD_PRELOAD": str(clock)}
    run = subprocess.run(
        [*SNAKEMAKE, "results/tables", FIGURE],
        cwd=again.folder,
        env={**os.environ, **later, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    (log,) = again.path(".snakemake/log").iterdir()
    assert not log.name.startswith(f"{datetime.now():%Y-%m}")
    first = bytes_of(paper)
    second = bytes_of(again)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_no_result_names_the_machine_or_the_folder(run):
    secrets = [str(run.folder), socket.gethostname(), f"/{getpass.getuser()}/"]
    for path in run.path("results").rglob("*"):
        if path.is_file() and path.suffix in (".json", ".jsonl", ".csv", ".tex", ".md"):
            text = path.read_text()
            assert [word for word in secrets if word in text and len(word) > 4] == [], path


def test_the_run_names_each_stage_and_ends_with_the_headline(project):
    lines = project.snakemake("results/tables", "--forcerun", "lifbench_tables").splitlines()
    assert lines[1:3] == ["2 jobs", "tables: 2 jobs done"]  # behind Snakemake's, on the profile
    row = next(line.split() for line in lines if line.startswith("Reference  "))
    assert row == ["Reference", "1.000", "0.000"]
    assert "LIFBench: synthetic contexts" in "\n".join(lines)
    assert "Tables (docs/reading.md explains them): results/tables/" in lines


def test_a_job_that_is_killed_is_named_with_its_log(project):
    project.edit(
        "scripts/steadfast/stages/tabulate.py",
        "    run_rule(",
        "    import os\n    os.kill(os.getpid(), 9)\n    run_rule(",
    )
    text = project.snakemake("results/tables", "--forcerun", "lifbench_tables", ok=False)
    lines = [line.strip() for line in text.splitlines()]
    for line in ("failed: lifbench/tables", "results/logs/lifbench/tables.log"):
        assert line in lines
    assert "lifbench_tables: it ended without an error message" in lines
