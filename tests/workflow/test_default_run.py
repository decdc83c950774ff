"""A complete run of a tiny config: what a user finds in results/."""

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
    """A run of three tasks, and a run of all tasks with a figure."""
    return request.getfixturevalue(request.param)


def test_reference_answers_have_full_marks(run, request):
    samples = {"finished": 30 + 30 + 25, "paper": 461}[request.node.callspec.params["run"]]
    for length in PAPER["lifbench"]["lengths"]:
        scores = run.records(f"lifbench/scores/reference/{length}.jsonl")
        assert len(scores) == samples
        assert [score["sample_id"] for score in scores if score["total"] != 1] == []


@pytest.mark.wide
def test_reference_answers_have_full_marks_in_the_default_summary(tmp_path):
    default = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    config = {**default, "lifbench": PAPER["lifbench"], "only": ["reference"]}
    project = Project.new(tmp_path, config)
    project.snakemake("results/summary/summary.csv")
    (row,) = project.rows("summary/summary.csv")
    best = {"ARS": "1.000", "IFS": "0.000", "HSR": "100.0", "CSL": "5.0"}
    best |= {"PSR": "1.000", "DRFR": "1.000"}
    assert best.items() <= row.items()


def test_latex_has_a_glyph_for_each_character_of_the_tables(run):
    paths = list(run.folder.glob("results/tables/*.tex"))
    assert paths
    for path in paths:
        assert "{U+" not in path.read_text(), path.name


def test_tables_and_captions_note_synthetic_contexts(run):
    captions = list(run.folder.glob("results/figures/*.txt"))
    assert bool(captions) == run.path(FIGURE).exists()
    unmarked = set()
    for path in [*captions, *run.folder.glob("results/tables/[a-z]*.*")]:
        text = path.read_text()
        # The note is in each row of a CSV file; comparisons of one model have no row.
        has_rows = path.suffix != ".csv" or text.count("\n") > 1
        if has_rows and "LIFBench: synthetic contexts" not in text:
            unmarked.add(path.name)
    assert unmarked == {"all_tables.tex"}


@pytest.mark.wide
def test_table_2_has_the_counts_of_the_paper(paper):
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


def reproducible_results(project: Project) -> dict[str, bytes]:
    """Results without logs, wall times, and the order of requests in the journal."""
    folder = project.path("results")
    contents = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        excluded = name.parts[0] in ("logs", "benchmarks", "journal")
        if path.is_file() and not excluded and str(name) != "metrics/inference.csv":
            contents[str(name)] = path.read_bytes()
    return contents


@pytest.mark.wide
def test_runs_are_reproducible(paper, tmp_path):
    """As a user starts a run, with another hash seed, in another year."""
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
    first = reproducible_results(paper)
    second = reproducible_results(again)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_results_do_not_name_the_machine_or_the_folder(run):
    names = [str(run.folder), socket.gethostname(), f"/{getpass.getuser()}/"]
    names = [name for name in names if len(name) > 4]
    for path in run.path("results").rglob("*"):
        if path.is_file() and path.suffix in (".json", ".jsonl", ".csv", ".tex", ".md"):
            text = path.read_text()
            assert [name for name in names if name in text] == [], path


def test_terminal_has_stages_and_summary(project):
    lines = project.snakemake("results/tables", "--forcerun", "lifbench_tables").splitlines()
    assert lines[1:3] == ["2 jobs", "tables: 2 jobs done"]  # after Snakemake's line on the profile
    row = next(line.split() for line in lines if line.startswith("Reference  "))
    assert row == ["Reference", "1.000", "0.000"]
    assert "LIFBench: synthetic contexts" in "\n".join(lines)
    assert "Tables (docs/reading.md explains them): results/tables/" in lines


def test_killed_job_is_reported_with_its_log(project):
    kill = "    import os\n    os.kill(os.getpid(), 9)\n"
    project.edit("scripts/steadfast/stages/tabulate.py", "    run_rule(", f"{kill}    run_rule(")
    output = project.snakemake("results/tables", "--forcerun", "lifbench_tables", ok=False)
    lines = [line.strip() for line in output.splitlines()]
    assert "failed: lifbench/tables" in lines
    assert "results/logs/lifbench/tables.log" in lines
    assert "lifbench_tables: it ended without an error message" in lines
