"""A finished run in a notebook: frames, one sample, scores of single answers."""

import doctest
import os
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

import steadfast
from project import ROOT
from steadfast.base.errors import UserError
from steadfast.base.files import file_sha256
from steadfast.contract.components import Answer
from steadfast.notebook import run as run_module

pytestmark = [pytest.mark.wide, pytest.mark.workflow]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}


@pytest.fixture(scope="module")
def run(finished):
    return steadfast.load(finished.path("results"))


def test_docstring_examples_run(finished, monkeypatch):
    monkeypatch.chdir(finished.folder)
    results = doctest.testmod(run_module)
    assert results.attempted > 0 and results.failed == 0


def test_notebook_of_the_docs_runs(finished):
    notebook = nbformat.read(ROOT / "docs/notebook.ipynb", as_version=4)
    client = NotebookClient(notebook, resources={"metadata": {"path": str(finished.folder)}})
    client.execute(env=ENVIRONMENT)
    outputs = []
    for cell in notebook.cells:
        outputs += cell.get("outputs", ())
    assert {output.output_type for output in outputs} == {"execute_result"}
    assert "\nInstruction:\n" in outputs[-3]["data"]["text/html"]


def test_import_is_light_and_has_the_public_functions():
    call = "import sys, steadfast; sys.exit(any(n in sys.modules for n in ('pandas', 'yaml')))"
    assert subprocess.run([sys.executable, "-c", call], env=ENVIRONMENT).returncode == 0
    assert {"load", "score"} <= set(dir(steadfast))
    with pytest.raises(AttributeError, match="no attribute 'loads'"):
        _ = steadfast.loads


def test_frames_have_the_values_of_the_files(run, finished):
    outputs = finished.records("lifbench/outputs/sim-a/3k.jsonl")
    answers = run.answers("lifbench", model="sim-a", part="3k")
    assert answers["response"].tolist() == [output["response"] for output in outputs]
    assert set(answers["part"]) == {"3k"} and set(answers["model"]) == {"sim-a"}
    records = finished.records("lifbench/scores/sim-a/3k.jsonl")
    scores = run.scores("lifbench", "sim-a", "3k")
    assert scores["total"].tolist() == [score["total"] for score in records]
    corrected = [score["other_raters"]["corrected"]["total"] for score in records]
    assert scores["total by corrected"].tolist() == corrected
    samples = run.samples("lifbench")
    assert len(samples) == 2 * len(answers) and set(samples["part"]) == {"2k", "3k"}
    reference = run.answers("lifbench", "reference")["response"]
    assert samples["expected"].tolist() == reference.tolist()


def test_sample_scores_any_answer(run):
    sample = run.sample("LSI/list-2k-s1/e0/v1")
    assert [answer.model for answer in sample.answers] == ["reference", "sim-a"]
    correct = sample.score(sample.expected)
    refused = sample.score(Answer("refused", ""))
    assert correct.total == correct.other_raters["corrected"].total == 1
    assert (refused.status, refused.total) == ("refused", None)
    assert steadfast.score("lifbench", sample, sample.expected) == correct
    assert steadfast.score("lifbench", sample, "").total == 0


def test_responses_are_escaped_in_html(run):
    sample = run.sample("LSI/list-2k-s1/e0/v1", model="sim-a")
    sample.answers[0].output["response"] = "<script>alert(1)</script>\x1b[31m"
    markup = sample._repr_html_()
    assert markup.count("<") == 2  # the one element's start and end
    assert "&lt;script&gt;" in markup and "\x1b" not in markup + repr(sample)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda run: steadfast.load("nowhere"), "nowhere: no such folder"),
        (lambda run: run.samples("cfbench"), "unknown benchmark 'cfbench'"),
        (lambda run: run.answers("lifbench", model="sim-b"), "did you mean 'sim-a'"),
        (lambda run: run.scores("lifbench", part="4k"), "unknown part '4k'"),
        (lambda run: run.metrics("lifbench", "arss"), "did you mean 'ars'"),
        (lambda run: run.table("summarys"), "did you mean 'summary'"),
        (lambda run: run.sample("LSI/list-2k-s1/e0"), "did you mean LSI/list-2k-s1/e0/v0, "),
        (lambda run: run.sample("LSI/list-2k-s1/e0/v1", model="x"), "unknown model 'x'"),
        (lambda run: steadfast.score("lifbenc", None, ""), "did you mean 'lifbench'"),
    ],
)
def test_unknown_name_is_reported(run, call, message):
    with pytest.raises(UserError, match=message):
        call(run)


@pytest.mark.parametrize(
    ("file", "read"),
    [
        ("tables/summary.csv", lambda run: run.table("summary")),
        ("lifbench/metrics/ars.csv", lambda run: run.metrics("lifbench", "ars")),
        ("lifbench/scores/sim-a/2k.jsonl", lambda run: run.metrics("lifbench", "ars")),
        ("lifbench/outputs/sim-a/2k.jsonl", lambda run: run.answers("lifbench", "sim-a")),
        ("lifbench/prompts/2k.jsonl", lambda run: run.samples("lifbench")),
        ("lifbench/contexts/list/2k.jsonl", lambda run: run.samples("lifbench")),
        ("config.yaml", lambda run: run.scores("lifbench")),
    ],
)
def test_edited_file_is_refused(project, file, read):
    results = project.path("results")
    run = steadfast.load(results)
    with open(results / file, "a") as lines:
        lines.write("\n")
    message = rf"{file}(: edited since it was made| has changed)"
    if file != "config.yaml":
        with pytest.raises(UserError, match=message):
            read(run)
    with pytest.raises(UserError, match=message):
        read(steadfast.load(results))


def test_metrics_of_another_version_are_available(project):
    folder = project.path("results/lifbench/metrics")
    (folder / "depth.csv").rename(folder / "older.csv")
    provenance = folder / "provenance.json"
    before = file_sha256(provenance)
    provenance.write_text(provenance.read_text().replace('"depth.csv"', '"older.csv"'))
    config = project.path("results/config.provenance.json")
    config.write_text(config.read_text().replace(before, file_sha256(provenance)))
    run = steadfast.load(project.path("results"))
    assert len(run.metrics("lifbench", "older")) and len(run.metrics("lifbench", "ars"))
    with pytest.raises(UserError, match="unknown metric 'depth'"):
        run.metrics("lifbench", "depth")


def test_metrics_of_another_config_are_refused(project):
    results = project.path("results")
    metrics = results / "lifbench/metrics/provenance.json"
    metrics.write_text(metrics.read_text() + " ")
    outdated = r"config\.yaml: outdated, since .*provenance\.json has changed"
    with pytest.raises(UserError, match=outdated):
        steadfast.load(results)
    # Without a config in the folder, the given one is compared with the metrics.
    (results / "config.yaml").unlink()
    with pytest.raises(UserError, match="no such file, although a run writes it"):
        steadfast.load(results)
    assert steadfast.load(results, project.path("my.yaml")).benchmarks == ["lifbench"]
    project.edit("my.yaml", "span: ", "span: 1")
    with pytest.raises(UserError, match="lifbench/metrics: made from other settings"):
        steadfast.load(results, project.path("my.yaml"))
