"""The plan's target: cheap, complete, and re-run only where it must be."""

import re

import pytest

from project import PAPER, Project, over_http

pytestmark = [pytest.mark.wide, pytest.mark.workflow]
UNREACHABLE = over_http("http://127.0.0.1:9/v1", window=3500, on_overflow="skip")
MODELS = [*PAPER["models"], "api"]
LENGTHS = PAPER["lifbench"]["lengths"]
PLAN = "results/plan/plan.csv"


@pytest.fixture(scope="module")
def planned(paper, tmp_path_factory) -> Project:
    project = paper.fork(tmp_path_factory.mktemp("planned"))
    project.configure(config())
    project.snakemake("plan")
    return project


def config(**settings):
    return {**PAPER, "models": {**PAPER["models"], "api": UNREACHABLE | settings}}


def rows(project):
    return {(row["model"], row["part"]): row for row in project.rows("plan/plan.csv")}


def planned_jobs(project, *targets) -> dict[str, str]:
    """The number of jobs of each rule that would run."""
    terminal = project.snakemake("--dry-run", *targets)
    return dict(re.findall(r"^(\w+) +(\d+)$", terminal, re.MULTILINE))


def test_plan_has_every_model_and_length_and_requests_nothing(planned):
    plan = rows(planned)
    assert list(plan) == [(model, length) for model in MODELS for length in LENGTHS]
    for row in plan.values():
        assert row["requests"] == "461"
        assert int(row["distinct_tokens"]) < int(row["prompt_tokens"]) / 20
    assert not planned.path("results/lifbench/outputs/api").exists()
    remaining = sum(int(plan["api", length]["remaining"]) for length in LENGTHS)
    page = planned.path("results/plan/plan.md").read_text()
    assert f"- requests: {remaining} ({remaining} for responses)" in page


def test_prompts_that_do_not_fit_are_listed(planned):
    misfits = [row for row in planned.rows("plan/misfits.csv") if row["part"] == "3k"]
    assert len(misfits) == int(rows(planned)["api", "3k"]["unfit"]) > 0
    page = planned.path("results/plan/plan.md").read_text()
    assert f"- lifbench 3k, api: {len(misfits)} left out (" in page


def test_throughput_and_price_rerun_the_plan_alone(planned, tmp_path):
    project = planned.fork(tmp_path)
    price = {"input": 2.5, "output": 10.0}
    project.configure(config(price=price, throughput={"prefill": 1000.0, "decode": 100.0}))
    jobs = planned_jobs(project, "results/lifbench/outputs/sim-a/2k.jsonl", PLAN)
    assert jobs["plan"] == "1" and "inference" not in jobs
    project.snakemake("plan")
    row = rows(project)["api", "2k"]
    assert float(row["cost"]) > 0
    assert float(row["hours"]) > 0 == float(row["gpu_hours"])
    options = {(row["part"], row["option"]): row for row in project.rows("plan/options.csv")}
    assert list(options) == [(length, "live") for length in LENGTHS]
    assert options["2k", "live"]["cost_uncached"] == row["cost_uncached"]


def test_journal_reruns_the_plan_but_a_setting_of_operation_does_not(planned, tmp_path):
    project = planned.fork(tmp_path)
    project.configure(config(max_concurrency=2))
    assert "Nothing to be done" in project.snakemake("--dry-run", PLAN)
    journal = project.path("results/journal/lifbench/api/2k.jsonl")
    journal.parent.mkdir(parents=True)
    journal.write_text('{"hash": "0", "status": "ok", "text": ""}\n')
    assert planned_jobs(project, PLAN)["plan"] == "1"


def test_power_analysis_reruns_the_plan_alone(planned, tmp_path):
    project = planned.fork(tmp_path)
    project.configure({**config(), "power_analysis": [0.05, 0.1]})
    jobs = planned_jobs(project, "plan")
    assert jobs["plan"] == "1" and "prompts" not in jobs
    project.snakemake("plan")
    assert "## Power analysis of lifbench" in project.path("results/plan/plan.md").read_text()
    assert project.path("results/plan/power_analysis.csv").is_file()
