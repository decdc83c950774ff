"""The benchmark of docs/new-benchmark.md as an installed package, and its run."""

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


def install(folder: Path) -> None:
    """Copies the package into a folder, as an installer does."""
    shutil.copytree(WORDBENCH / "wordbench", folder / "wordbench")
    metadata = folder / "wordbench-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: wordbench\nVersion: 1.0\n")
    project = tomllib.loads((WORDBENCH / "pyproject.toml").read_text())["project"]
    entry_points = project["entry-points"]["steadfast.benchmarks"]
    lines = [f"{name} = {value}\n" for name, value in entry_points.items()]
    (metadata / "entry_points.txt").write_text(f"[steadfast.benchmarks]\n{''.join(lines)}")


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Project:
    """A finished run of the benchmark."""
    project = Project.new(tmp_path_factory.mktemp("fifth"), CONFIG)
    install(project.folder)
    run(project)
    return project


def run(project: Project, *targets: str) -> str:
    return project.snakemake(*targets, PYTHONPATH=str(project.folder))


def test_reference_answers_have_full_marks(project):
    scores = project.records("wordbench/scores/reference/all.jsonl")
    for score in scores:
        assert [score["total"], *score["points"].values()] == [1, 1, 1, 1]
        assert "sim-judge" in score["other_raters"]


def test_metrics_are_means_of_the_scores(project):
    scores = project.records("wordbench/scores/sim-a/all.jsonl")
    points = [score["points"] for score in scores if score["points"]]
    assert 0 < sum(point["Met"] for point in points) < len(points)
    for row in project.rows("wordbench/metrics/scores.csv"):
        if (row["model"], row["kind"]) == ("sim-a", ""):
            mean = sum(point[row["measure"]] for point in points) / len(points)
            assert float(row["value"]) == pytest.approx(mean)
    errors = [score["extracted"]["error"] for score in scores if score["points"]]
    rows = project.rows("wordbench/metrics/errors.csv")
    values = [float(row["value"]) for row in rows if row["model"] == "sim-a"]
    # Two prompts of each number of words: the mean of means is the mean.
    assert len(values) == 6
    assert sum(values) / 6 == pytest.approx(sum(errors) / 12)


def test_summary_has_intervals_and_each_table_the_models(project):
    rows = project.rows("wordbench/metrics/summary.csv")
    rows = [row for row in rows if row["model"] == "sim-a"]
    assert [row["measure"] for row in rows] == ["Met", "Words", "Topic"]
    low, value, high = [float(rows[0][name]) for name in ("low", "value", "high")]
    assert low < value < high
    summary = project.path("results/tables/summary.md").read_text()
    assert "Wordbench: Met" in summary and f"{value:.3f}" in summary
    for name in ("results", "by", "errors", "coverage", "agreement"):
        assert "sim" in project.path(f"results/tables/wordbench_{name}.md").read_text()


def test_figure_is_written_in_all_formats(project):
    run(project, "results/figures/wordbench_scores.png")
    starts = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG", "txt": b"Wordbench: Met, mean"}
    for suffix, start in starts.items():
        path = project.path(f"results/figures/wordbench_scores.{suffix}")
        assert path.read_bytes().startswith(start), suffix


def test_bundle_names_the_package(project, tmp_path):
    run(project, "bundle")
    bundle = project.path("results/bundle.zip")
    with zipfile.ZipFile(bundle) as archive:
        assert json.loads(archive.read("manifest.json"))["packages"] == {"wordbench": "1.0"}
        assert "and also wordbench 1.0:" in archive.read("README.md").decode()
    with pytest.raises(UserError, match="need the package 'wordbench', which is not installed"):
        unbundle(bundle, tmp_path / "unbundled")


def test_changed_scorer_requests_nothing(project):
    project.edit("wordbench/scoring.py", 'verdict == "yes"', 'verdict != "no"')
    planned = project.planned(PYTHONPATH=str(project.folder))
    project.edit("wordbench/scoring.py", 'verdict != "no"', 'verdict == "yes"')
    # The function that reads verdicts is in the same module, so that replies are read again.
    assert planned.keys() & {"inference", "judge_prompts", "prompts"} == set()
    assert planned["scores"] == 2


def test_model_over_http_is_planned_resumed_and_measured_for_nondeterminism(project, server):
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
    rows = project.rows("nondeterminism/wordbench/api/all.csv")
    overall = [(row["n"], row["identical"]) for row in rows if row["task"] == "overall"]
    assert overall == [("4", "1")] * 2


def test_unknown_key_of_its_section_is_reported(project):
    project.configure({**CONFIG, "wordbench": {"prompt": 3}})
    output = project.snakemake(ok=False, PYTHONPATH=str(project.folder))
    project.configure(CONFIG)
    assert "unknown key 'wordbench.prompt'; did you mean 'prompts'?" in output
