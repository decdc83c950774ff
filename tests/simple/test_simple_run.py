"""A run of two short benchmarks of another package: all that it gives."""

import json
import zipfile

import pandas as pd
import pytest
from pyarrow import parquet

from gold_server import GoldServer
from outside import ENTRY_POINTS, installed_project
from project import over_http
from servers import running
from steadfast.base.files import read_jsonl

pytestmark = [pytest.mark.wide, pytest.mark.workflow, pytest.mark.xdist_group("workflow")]
CONFIG = {
    "benchmarks": list(ENTRY_POINTS),
    "longchoice": {"lengths": {"1k": 1024, "2k": 2048}, "documents": 4},
    "nondeterminism": {"requests": 3, "repeats": 2},
}
MODELS = {
    "reference": {"engine": "reference"},
    "sim-a": {"engine": "simulated", "slip": 0.1},
    "sim-b": {"engine": "simulated", "slip": 0.7},
}
TARGETS = ("results/tables", "figures", "plan", "nondeterminism", "bundle", "export")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A run of both, with a model over HTTP that knows the reference answers."""
    folder = tmp_path_factory.mktemp("outside")
    with installed_project(folder) as project:
        with running(kind=GoldServer) as server:
            config = {**CONFIG, "models": {**MODELS, "gold": over_http(server.url, "gold")}}
            project.configure(config)
            server.serve(folder, config)
            project.snakemake(*TARGETS, PYTHONPATH=str(folder))
        yield project


def metrics(project, name):
    return pd.read_csv(project.path(f"results/{name}.csv"))


def table(project, name):
    return project.path(f"results/tables/{name}.md").read_text()


def test_run_has_an_effective_context_length(project):
    lengths = metrics(project, "longchoice/metrics/effective_context_length")
    lengths = lengths[lengths["model"] == "sim-b"].set_index("length")["score"]
    scores = metrics(project, "longchoice/metrics/scores")
    scores = scores[(scores["model"] == "sim-b") & (scores["kind"] == "part")]
    scores = scores.set_index("category")["value"]
    assert lengths.index.tolist() == ["1k", "2k"]
    assert lengths.tolist() == pytest.approx(scores[["1k", "2k"]].tolist())
    assert " ≥ 2k " in table(project, "longchoice_effective_context_length")  # reference answers
    assert project.path("results/figures/longchoice_effective_context_length.png").is_file()
    assert "Long choice: Effective context length" in table(project, "summary")


@pytest.mark.parametrize("name", CONFIG["benchmarks"])
def test_reference_answers_have_full_marks(project, name):
    for model in ("reference", "gold"):
        for path in project.path(f"results/{name}/scores/{model}").glob("*[a-z0-9].jsonl"):
            assert {score["total"] for score in read_jsonl(path)} == {1}


def test_summary_and_comparisons_have_groups_or_records_as_units(project):
    summary = metrics(project, "longchoice/metrics/summary").set_index("model").loc["sim-b"]
    assert summary["low"] < summary["value"] < summary["high"]
    assert summary["sampled"] == "4 groups of records"
    assert metrics(project, "constraints/metrics/summary")["sampled"][0] == "12 records"
    comparisons = metrics(project, "longchoice/metrics/comparisons")
    pairs = set(zip(comparisons["model"], comparisons["other"], strict=True))
    assert pairs == {("gold", "sim-a"), ("gold", "sim-b"), ("sim-a", "sim-b")}
    summary = table(project, "summary")
    assert "Constraints: Score" in summary and "Long choice: Score" in summary


def test_means_by_part_and_field_follow_from_the_scores(project):
    means = metrics(project, "longchoice/metrics/scores")
    means = means[means["model"] == "sim-b"].set_index(["kind", "category"])["value"]
    lamp_totals = []
    for part in ("1k", "2k"):
        scores = project.records(f"longchoice/scores/sim-b/{part}.jsonl")
        assert means["part", part] == pytest.approx(sum(s["total"] for s in scores) / len(scores))
        lamp_totals += [score["total"] for score in scores if score["by"] == {"thing": "lamp"}]
    assert means["thing", "lamp"] == pytest.approx(sum(lamp_totals) / len(lamp_totals))
    assert "*Thing*" in table(project, "longchoice_by")


def test_figures_nondeterminism_bundle_and_export_are_written(project):
    assert project.path("results/figures/longchoice_scores.png").read_bytes()[1:4] == b"PNG"
    assert "Long choice: mean" in project.path("results/figures/longchoice_scores.txt").read_text()
    nondeterminism = metrics(project, "nondeterminism/constraints/gold/all")
    overall = nondeterminism[nondeterminism["task"] == "overall"]
    assert set(overall["identical"]) == {1}
    with zipfile.ZipFile(project.path("results/bundle.zip")) as archive:
        assert json.loads(archive.read("manifest.json"))["packages"] == {"outside": "1.0"}
        assert not [name for name in archive.namelist() if name.endswith(".py")]
    exported = parquet.read_table(project.path("results/export/longchoice/prompts/1k.parquet"))
    references = exported["reference"].to_pylist()
    assert len(references) == 24 and set(references) <= set("ABCD")


def test_trial_has_one_prompt_of_each_part(project):
    planned = project.planned("--config", "limit=1", PYTHONPATH=str(project.folder))
    assert planned["trial_prompts"] == 3


def test_changed_scorer_requests_nothing(project):
    """The server has stopped: all responses come from the journal."""
    project.edit("constraints.py", "text.strip().endswith", "text.rstrip().endswith")
    project.snakemake("results/constraints/metrics/scores.csv", PYTHONPATH=str(project.folder))
    summary = metrics(project, "constraints/metrics/summary").set_index("model")
    assert summary.loc["gold", "value"] == 1
