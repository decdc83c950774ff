"""The judged benchmarks through the whole workflow, with a judge over HTTP, to tables."""

import csv
from collections import Counter

import pytest
import yaml

from judge_server import MANNERS, JudgeServer, judging, read, some, truth
from judged_project import HOW, TINY_DATA, config, http, judged, new_project
from project import Project, command
from servers import prompt_of
from steadfast.config.load import load_config
from steadfast.contract.registry import benchmarks
from steadfast.show.roster import SUMMARY_TABLES
from steadfast.stats.raters import read_label_file

pytestmark = pytest.mark.workflow

SHOWN = {"summary": 1, "tables": 1}
LIMIT = 2
"""Prompts, or groups of prompts, of each kind: all kinds of requests are among them."""


@pytest.fixture(scope="module")
def judge():
    with judging() as server:
        yield server
        assert server.strange == []


@pytest.fixture(scope="module")
def other():
    """A second judge, held to JSON and asked twice, which misses the form now and then."""
    with judging() as server:
        server.manner = some("prose", share=0.2)
        yield server


@pytest.fixture(scope="module")
def ran(tmp_path_factory, judge, other) -> Project:
    """All three benchmarks with two judges, run to their tables; not to be changed (fork it)."""
    folder = tmp_path_factory.mktemp("judged")
    project = new_project(folder, settings(judge, other))
    project.snakemake()
    return project


def settings(judge: JudgeServer, other: JudgeServer, **judges) -> dict:
    second = http(other.url, structured=True, repeats=2)
    return config({"http": http(judge.url), "other": second, **judges}, limit=LIMIT)


def test_all_tables_are_there_and_the_report_has_all_measures(ran, judge, other):
    chosen = load_config(settings(judge, other))
    tasks = [benchmarks()[name].of(chosen) for name in TINY_DATA]
    wanted = {*SUMMARY_TABLES, *(name for task in tasks for name in task.tables.names)}
    found = {path.name for path in ran.path("results/tables").glob("[!.]*")} - {"all_tables.tex"}
    assert found == {f"{name}.{kind}" for name in wanted for kind in ("tex", "md", "csv")}
    report = {row["Model"]: row for row in ran.rows("tables/summary.csv")}
    assert report.keys() == set(HOW)
    for measure in ("HSR", "CSL", "PSR", "DRFR"):
        assert all(float(row[measure]) >= 0 for row in report.values())
    assert report["gold"]["PSR"] == "1.000"


def test_scores_say_what_the_judge_thinks(ran):
    seen = Counter()
    for _, request, score in judged(ran):
        assert score["status"] == "ok"
        if request.asked.kind != "segments":
            assert request.verdicts(score) == truth(request.asked)
        seen[request.asked.kind] += 1
    assert seen.keys() == {"constraints", "checkpoints", "question", "segments"}


def test_the_judge_is_asked_each_request_once(ran, judge):
    assert Counter(request.prompt for _, request, _ in judged(ran)) == Counter(judge.judged)


def test_a_judge_held_to_json_is_sent_the_form_of_what_it_is_asked_and_read(ran, judge, other):
    assert not any("response_format" in body for body in judge.bodies)
    forms = {"constraints": "verdicts", "checkpoints": "1", "question": "answer", "segments": None}
    for body in other.bodies:
        kind = read(prompt_of(body)).kind
        form = body.get("response_format", {"json_schema": {"schema": {"properties": [None]}}})
        assert forms[kind] in form["json_schema"]["schema"]["properties"]
    for _, request, score in judged(ran):
        verdicts = request.verdicts(score["other_raters"]["other"])
        if other.manner(request.asked) != "good":
            assert verdicts == []
        elif request.asked.kind != "segments":
            assert verdicts == truth(request.asked)


