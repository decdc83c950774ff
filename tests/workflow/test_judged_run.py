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
def other_judge():
    """A second judge with JSON replies and two repeats, whose replies are sometimes unreadable."""
    with judging() as server:
        server.manner = some("prose", share=0.2)
        yield server


@pytest.fixture(scope="module")
def finished_judged(tmp_path_factory, judge, other_judge) -> Project:
    """All three benchmarks with two judges, run to their tables; not to be changed (fork it)."""
    project = new_project(tmp_path_factory.mktemp("judged"), settings(judge, other_judge))
    project.snakemake()
    return project


def settings(judge: JudgeServer, other_judge: JudgeServer, **judges) -> dict:
    second = http(other_judge.url, structured=True, repeats=2)
    return config({"http": http(judge.url), "other": second, **judges}, limit=LIMIT)


def assert_verdicts(request, score, server) -> None:
    """A readable reply's verdicts are the judge's true ones; another has none."""
    verdicts = request.verdicts(score)
    if server.manner(request.query) != "good":
        assert verdicts == [], request
    elif request.query.kind != "segments":
        assert verdicts == truth(request.query)


def test_all_tables_exist_and_the_summary_has_all_measures(finished_judged, judge, other_judge):
    run_config = load_config(settings(judge, other_judge))
    names = set(SUMMARY_TABLES)
    for name in TINY_DATA:
        names |= set(benchmarks()[name].of(run_config).tables.names)
    expected = {f"{name}.{suffix}" for name in names for suffix in ("tex", "md", "csv")}
    files = {path.name for path in finished_judged.path("results/tables").glob("[!.]*")}
    assert files == {*expected, "all_tables.tex"}
    summary = {row["Model"]: row for row in finished_judged.rows("tables/summary.csv")}
    assert summary.keys() == set(HOW)
    for row in summary.values():
        assert all(float(row[measure]) >= 0 for measure in ("HSR", "CSL", "PSR", "DRFR"))
    assert summary["gold"]["PSR"] == "1.000"


def test_each_request_is_sent_once_and_its_verdicts_are_scored(finished_judged, judge):
    kinds = set()
    prompts = Counter()
    for _, request, score in judged(finished_judged):
        assert score["status"] == "ok"
        assert_verdicts(request, score, judge)
        kinds.add(request.query.kind)
        prompts[request.prompt] += 1
    assert kinds == {"constraints", "checkpoints", "question", "segments"}
    assert prompts == Counter(judge.judged)


def test_structured_judge_gets_the_schema_of_its_reply(finished_judged, judge, other_judge):
    assert not any("response_format" in body for body in judge.bodies)
    properties = {"constraints": "verdicts", "checkpoints": "1", "question": "answer"}
    for body in other_judge.bodies:
        kind = read(prompt_of(body)).kind
        if kind == "segments":
            assert "response_format" not in body
        else:
            schema = body["response_format"]["json_schema"]["schema"]
            assert properties[kind] in schema["properties"]
    for _, request, score in judged(finished_judged):
        assert_verdicts(request, score["other_raters"]["other"], other_judge)


def test_all_answers_are_covered_and_judges_are_compared(finished_judged):
    for name in TINY_DATA:
        summary = finished_judged.rows(f"{name}/metrics/summary.csv")
        assert {row["model"] for row in summary} == set(HOW)
        assert [row for row in summary if row["n"] != row["expected"]] == []
        agreement = finished_judged.rows(f"{name}/metrics/agreement.csv")
        pairs = {(row["first"], row["second"], float(row["n"]) > 0) for row in agreement}
        assert pairs == {("http", "other", True), ("other", "2 repeats", True)}


def test_each_repeat_of_a_verdict_is_requested_and_recorded(finished_judged, other_judge):
    prompts = Counter()
    for _, request, score in judged(finished_judged):
        assert score["other_raters"]["other"] == score["other_raters"]["other#1"]
        if other_judge.manner(request.query) == "good":
            prompts[request.prompt] += 1
    sent = Counter(other_judge.judged)
    assert prompts
    for prompt, count in prompts.items():
        assert sent[prompt] == 2 * count


def test_new_judge_is_requested_alone(finished_judged, judge, other_judge, tmp_path):
    project = finished_judged.fork(tmp_path)
    project.configure(settings(judge, other_judge, third=http(judge.url)))
    expected = {"verdicts": 6, "scores": 6, **SHOWN}  # two models on three parts
    for name in TINY_DATA:
        expected |= {f"{name}_metrics": 1, f"{name}_tables": 1}
    assert project.planned() == expected


def test_edited_template_is_requested_again_for_its_benchmark(finished_judged, tmp_path):
    project = finished_judged.fork(tmp_path)
    project.edit("resources/cfbench/judge/zh.txt", "从严", "严格")
    judging = {"judge_prompts": 2, "verdicts": 4, "scores": 2}
    assert project.planned() == judging | {"cfbench_metrics": 1, "cfbench_tables": 1, **SHOWN}


@pytest.mark.wide
def test_unread_replies_are_shown_as_missing(finished_judged, tmp_path):
    project = finished_judged.fork(tmp_path)
    with judging() as bad:
        bad.manner = some(*MANNERS, share=0.5)
        judges = {"bad": http(bad.url, model="judge-2")}
        project.configure(config(judges, models=["slips"]))
        project.snakemake()
        answers = [answer for answer in judged(project) if answer[0] == "slips"]
        unread = [request for _, request, _ in answers if bad.manner(request.query) != "good"]
        assert len(bad.judged) == len(answers) + 2 * len(unread)
        assert bad.strange == []
    for _, request, score in answers:
        assert_verdicts(request, score, bad)
    for name in TINY_DATA:
        for row in project.rows(f"{name}/metrics/summary.csv"):
            assert float(row["n"]) < float(row["expected"])
        coverage = project.rows(f"{name}/metrics/coverage.csv")
        assert any(float(row["status_invalid"]) > 0 for row in coverage)
    (row,) = project.rows("tables/summary.csv")
    assert row["marks"].count("incomplete") == 4


def test_labels_are_sampled_from_the_answers(finished_judged):
    run = finished_judged
    done = command("labels", "my.yaml", "--number", 10, cwd=run.folder)
    assert done.returncode == 0 and "CFBench: 10 responses" in done.stdout
    sheet = run.path("results/labels/cfbench.csv")
    assert read_label_file(sheet).records == []  # nobody has given a verdict
    with sheet.open(encoding="utf-8-sig", newline="") as lines:
        answers = {(row["model"], row["sample_id"]) for row in csv.DictReader(lines)}
    assert {model for model, _ in answers} == set(HOW) and len(answers) == 10
    assert len({sample for _, sample in answers}) == 5  # each with all models' answers
    other_models = yaml.safe_load(run.path("my.yaml").read_text())
    other_models["models"]["slips"] = {"engine": "reference"}
    run.path("other.yaml").write_text(yaml.safe_dump(other_models))
    done = command("labels", "other.yaml", cwd=run.folder)
    assert done.returncode == 1 and "made from other settings" in done.stderr
