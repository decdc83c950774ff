"""A finished run of one benchmark: its report, bundle, exports, labels, and a gate."""

import base64
import json
import re
import shutil
import zlib
from contextlib import chdir
from dataclasses import replace
from itertools import product
from pathlib import Path

import pandas as pd
import pytest
import yaml

from prepared import Prepared
from steadfast.base.errors import UserError
from steadfast.base.files import read_json, read_jsonl, write_text
from steadfast.base.provenance import Provenance
from steadfast.command.main import main
from steadfast.config import portable, settings
from steadfast.html_report import pack
from steadfast.html_report.write import write_html_report
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.finished import FinishedRun
from steadfast.jobs.input_digests import InputDigests, Step
from steadfast.jobs.job import Job, scores_path
from steadfast.share import contents
from steadfast.share.bundle import bundle_results
from steadfast.stages.count_usage import write_usage
from steadfast.stages.measure import measure
from steadfast.stages.measure_nondeterminism import measure_nondeterminism
from steadfast.stages.one_load import run_job

RAW = {
    "name": "Mine",
    "benchmarks": ["cfbench"],
    "judges": {"j": {"engine": "reference"}, "k": {"engine": "reference"}},
    "models": {
        "reference": {"engine": "reference", "repeats": 2},
        "sim-a": {"engine": "simulated", "slip": 0.3},
    },
}