def test_everything_is_covered_and_both_judges_are_compared(ran):
    for name in TINY_DATA:
        summary = ran.rows(f"{name}/metrics/summary.csv")
        assert {row["model"] for row in summary} == set(HOW)
        assert [row for row in summary if row["n"] != row["expected"]] == []
        pairs = {
            (row["first"], row["second"], float(row["n"]) > 0)
            for row in ran.rows(f"{name}/metrics/agreement.csv")
        }
        assert pairs == {("http", "other", True), ("other", "2 repeats", True)}


def test_each_draw_of_a_verdict_is_asked_for_and_kept(ran, other):
    good = Counter(
        request.prompt for _, request, _ in judged(ran) if other.manner(request.asked) == "good"
    )
    asked = Counter(other.judged)
    assert {prompt: asked[prompt] for prompt in good} == {p: 2 * n for p, n in good.items()}
    for _, _, score in judged(ran):
        first, second = (score["other_raters"][name] for name in ("other", "other#1"))
        assert first == second


def test_a_judge_more_asks_that_judge_alone(ran, judge, other, tmp_path):
    project = ran.fork(tmp_path)
    project.configure(settings(judge, other, third=http(judge.url)))
    shown = {f"{name}_{stage}": 1 for name in TINY_DATA for stage in ("metrics", "tables")} | SHOWN
    assert project.planned() == {
        "verdicts": 6,
        "scores": 6,
        **shown,
    }  # of two models on three parts


def test_a_template_edited_asks_the_judges_of_its_benchmark_anew(ran, tmp_path):
    project = ran.fork(tmp_path)
    project.edit("resources/cfbench/judge/zh.txt", "从严", "严格")
    assert project.planned() == {
        "judge_prompts": 2,
        "verdicts": 4,
        "scores": 2,
        "cfbench_metrics": 1,
        "cfbench_tables": 1,
        **SHOWN,
    }


@pytest.mark.wide
def test_what_a_bad_judge_does_not_say_is_shown_as_missing(ran, tmp_path):
    project = ran.fork(tmp_path)
    with judging() as bad:
        bad.manner = some(*MANNERS, share=0.5)
        judges = {"bad": http(bad.url, model="judge-2")}
        project.configure(config(judges, models=["slips"]))
        project.snakemake()
        requests = [found for found in judged(project) if found[0] == "slips"]
        unread = [request for _, request, _ in requests if bad.manner(request.asked) != "good"]
        assert len(bad.judged) == len(requests) + 2 * len(unread)
        assert bad.strange == []
    for _, request, score in requests:
        verdicts = request.verdicts(score)
        if bad.manner(request.asked) != "good":
            assert verdicts == [], request
        elif request.asked.kind != "segments":
            assert verdicts == truth(request.asked)
    for name in TINY_DATA:
        summary = project.rows(f"{name}/metrics/summary.csv")
        assert [row for row in summary if float(row["n"]) >= float(row["expected"])] == []
        coverage = project.rows(f"{name}/metrics/coverage.csv")
        assert any(float(row["status_invalid"]) > 0 for row in coverage)
    (shown,) = project.rows("tables/summary.csv")
    assert shown["marks"].count("incomplete") == 4


def test_labels_are_drawn_of_what_was_answered(ran):
    done = command("labels", "my.yaml", "--number", 10, cwd=ran.path("."))
    assert done.returncode == 0 and "CFBench: 10 responses" in done.stdout
    labels = read_label_file(ran.path("results/labels/cfbench.csv"))
    assert labels.records == []  # nobody has given a verdict
    with ran.path("results/labels/cfbench.csv").open(encoding="utf-8-sig", newline="") as lines:
        asked = {(row["model"], row["sample_id"]) for row in csv.DictReader(lines)}
    assert {model for model, _ in asked} == set(HOW) and len(asked) == 10
    assert len({sample for _, sample in asked}) == 5  # each with all models' answers
    config = yaml.safe_load(ran.path("my.yaml").read_text())
    config["models"]["slips"] = {"engine": "reference"}  # whose answers these are not
    ran.path("other.yaml").write_text(yaml.safe_dump(config))
    done = command("labels", "other.yaml", cwd=ran.path("."))
    assert done.returncode == 1 and "made from other settings" in done.stderr
