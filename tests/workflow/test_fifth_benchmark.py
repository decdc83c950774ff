"""The benchmark that docs/new-benchmark.md shows: written down as it stands there, and run."""

import csv
import json
import shutil
import tomllib
import zipfile
from pathlib import Path

import pytest

from project import ROOT, Project
from steadfast.base.errors import UserError
from steadfast.base.files import read_jsonl
from steadfast.share.unbundle import unbundle

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("workflow")]

WORDBENCH = ROOT / "docs/examples/benchmarks/wordbench"
CONFIG = {
    "benchmarks": ["wordbench"],
    "judges": {"reference": {"engine": "reference"}, "sim-judge": {"engine": "simulated"}},
    "models": {
        "reference": {"engine": "reference"},
        "sim-a": {"engine": "simulated", "slip": 0.4},
    },
    "nondeterminism": {"requests": 4, "repeats": 2},
}


def written(folder: Path) -> None:
    """Copies the package there, as an installer leaves it."""
    shutil.copytree(WORDBENCH / "wordbench", folder / "wordbench")
    shutil.copy(WORDBENCH / "wordbench_judge.txt", folder)
    installed = folder / "wordbench-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Name: wordbench\nVersion: 1.0\n")
    entry_points = tomllib.loads((WORDBENCH / "pyproject.toml").read_text())["project"][
        "entry-points"
    ]
    lines = (f"{name} = {value}" for name, value in entry_points["steadfast.benchmarks"].items())
    (installed / "entry_points.txt").write_text(
        "\n".join(["[steadfast.benchmarks]", *lines]) + "\n"
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    """A project with the benchmark beside it, run to its end; a model over HTTP is added later."""
    project = Project.new(tmp_path_factory.mktemp("fifth"), CONFIG)
    written(project.folder)
    run(project)
    return project


def run(project: Project, *targets: str) -> str:
    return project.snakemake(*targets, PYTHONPATH=str(project.folder))


def rows(project: Project, path: str) -> list[dict[str, str]]:
    with open(project.path(f"results/{path}"), newline="") as lines:
        return list(csv.DictReader(lines))


def test_its_reference_keeps_every_wish_judged_and_ruled(project):
    scores = list(read_jsonl(project.path("results/wordbench/scores/reference/en.jsonl")))
    assert {(score["task"], score["total"]) for score in scores} == {("rule", 1), ("judge", 1)}
    assert all("sim-judge" in score["other_raters"] for score in scores)


def test_its_table_and_its_columns_of_the_report_have_intervals(project):
    (summary,) = [
        row for row in rows(project, "wordbench/metrics/summary.csv") if "sim" in row["model"]
    ]
    assert float(summary["low"]) < float(summary["value"]) < float(summary["high"])
    report = project.path("results/tables/summary.md").read_text()
    assert "Wordbench: Kept" in report
    assert f"{float(summary['value']):.3f}" in report
    assert "sim-a" in project.path("results/tables/wordbench_words.md").read_text()


def test_its_figure_is_drawn(project):
    run(project, "results/figures/wordbench_words.png")
    begins = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG", "txt": b"Wordbench: share"}
    for kind, beginning in begins.items():
        path = project.path(f"results/figures/wordbench_words.{kind}")
        assert path.read_bytes().startswith(beginning), kind


def test_its_bundle_says_which_package_brings_it(project, tmp_path):
    run(project, "bundle")
    bundle = project.path("results/bundle.zip")
    with zipfile.ZipFile(bundle) as archive:
        assert json.loads(archive.read("manifest.json"))["packages"] == {"wordbench": "1.0"}
        assert "and also wordbench 1.0:" in archive.read("README.md").decode()
    with pytest.raises(UserError, match="need the package 'wordbench', which is not installed"):
        unbundle(bundle, tmp_path / "there")


def test_without_exports_in_its_task_it_is_no_data_set(project):
    for options in ((), ("--dry-run",)):
        said = project.snakemake(*options, "export", ok=False, PYTHONPATH=str(project.folder))
        assert "Wordbench cannot be exported: its Task has no exports" in said


def test_a_change_of_its_scorer_scores_again_and_asks_nobody(project):
    project.edit("wordbench/scoring.py", 'reply.text.strip() == "yes"', '"yes" in reply.text')
    planned = project.planned(PYTHONPATH=str(project.folder))
    project.edit("wordbench/scoring.py", '"yes" in reply.text', 'reply.text.strip() == "yes"')
    # What reads verdicts stands in the same module, so that judges' replies are read again.
    assert planned.keys() & {"inference", "judge_prompts", "prompts"} == set()
    assert planned["scores"] == 2


def test_it_is_asked_of_a_server_planned_resumed_and_its_noise_measured(project, server):
    api = {"engine": "openai", "model": "m", "base_url": server.url, "api_key_env": None}
    models, judges = {**CONFIG["models"], "api": api}, {**CONFIG["judges"], "api-judge": api}
    project.configure({**CONFIG, "models": models, "judges": judges})
    run(project, "plan")
    (planned,) = [row for row in rows(project, "plan/plan.csv") if row["model"] == "api"]
    assert (planned["requests"], planned["remaining"]) == ("12", "12")
    run(project)
    outputs = project.path("results/wordbench/outputs/api/en.jsonl")
    first = outputs.read_bytes()
    outputs.unlink()
    run(project, "results/wordbench/outputs/api/en.jsonl")
    assert outputs.read_bytes() == first
    prompts = read_jsonl(project.path("results/wordbench/prompts/en.jsonl"))
    assert {server.answered[prompt["instruction"]] for prompt in prompts} == {1}
    run(project, "nondeterminism")
    overall = [
        row
        for row in rows(project, "nondeterminism/wordbench/api/en.csv")
        if row["task"] == "overall"
    ]
    assert [(row["n"], row["identical"]) for row in overall] == [("4", "1")] * 2


def test_an_unknown_key_of_its_section_is_named(project):
    project.configure({**CONFIG, "wordbench": {"topic": 3}})
    text = project.snakemake(ok=False, PYTHONPATH=str(project.folder))
    project.configure(CONFIG)
    assert "unknown key 'wordbench.topic'; did you mean 'topics'?" in text
