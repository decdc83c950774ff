"""A trial through the workflow: a few prompts, and a full run that requests only the others."""

import re
import subprocess

import pytest

from judge_server import judging
from project import Project, command, over_http
from steadfast.base.files import write_jsonl

pytestmark = [pytest.mark.wide, pytest.mark.workflow]


@pytest.fixture(scope="module")
def judge():
    with judging() as server:
        yield server


def ids(project: Project, path: str) -> list[str]:
    return [record["sample_id"] for record in project.records(path)]


def show(project: Project, sample: str) -> subprocess.CompletedProcess:
    """The command ``steadfast show`` on a sample."""
    return command("show", "--", sample, "my.yaml", folder=project.folder)


def test_full_run_requests_only_what_its_trial_did_not(tmp_path, judge):
    api = over_http(judge.url)
    config = {
        "benchmarks": ["followbench"],
        "followbench": {"languages": ["en"], "labels": "labels.jsonl"},
        "judges": {"http": api | {"model": "judge-1"}},
        "models": {"api": api},
    }
    project = Project.new(tmp_path, config)
    labelled = ("en/content/1/1", "en/content/2/1")  # the second is not in the trial
    labels = [{"model": "api", "sample_id": sample, "verdicts": ["YES"]} for sample in labelled]
    write_jsonl(project.path("labels.jsonl"), labels)
    figure = "results/figures/followbench_by_category.txt"
    terminal = project.snakemake("results/tables", figure, "--config", "limit=1")
    assert "\nTrial: at most 1 prompts, or groups of prompts," in terminal

    trial_prompts = ids(project, "followbench/trial/en.jsonl")
    prompts = ids(project, "followbench/prompts/en.jsonl")
    assert len(prompts) > len(trial_prompts) == 6 * 5
    assert ids(project, "followbench/outputs/api/en.jsonl") == trial_prompts
    judged = {record["answer_id"] for record in project.records("followbench/judging/api/en.jsonl")}
    assert judged and judged <= set(trial_prompts)
    journal = project.path("results/journal/followbench/api/en.jsonl")
    trial_journal = journal.read_text()

    tables = list(project.path("results/tables").glob("*.md"))
    assert "summary.md" in {path.name for path in tables}
    for path in tables:
        assert path.read_text().startswith("Trial: "), path
    caption = project.path(figure).read_text()
    assert caption.startswith("Trial: at most 1 prompts, or groups of prompts,")
    rows = project.rows("followbench/metrics/coverage.csv")
    levels = [row for row in rows if row["category"] == "overall" and row["level"]]
    assert sum(int(row["expected"]) for row in levels) == len(trial_prompts)

    sample = next(iter(judged))
    judged_sample = show(project, sample)
    assert judged_sample.returncode == 0 and f"== {sample} ==\n" in judged_sample.stdout
    assert "\nReply of judge http (ok):\n  | " in judged_sample.stdout
    unknown = show(project, "en/style/1")
    assert unknown.returncode == 1 and unknown.stdout == ""
    assert re.fullmatch("error: .*; did you mean en/style/1/.*\n", unknown.stderr)
    unnamed = show(project, "")
    assert unnamed.returncode == 1 and "steadfast show " in unnamed.stderr

    assert project.planned("--config", "limit=1") == {}

    assert "Trial: " not in project.snakemake("results/tables")
    assert ids(project, "followbench/outputs/api/en.jsonl") == prompts
    assert journal.read_text().startswith(trial_journal)
    answers = [line for line in journal.read_text().splitlines() if '"status"' in line]
    assert len(answers) == len(prompts)
    for path in tables:
        assert "Trial: " not in path.read_text(), path
