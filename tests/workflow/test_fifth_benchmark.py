"""The benchmark that docs/new-benchmark.md shows: written down as it stands there, and run."""

import json
import shutil
import tomllib
import zipfile
from pathlib import Path

import pytest

from project import ROOT, Project, over_http
from steadfast.base.errors import UserError
from steadfast.share.unbundle import unbundle

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

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


def test_its_reference_meets_every_request(project):
    scores = project.records("wordbench/scores/reference/all.jsonl")
    assert {(score["total"], *score["points"].values()) for score in scores} == {(1, 1, 1, 1)}
    assert all("sim-judge" in score["other_raters"] for score in scores)


def test_its_metrics_are_means_of_what_its_scorer_gives(project):
    scores = project.records("wordbench/scores/sim-a/all.jsonl")
    points = [score["points"] for score in scores if score["points"]]
    assert 0 < sum(point["Met"] for point in points) < len(points)
    for row in project.rows("wordbench/metrics/scores.csv"):
        if (row["model"], row["kind"]) == ("sim-a", ""):
            mean = sum(point[row["measure"]] for point in points) / len(points)
            assert float(row["value"]) == pytest.approx(mean)
    errors = [score["extracted"]["error"] for score in scores if score["points"]]
    of_model = [r for r in project.rows("wordbench/metrics/errors.csv") if r["model"] == "sim-a"]
    # Two prompts of each number of words: the mean of means is the mean.
    assert len(of_model) == 6
    assert sum(float(row["value"]) for row in of_model) / 6 == pytest.approx(sum(errors) / 12)


def test_its_tables_and_its_columns_of_the_summary_have_intervals(project):
    by_measure = {
        row["measure"]: row
        for row in project.rows("wordbench/metrics/summary.csv")
        if row["model"] == "sim-a"
    }
    assert list(by_measure) == ["Met", "Words", "Topic"]
    summary = by_measure["Met"]
    assert float(summary["low"]) < float(summary["value"]) < float(summary["high"])
    report = project.path("results/tables/summary.md").read_text()
    assert "Wordbench: Met" in report
    assert f"{float(summary['value']):.3f}" in report
    for name in ("results", "by", "errors", "coverage", "agreement"):
        assert "sim" in project.path(f"results/tables/wordbench_{name}.md").read_text()


def test_its_figure_is_drawn(project):
    run(project, "results/figures/wordbench_scores.png")
    begins = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG", "txt": b"Wordbench: Met, mean"}
    for kind, beginning in begins.items():
        path = project.path(f"results/figures/wordbench_scores.{kind}")
        assert path.read_bytes().startswith(beginning), kind


def test_its_bundle_says_which_package_brings_it(project, tmp_path):
    run(project, "bundle")
    bundle = project.path("results/bundle.zip")
    with zipfile.ZipFile(bundle) as archive:
        assert json.loads(archive.read("manifest.json"))["packages"] == {"wordbench": "1.0"}
        assert "and also wordbench 1.0:" in archive.read("README.md").decode()
    with pytest.raises(UserError, match="need the package 'wordbench', which is not installed"):
        unbundle(bundle, tmp_path / "there")


def test_a_change_of_its_scorer_scores_again_and_asks_nobody(project):
    project.edit("wordbench/scoring.py", 'verdict == "yes"', 'verdict != "no"')
    planned = project.planned(PYTHONPATH=str(project.folder))
    project.edit("wordbench/scoring.py", 'verdict != "no"', 'verdict == "yes"')
    # What reads verdicts stands in the same module, so that judges' replies are read again.
    assert planned.keys() & {"inference", "judge_prompts", "prompts"} == set()
    assert planned["scores"] == 2


def test_it_is_asked_of_a_server_planned_resumed_and_its_noise_measured(project, server):
    api = over_http(server.url)
    models = {**CONFIG["models"], "api": api}
    judges = {**CONFIG["judges"], "api-judge": api}
    project.configure({**CONFIG, "models": models, "judges": judges})
    run(project, "plan")
    (planned,) = [row for row in project.rows("plan/plan.csv") if row["model"] == "api"]
    assert (planned["requests"], planned["remaining"]) == ("12", "12")
    run(project)
    outputs = project.path("results/wordbench/outputs/api/all.jsonl")
    first = outputs.read_bytes()
    outputs.unlink()
    run(project, "results/wordbench/outputs/api/all.jsonl")
    assert outputs.read_bytes() == first
    prompts = project.records("wordbench/prompts/all.jsonl")
    assert {server.answered[prompt["instruction"]] for prompt in prompts} == {1}
    run(project, "nondeterminism")
    overall = [
        row
        for row in project.rows("nondeterminism/wordbench/api/all.csv")
        if row["task"] == "overall"
    ]
    assert [(row["n"], row["identical"]) for row in overall] == [("4", "1")] * 2


def test_an_unknown_key_of_its_section_is_named(project):
    project.configure({**CONFIG, "wordbench": {"prompt": 3}})
    text = project.snakemake(ok=False, PYTHONPATH=str(project.folder))
    project.configure(CONFIG)
    assert "unknown key 'wordbench.prompt'; did you mean 'prompts'?" in text