def finish(results: Path) -> None:
    """Makes the results as the rules do, in this process; figures are empty."""
    prepared = Prepared(RAW, results)
    task = prepared.task
    run = Evaluation(prepared.config)
    steps = InputDigests(run)

    def note(path: str, step: Step) -> None:
        Provenance.beside(results / path, step.input_digest).write()

    prepared.make_data()
    prepared.write_prompts()
    for path in run.running_data:
        note(path, steps.data(path))
    note(run.prompts(Job("inference", "cfbench", "", "zh")), steps.prompts("cfbench", "zh"))
    for job in run.jobs:
        if job.judge:
            prepared.write_judge_prompts(job.model, job.part)
            note(run.prompts(job), steps.requests(job))
        digest = steps.replies(job).input_digest
        run_job(replace(prepared.assignment(job), input_digest=digest), RAW[job.role][job.name])
    scores = {}
    for cell in product(RAW["models"], ["zh"]):
        prepared.score(*cell, "j", "k")
        path = scores_path("cfbench", *cell)
        note(path, steps.scores("cfbench", *cell))
        scores[cell] = results / path
    files = {name: results / f"cfbench/metrics/{name}.csv" for name in task.metrics.names}
    sources = {"zh": prepared.part("zh").sources}
    measure(task.metrics.function.plain, scores, task.metrics.fields, sources, None, files)
    digest = steps.metrics("cfbench").input_digest
    provenance = results / "cfbench/metrics/provenance.json"
    inputs = tuple(scores.values())
    Provenance(digest, provenance, tuple(files.values()), "", inputs, results).write()
    for name, kind in product(task.figures.names, ("svg", "txt")):
        write_text(results / f"figures/cfbench_{name}.{kind}", "")
    outputs = [results / job.outputs for job in run.jobs]
    prices = {"models": {}, "judges": {}}
    write_usage(run.jobs, outputs, prices, results, results / "metrics/inference.csv")
    config = portable.as_yaml(portable.portable(prepared.config))
    write_text(results / portable.CONFIG_FILE, config)
    portable.config_provenance(results, ["cfbench"]).write()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with the config and its results."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "my.yaml").write_text(yaml.safe_dump(RAW))
    with chdir(folder):
        finish(folder / "results")
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    """A copy of that folder, as the working directory."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder) -> FinishedRun:
    return FinishedRun.of(Path("results"))


def exit_code(*words: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(list(words))
    return end.value.code or 0


def test_finished_run_has_replies_scores_and_verdicts_of_each_response(run):
    assert (run.benchmarks, run.models("cfbench")) == (["cfbench"], ["reference", "sim-a"])
    assert list(run.metrics("cfbench")) == [*run.evaluation.tasks["cfbench"].metrics.names]
    (part,) = run.parts("cfbench").values()
    names = [sample.id for sample in part.samples]
    answers = list(part.answers("reference", names[:2]))
    assert [answer.repeat for answer in answers] == [0, 1, 0, 1]
    for answer in answers:
        assert answer.output["repeat"] == answer.score["repeat"] == answer.repeat
        assert answer.score["total"] == 1
        assert {rater for request in answer.judged for rater in request.replies} == {"j", "k"}
    jobs = dict(run.provenances("cfbench"))
    assert {(job.model, job.judge) for job in jobs} == {*product(RAW["models"], ("", "j", "k"))}
    assert not any({"sha256", "input_digest"} & set(record) for record in jobs.values())


def test_folder_without_results_or_config_is_refused(folder):
    for name, message in (("nowhere", "no such folder"), (".", "contains no metrics of any")):
        with pytest.raises(UserError, match=message):
            FinishedRun.of(Path(name))
    Path("results/config.yaml").unlink()
    with pytest.raises(UserError, match=r"config\.yaml: no such file, although"):
        FinishedRun.of(Path("results"))
    assert FinishedRun.of(Path("results"), Path("my.yaml")).benchmarks == ["cfbench"]
    other = RAW | {"models": RAW["models"] | {"sim-a": {"engine": "simulated", "slip": 0.4}}}
    Path("my.yaml").write_text(yaml.safe_dump(other))
    with pytest.raises(UserError, match=r"made from other settings.* \(my\.yaml\)"):
        FinishedRun.of(Path("results"), Path("my.yaml"))


def test_edited_files_of_a_run_are_refused(run, folder):
    score = Path("results/cfbench/scores/sim-a/zh.jsonl")
    score.write_text(score.read_text() + "\n")
    with pytest.raises(UserError, match=r"zh\.jsonl: edited since it was made"):
        run.parts("cfbench")["zh"].scores("sim-a")
    config = Path("results/config.yaml")
    config.write_text(config.read_text() + "\n")
    with pytest.raises(UserError, match=r"config\.yaml: edited since it was made"):
        FinishedRun.of(Path("results"))


def test_html_report_has_all_parts_and_counts_of_statuses(run, folder):
    display = settings.display(run.evaluation.config)
    write_html_report(run, display, folder / "report.html")
    text = (folder / "report.html").read_text()
    assert "<title>steadfast: Mine</title>" in text
    figures = [f"figure/cfbench_{name}" for name in run.evaluation.tasks["cfbench"].figures.names]
    answers = ["reference/0/0", "reference/1/0", "sim-a/0/0"]
    data = dict(re.findall(r'data-piece="([\w/-]+)">([^<]+)<', text))
    assert list(data) == [
        "run", "tables", *figures, "samples/cfbench/zh/0",
        *(f"answers/cfbench/zh/{name}" for name in answers), "index/cfbench",
    ]  # fmt: skip
    packed = pack.pack_samples(run, 10**9)
    count = len(run.parts("cfbench")["zh"].samples)
    about, groups = (
        json.loads(zlib.decompress(base64.b64decode(data[name])))["value"]
        for name in ("run", "tables")
    )
    sections = [part for table in groups[1]["tables"] for part in table["sections"]]
    assert any(section["printed"] for section in sections)  # the paper's, whatever the config says
    used = ["cfbench", "reference", "zh", None, str(2 * count)]
    assert (about["name"], about["usage"]["rows"][0]) == ("Mine", used + [None] * 7)
    assert about["benchmarks"][0]["has_samples"] and about["coverage"][0]["scored"] == 2 * count
    assert [(row["model"], row["scored"], row["statuses"]) for row in packed.counts] == [
        ("reference", 2 * count, {"ok": 2 * count}),
        ("sim-a", count, {"ok": count}),
    ]
    assert packed.cut == pack.CUTS[0]
    assert pack.pack_samples(run, 1).cut == pack.CUTS[-1]


def test_bundle_has_a_run_s_files_with_their_digests_and_passes_a_gate(run, folder, capsys):
    config = run.evaluation.config
    digests = contents.answers(run.evaluation, InputDigests(run.evaluation))
    digests = {path: digest for path, digest in digests.items() if Path("results", path).exists()}
    bundle_results(portable.portable(config), {}, {}, [], digests, Path("results"), Path("b.zip"))
    assert exit_code("unbundle", "b.zip", "there") == 0
    manifest = read_json("there/manifest.json")
    line = f"{len(digests)} files unpacked, made by commit {manifest['commit'] or 'unknown'}.\n"
    assert capsys.readouterr().out.startswith(line)
    for path in digests:
        assert Path("there/results", path).read_bytes() == Path("results", path).read_bytes()
    assert manifest["input_digests"] == {f"results/{path}": digests[path] for path in digests}
    assert exit_code("gate", "results", "b.zip", "--margin", "0.02") == 0
    assert capsys.readouterr().out.endswith("identical (2 identical).\n")


def test_scores_and_logs_of_a_run_are_exported(folder, capsys):
    assert exit_code("export", "my.yaml", "--scores", "--inspect") == 0
    table = pd.read_csv("results/scores.csv")
    records = list(read_jsonl("results/cfbench/scores/reference/zh.jsonl"))
    shown = table[table["model"] == "reference"]
    names = [row["sample_id"].removeprefix("zh/") for row in records]
    assert list(shown["sample"]) == [f"zh/{name}" for name in names]
    assert list(shown["score"]) == [1] * len(records)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"results/scores.csv: {len(table)} responses"
    assert lines[1].startswith("2 logs written; inspect view --log-dir results/inspect")
    log = json.loads(next(Path("results/inspect").glob("*reference.json")).read_text())
    responses = [(row["epoch"], row["scores"]["total"]["value"]) for row in log["samples"]]
    assert responses == [(1, 1), (2, 1)] * (len(records) // 2)
    assert not {"model_usage", "error"} & set(log["samples"][0])  # no tokens are counted
    assert log["results"]["scores"][0]["metrics"]["mean"]["value"] == 1


def test_run_to_run_variation_is_measured_on_some_requests(folder):
    prepared = Prepared(RAW, Path("results").absolute())
    task = prepared.task
    model = {"engine": "simulated", "span": 9, "position_bias": 0, "slip": 0.5, "seed": 1}
    outs = (folder / "n.csv", folder / "n.md")
    components = (task.scoring.plain, None, task.simulator.plain)
    sampled = {"requests": 3, "repeats": 2}
    arguments = (*components, sampled, 1, prepared.results, *outs, "Synthetic.")
    measure_nondeterminism("cfbench", "sim-a", model, {}, prepared.part("zh"), *arguments)
    rows = pd.read_csv(outs[0]).query("task == 'overall'")
    assert rows[["n", "repeats", "identical"]].values.tolist() == [[3, 2, 1]] * len(rows)
    page = outs[1].read_text()
    assert page.startswith("# Run-to-run variation of sim-a on cfbench zh\n\n3 requests, 2 times")
    assert page.endswith("\nSynthetic.\n")


def test_responses_to_label_are_written_by_cluster(folder, capsys):
    assert exit_code("labels", "my.yaml", "--number", "4") == 0
    text = capsys.readouterr().out
    clusters = int(re.search(r"CFBench: 4 responses, \d+ questions, (\d+) clusters", text)[1])
    # Half of Wald's interval for a share of one half: 1.96 ÷ (2 √n).
    assert f"± {0.98 / clusters**0.5:.2f} or better" in text
    shutil.rmtree("results/cfbench/outputs")
    assert "results: no responses of a judged benchmark" in exit_code("labels", "my.yaml")
