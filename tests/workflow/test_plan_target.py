"""The plan's target: cheap, complete, and made anew only where it must be."""

import re

import pytest

from project import PAPER, Project

pytestmark = [pytest.mark.wide, pytest.mark.workflow]
API = {
    "engine": "openai",
    "model": "m",
    "window": 3500,
    "on_overflow": "skip",
    "base_url": "http://127.0.0.1:9/v1",
}
PLAN = "results/plan/plan.csv"
PLANS = re.compile(r"^plan +1$", re.MULTILINE)
"""A dry run's line for the job of the plan."""


@pytest.fixture(scope="module")
def planned(paper, tmp_path_factory) -> Project:
    project = paper.fork(tmp_path_factory.mktemp("planned"))
    project.configure(config())
    project.snakemake("plan")
    return project


def config(**settings):
    return {**PAPER, "models": {**PAPER["models"], "api": {**API, **settings}}}


def rows(project):
    return {(row["model"], row["part"]): row for row in project.rows("plan/plan.csv")}


def test_every_model_and_length_has_a_row_and_nothing_is_sent(planned):
    found = rows(planned)
    models = [*PAPER["models"], "api"]
    lengths = PAPER["lifbench"]["lengths"]
    assert list(found) == [(model, length) for model in models for length in lengths]
    assert {row["requests"] for row in found.values()} == {"461"}
    assert not planned.path("results/lifbench/outputs/api").exists()
    totals = planned.path("results/plan/plan.md").read_text()
    sent = sum(int(found["api", length]["remaining"]) for length in lengths)
    assert f"- requests: {sent} ({sent} for responses)" in totals
    for row in found.values():
        assert int(row["distinct_tokens"]) < int(row["prompt_tokens"]) / 20


def test_prompts_that_do_not_fit_are_listed(planned):
    listed = [row for row in planned.rows("plan/misfits.csv") if row["part"] == "3k"]
    assert len(listed) == int(rows(planned)["api", "3k"]["unfit"]) > 0
    page = planned.path("results/plan/plan.md").read_text()
    assert f"- lifbench 3k, api: {len(listed)} left out (" in page


def test_throughput_and_price_re_run_the_plan_alone(planned, tmp_path):
    project = planned.fork(tmp_path)
    price = {"input": 2.5, "output": 10.0}
    project.configure(config(price=price, throughput={"prefill": 1000.0, "decode": 100.0}))
    before = project.snakemake("--dry-run", "results/lifbench/outputs/sim-a/2k.jsonl", PLAN)
    assert PLANS.search(before)
    assert not re.search("^inference ", before, re.MULTILINE)
    project.snakemake("plan")
    row = rows(project)["api", "2k"]
    assert float(row["cost"]) > 0
    assert float(row["hours"]) > 0 == float(row["gpu_hours"])
    options = {(row["part"], row["option"]): row for row in project.rows("plan/options.csv")}
    assert list(options) == [(length, "live") for length in PAPER["lifbench"]["lengths"]]
    assert options["2k", "live"]["cost_uncached"] == row["cost_uncached"]


def test_a_setting_of_operation_re_runs_no_plan_and_a_grown_journal_does(planned, tmp_path):
    project = planned.fork(tmp_path)
    project.configure(config(max_concurrency=2))
    assert "Nothing to be done" in project.snakemake("--dry-run", PLAN)
    journal = project.path("results/journal/lifbench/api/2k.jsonl")
    journal.parent.mkdir(parents=True)
    journal.write_text('{"hash": "0", "status": "ok", "text": ""}\n')
    assert PLANS.search(project.snakemake("--dry-run", PLAN))


def test_a_power_analysis_re_runs_the_plan_alone(planned, tmp_path):
    project = planned.fork(tmp_path)
    project.configure({**config(), "power_analysis": [0.05, 0.1]})
    before = project.snakemake("--dry-run", "plan")
    assert PLANS.search(before)
    assert not re.search("^prompts ", before, re.MULTILINE)
    project.snakemake("plan")
    assert "## Power analysis of lifbench" in project.path("results/plan/plan.md").read_text()
    assert project.path("results/plan/power_analysis.csv").is_file()
