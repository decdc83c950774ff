"""A run of three simple benchmarks of other packages, one of them judged: all that it gives."""

import json
import zipfile

import pandas as pd
import pytest
from pyarrow import parquet

from outside import installed_project
from project import command, over_http
from reference_server import ReferenceServer
from servers import running
from steadfast.base.files import read_jsonl

pytestmark = [pytest.mark.wide, pytest.mark.workflow]
CONFIG = {
    "benchmarks": ["constraints", "longchoice", "wordbench"],
    "longchoice": {"lengths": {"1k": 1024, "2k": 2048}, "documents": 4},
    "nondeterminism": {"requests": 3, "repeats": 2},
}
MODELS = {
    "reference": {"engine": "reference"},
    "sim-a": {"engine": "simulated", "slip": 0.1},
    "sim-b": {"engine": "simulated", "slip": 0.7},
}
JUDGES = {"reference": {"engine": "reference"}, "sim-judge": {"engine": "simulated"}}
TARGETS = ("results/tables", "figures", "plan", "nondeterminism", "bundle", "export")


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A finished run, with a model and a judge over HTTP that know the reference answers."""
    folder = tmp_path_factory.mktemp("outside")
    with installed_project(folder) as project:
        with running(kind=ReferenceServer) as server:
            models = MODELS | {"gold": over_http(server.url, "gold")}
            judges = JUDGES | {"judge": over_http(server.url, "judge")}
            config = CONFIG | {"models": models, "judges": judges}
            project.configure(config)
            server.serve(folder, config)
            project.snakemake(*TARGETS, PYTHONPATH=str(folder))
        yield project


def metrics(project, name, model="sim-b"):
    frame = pd.read_csv(project.path(f"results/{name}.csv"), keep_default_na=False)
    return frame[frame["model"] == model]


def table(project, name):
    return project.path(f"results/tables/{name}.md").read_text()


def test_run_has_an_effective_context_length(project):
    lengths = metrics(project, "longchoice/metrics/effective_context_length")
    scores = metrics(project, "longchoice/metrics/scores").query("kind == 'part'")
    assert lengths["length"].tolist() == scores["category"].tolist() == ["1k", "2k"]
    assert lengths["score"].astype(float).tolist() == pytest.approx(scores["value"].tolist())
    assert " ≥ 2k " in table(project, "longchoice_effective_context_length")  # reference answers
    assert project.path("results/figures/longchoice_effective_context_length.png").is_file()
    assert "Long choice: Effective context length" in table(project, "summary")


@pytest.mark.parametrize("name", CONFIG["benchmarks"])
@pytest.mark.parametrize("model", ["reference", "gold"])
def test_reference_answers_have_full_marks(project, name, model):
    for path in project.path(f"results/{name}/scores/{model}").glob("*[a-z0-9].jsonl"):
        for score in read_jsonl(path):
            assert {score["total"], *score["points"].values()} == {1}


def test_second_judge_is_in_the_scores(project):
    for score in project.records("wordbench/scores/reference/all.jsonl"):
        assert "sim-judge" in score["other_raters"]


def test_summary_has_intervals_and_sampling_units(project):
    summary = metrics(project, "wordbench/metrics/summary")
    assert summary["measure"].tolist() == ["Met", "Words", "Topic"]
    longchoice = metrics(project, "longchoice/metrics/summary").iloc[0]
    for row in (longchoice, summary.iloc[0]):
        assert row["low"] < row["value"] < row["high"]
    assert longchoice["sampled"] == "4 groups of records"
    assert metrics(project, "constraints/metrics/summary")["sampled"].tolist() == ["12 records"]
    text = table(project, "summary")
    for name in ("Constraints: Score", "Long choice: Score", "Wordbench: Met"):
        assert name in text
    assert f"{summary['value'].iloc[0]:.3f}" in text


def test_each_pair_of_models_is_compared(project):
    frame = pd.read_csv(project.path("results/longchoice/metrics/comparisons.csv"))
    pairs = set(zip(frame["model"], frame["other"], strict=True))
    assert pairs == {("gold", "sim-a"), ("gold", "sim-b"), ("sim-a", "sim-b")}


def test_means_by_part_and_field_follow_from_the_scores(project):
    means = metrics(project, "longchoice/metrics/scores").set_index(["kind", "category"])["value"]
    lamp_totals = []
    for part in ("1k", "2k"):
        scores = project.records(f"longchoice/scores/sim-b/{part}.jsonl")
        totals = [score["total"] for score in scores]
        assert means["part", part] == pytest.approx(sum(totals) / len(totals))
        lamp_totals += [score["total"] for score in scores if score["by"] == {"thing": "lamp"}]
    assert means["thing", "lamp"] == pytest.approx(sum(lamp_totals) / len(lamp_totals))
    assert "*Thing*" in table(project, "longchoice_by")


def test_measures_and_own_metrics_follow_from_the_scores(project):
    records = project.records("wordbench/scores/sim-b/all.jsonl")
    scores = [score for score in records if score["points"]]
    points = pd.DataFrame([score["points"] for score in scores])
    assert 0 < points["Met"].mean() < 1
    means = metrics(project, "wordbench/metrics/scores").query("kind == ''")
    assert means["value"].tolist() == pytest.approx(points[means["measure"]].mean().tolist())
    errors = [score["extracted"]["error"] for score in scores]
    means = metrics(project, "wordbench/metrics/errors")["value"]
    # Two prompts of each number of words: the mean of means is the mean.
    assert len(means) == 6 and means.mean() == pytest.approx(sum(errors) / 12)
    for name in ("results", "by", "errors", "coverage", "agreement"):
        assert "sim" in table(project, f"wordbench_{name}")


def test_figure_is_written_in_all_formats(project):
    starts = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG", "txt": b"Wordbench: Met, mean"}
    for suffix, start in starts.items():
        path = project.path(f"results/figures/wordbench_scores.{suffix}")
        assert path.read_bytes().startswith(start), suffix
    assert "Long choice: mean" in project.path("results/figures/longchoice_scores.txt").read_text()


@pytest.mark.parametrize("name", ["constraints", "wordbench"])
def test_nondeterminism_is_measured(project, name):
    frame = pd.read_csv(project.path(f"results/nondeterminism/{name}/gold/all.csv"))
    overall = frame.query("task == 'overall'")[["n", "identical"]]
    assert overall.values.tolist() == [[3, 1]] * 2


def test_bundle_names_the_packages(project, tmp_path):
    bundle = project.path("results/bundle.zip")
    with zipfile.ZipFile(bundle) as archive:
        packages = json.loads(archive.read("manifest.json"))["packages"]
        assert packages == {"outside": "1.0", "wordbench": "1.0"}
        assert "and also outside 1.0, wordbench 1.0:" in archive.read("README.md").decode()
        assert not [name for name in archive.namelist() if name.endswith(".py")]
    done = command("unbundle", bundle, tmp_path / "unbundled")
    assert "need the package 'outside', 'wordbench', which is not installed" in done.stderr


def test_prompts_are_exported_with_reference_answers(project):
    exported = parquet.read_table(project.path("results/export/longchoice/prompts/1k.parquet"))
    references = exported["reference"].to_pylist()
    assert len(references) == 24 and set(references) <= set("ABCD")


def test_trial_has_one_prompt_of_each_part(project):
    planned = project.planned("--config", "limit=1", PYTHONPATH=str(project.folder))
    assert planned["trial_prompts"] == 4


def test_changed_scorer_requests_nothing(project):
    """The server has stopped: all responses come from the journal."""
    project.edit("constraints.py", "text.strip().endswith", "text.rstrip().endswith")
    project.snakemake("results/constraints/metrics/scores.csv", PYTHONPATH=str(project.folder))
    assert metrics(project, "constraints/metrics/summary", "gold")["value"].tolist() == [1]
    project.edit("wordbench/scoring.py", 'verdict == "yes"', 'verdict != "no"')
    planned = project.planned(PYTHONPATH=str(project.folder))
    assert not planned.keys() & {"inference", "judge_prompts", "prompts"}
    assert planned["scores"] == len(MODELS) + 1


def test_unknown_key_of_another_packages_section_is_reported(project):
    project.configure({**CONFIG, "models": MODELS, "judges": JUDGES, "wordbench": {"prompt": 3}})
    text = project.snakemake(ok=False, PYTHONPATH=str(project.folder))
    assert "unknown key 'wordbench.prompt'; did you mean 'prompts'?" in text
