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


@pytest.fixture(scope="module")
def run(finished):
    return steadfast.load(finished.path("results"))


def test_the_examples_of_the_docstrings_show_what_happens(finished, monkeypatch):
    monkeypatch.chdir(finished.folder)
    found = doctest.testmod(run_module)
    assert found.attempted > 0 and found.failed == 0


def test_the_notebook_of_the_docs_runs(finished):
    notebook = nbformat.read(ROOT / "docs/notebook.ipynb", as_version=4)
    client = NotebookClient(notebook, resources={"metadata": {"path": str(finished.folder)}})
    client.execute(env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")})
    shown = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    assert {out.output_type for out in shown} == {"execute_result"}
    assert "\nInstruction:\n" in shown[-3]["data"]["text/html"]


def test_import_steadfast_imports_no_library_of_frames():
    call = "import sys, steadfast; sys.exit(any(n in sys.modules for n in ('pandas', 'yaml')))"
    where = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}
    assert subprocess.run([sys.executable, "-c", call], env=where, check=False).returncode == 0
    assert {"load", "score"} <= set(dir(steadfast))
    with pytest.raises(AttributeError, match="no attribute 'loads'"):
        _ = steadfast.loads


def test_frames_hold_what_the_files_hold(run, finished):
    outputs = finished.records("lifbench/outputs/sim-a/3k.jsonl")
    answers = run.answers("lifbench", model="sim-a", part="3k")
    assert answers["response"].tolist() == [one["response"] for one in outputs]
    assert set(answers["part"]) == {"3k"} and set(answers["model"]) == {"sim-a"}
    records = finished.records("lifbench/scores/sim-a/3k.jsonl")
    scores = run.scores("lifbench", "sim-a", "3k")
    assert scores["total"].tolist() == [one["total"] for one in records]
    corrected = [one["other_raters"]["corrected"]["total"] for one in records]
    assert scores["total by corrected"].tolist() == corrected
    samples = run.samples("lifbench")
    assert len(samples) == 2 * len(answers) and set(samples["part"]) == {"2k", "3k"}
    reference = run.answers("lifbench", "reference")["response"]
    assert samples["expected"].tolist() == reference.tolist()


def test_a_sample_scores_any_answer(run):
    sample = run.sample("LSI/list-2k-s1/e0/v1")
    assert [one.model for one in sample.answers] == ["reference", "sim-a"]
    right = sample.score(sample.expected)
    silent = sample.score(Answer("refused", ""))
    assert right.total == right.other_raters["corrected"].total == 1
    assert (silent.status, silent.total) == ("refused", None)
    assert steadfast.score("lifbench", sample, sample.expected) == right
    assert steadfast.score("lifbench", sample, "").total == 0


def test_no_text_of_a_model_is_markup_in_a_notebook(run):
    sample = run.sample("LSI/list-2k-s1/e0/v1", model="sim-a")
    sample.answers[0].output["response"] = "<script>alert(1)</script>\x1b[31m"
    shown = sample._repr_html_()
    assert shown.count("<") == 2  # of the one element, and of its end
    assert "&lt;script&gt;" in shown and "\x1b" not in shown + repr(sample)


def test_what_is_not_there_is_said_in_a_sentence(run):
    for call, said in (
        (lambda: steadfast.load("nowhere"), "nowhere: no such folder"),
        (lambda: run.samples("cfbench"), "unknown benchmark 'cfbench'"),
        (lambda: run.answers("lifbench", model="sim-b"), "did you mean 'sim-a'"),
        (lambda: run.scores("lifbench", part="4k"), "unknown part '4k'"),
        (lambda: run.metrics("lifbench", "arss"), "did you mean 'ars'"),
        (lambda: run.table("summarys"), "did you mean 'summary'"),
        (lambda: run.sample("LSI/list-2k-s1/e0"), "did you mean LSI/list-2k-s1/e0/v0, "),
        (lambda: run.sample("LSI/list-2k-s1/e0/v1", model="x"), "unknown model 'x'"),
        (lambda: steadfast.score("lifbenc", None, ""), "did you mean 'lifbench'"),
    ):
        with pytest.raises(UserError, match=said):
            call()


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
def test_a_file_that_was_edited_is_refused(project, file, read):
    run = steadfast.load(project.path("results"))
    with open(project.path("results") / file, "a") as lines:
        lines.write("\n")
    if file != "config.yaml":
        with pytest.raises(UserError, match=rf"{file}(: edited since it was made| has changed)"):
            read(run)
    with pytest.raises(UserError, match=rf"{file}(: edited since it was made| has changed)"):
        read(steadfast.load(project.path("results")))


def test_a_run_of_another_version_has_the_metrics_that_it_made(project):
    folder = project.path("results/lifbench/metrics")
    (folder / "depth.csv").rename(folder / "older.csv")
    provenance = folder / "provenance.json"
    before = file_sha256(provenance)
    provenance.write_text(provenance.read_text().replace('"depth.csv"', '"older.csv"'))
    beside = project.path("results/config.provenance.json")
    beside.write_text(beside.read_text().replace(before, file_sha256(provenance)))
    run = steadfast.load(project.path("results"))
    assert len(run.metrics("lifbench", "older")) and len(run.metrics("lifbench", "ars"))
    with pytest.raises(UserError, match="unknown metric 'depth'"):
        run.metrics("lifbench", "depth")


def test_metrics_of_another_config_are_refused(project):
    results = project.path("results")
    config = project.path("results/config.yaml")
    metrics = project.path("results/lifbench/metrics/provenance.json")
    metrics.write_text(metrics.read_text() + " ")
    with pytest.raises(
        UserError, match=r"config\.yaml: outdated, since .*provenance\.json has changed"
    ):
        steadfast.load(results)
    # Of a folder without a config of its own, one that is named is compared with the metrics.
    config.unlink()
    with pytest.raises(UserError, match="no such file, although a run writes it"):
        steadfast.load(results)
    assert steadfast.load(results, project.path("my.yaml")).benchmarks == ["lifbench"]
    project.edit("my.yaml", "span: ", "span: 1")
    with pytest.raises(UserError, match="lifbench/metrics: made from other settings"):
        steadfast.load(results, project.path("my.yaml"))
