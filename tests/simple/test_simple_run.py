"""Two benchmarks of some fifty lines, of another package: all that a run gives."""

import csv
import json
import sys
import zipfile

import pytest
from pyarrow import parquet

from gold_server import GoldServer
from outside import SMALL, installed
from project import Project
from servers import running
from steadfast.base.files import read_jsonl
from steadfast.contract import registry

pytestmark = [pytest.mark.wide, pytest.mark.workflow, pytest.mark.xdist_group("workflow")]
READERS = {
    "reference": {"engine": "reference"},
    "sim-a": {"engine": "simulated", "slip": 0.1},
    "sim-b": {"engine": "simulated", "slip": 0.7},
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A run of both, with a model over HTTP that knows the gold answers."""
    project = Project.new(tmp_path_factory.mktemp("outside"), {})
    installed(project.folder)
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(project.folder)
    registry.installed.cache_clear()
    with running(kind=GoldServer) as server:
        gold = {"engine": "openai", "model": "gold", "base_url": server.url, "api_key_env": None}
        config = {**SMALL, "models": {**READERS, "gold": gold}}
        project.configure(config)
        server.serve(project.folder, config)
        targets = ("results/tables", "figures", "plan", "nondeterminism", "bundle", "export")
        project.snakemake(*targets, PYTHONPATH=str(project.folder))
    yield project
    patch.undo()
    registry.installed.cache_clear()
    for name in ("constraints", "longchoice"):
        sys.modules.pop(name, None)


def rows(project, path):
    with open(project.path(f"results/{path}"), newline="") as lines:
        return list(csv.DictReader(lines))


def table(project, name):
    return project.path(f"results/tables/{name}.md").read_text()


def test_lengths_have_an_effective_one(project):
    kept = [
        r
        for r in rows(project, "longchoice/metrics/effective_context_length.csv")
        if r["model"] == "sim-b"
    ]
    scores = {
        row["category"]: row["value"]
        for row in rows(project, "longchoice/metrics/scores.csv")
        if (row["model"], row["kind"]) == ("sim-b", "part")
    }
    lengths = list(SMALL["longchoice"]["lengths"])
    assert [row["length"] for row in kept] == lengths
    for row in kept:
        assert float(row["score"]) == pytest.approx(float(scores[row["length"]]))
    assert f" ≥ {lengths[-1]} " in table(
        project, "longchoice_effective_context_length"
    )  # the gold answers
    assert project.path("results/figures/longchoice_effective_context_length.png").is_file()
    assert "Long choice: Effective context length" in table(project, "summary")


@pytest.mark.parametrize("name", SMALL["benchmarks"])
def test_gold_answers_have_full_marks_from_the_stand_in_and_over_http(project, name):
    for model in ("reference", "gold"):
        for path in project.path(f"results/{name}/scores/{model}").glob("*[a-z0-9].jsonl"):
            assert {score["total"] for score in read_jsonl(path)} == {1}


def test_summary_and_comparisons_draw_groups_or_records(project):
    (own,) = [r for r in rows(project, "longchoice/metrics/summary.csv") if r["model"] == "sim-b"]
    assert float(own["low"]) < float(own["value"]) < float(own["high"])
    assert own["sampled"] == "4 groups of records"
    assert rows(project, "constraints/metrics/summary.csv")[0]["sampled"] == "12 records"
    pairs = {(r["model"], r["other"]) for r in rows(project, "longchoice/metrics/comparisons.csv")}
    assert pairs == {("gold", "sim-a"), ("gold", "sim-b"), ("sim-a", "sim-b")}
    report = table(project, "summary")
    assert "Constraints: Score" in report and "Long choice: Score" in report


def test_means_by_part_and_field_follow_from_the_scores(project):
    scores = [
        (path.stem, score)
        for path in project.path("results/longchoice/scores/sim-b").glob("*k.jsonl")
        for score in read_jsonl(path)
    ]
    found = {
        (row["kind"], row["category"]): float(row["value"])
        for row in rows(project, "longchoice/metrics/scores.csv")
        if row["model"] == "sim-b"
    }
    for part in ("1k", "2k"):
        totals = [score["total"] for of, score in scores if of == part]
        assert found["part", part] == pytest.approx(sum(totals) / len(totals))
    lamp = [score["total"] for _, score in scores if score["by"] == {"thing": "lamp"}]
    assert found["thing", "lamp"] == pytest.approx(sum(lamp) / len(lamp))
    assert "*Thing*" in table(project, "longchoice_by")


def test_figures_noise_bundle_and_export_are_there(project):
    assert project.path("results/figures/longchoice_scores.png").read_bytes()[1:4] == b"PNG"
    assert "Long choice: mean" in project.path("results/figures/longchoice_scores.txt").read_text()
    nondeterminism = rows(project, "nondeterminism/constraints/gold/all.csv")
    assert {row["identical"] for row in nondeterminism if row["task"] == "overall"} == {"1"}
    with zipfile.ZipFile(project.path("results/bundle.zip")) as archive:
        assert json.loads(archive.read("manifest.json"))["packages"] == {"outside": "1.0"}
        assert not [name for name in archive.namelist() if name.endswith(".py")]
    exported = parquet.read_table(
        project.path("results/export/longchoice/prompts/1k.parquet")
    ).to_pylist()
    assert len(exported) == 24 and {one["reference"] for one in exported} <= set("ABCD")


def test_a_trial_asks_one_of_each_part(project):
    planned = project.planned("--config", "limit=1", PYTHONPATH=str(project.folder))
    assert planned["trial_prompts"] == 3


def test_a_change_of_the_scorer_asks_nobody(project):
    """The server is gone: all that the changed module makes again comes from the journal."""
    project.edit("constraints.py", "text.strip().endswith", "text.rstrip().endswith")
    project.snakemake("results/constraints/metrics/scores.csv", PYTHONPATH=str(project.folder))
    (gold,) = [r for r in rows(project, "constraints/metrics/summary.csv") if r["model"] == "gold"]
    assert gold["value"] == "1"
