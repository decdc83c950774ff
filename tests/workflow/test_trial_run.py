"""A trial through the workflow: a few are asked and judged, and the whole run asks the rest."""

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
    """What ``steadfast show`` prints of a sample."""
    return command("show", "--", sample, "my.yaml", folder=project.folder)


def test_a_trial_asks_a_few_and_the_whole_run_asks_the_rest(tmp_path, judge):
    api = over_http(judge.url)
    project = Project.new(
        tmp_path,
        {
            "benchmarks": ["followbench"],
            "followbench": {"languages": ["en"], "labels": "labels.jsonl"},
            "judges": {"http": api | {"model": "judge-1"}},
            "models": {"api": api},
        },
    )
    # People have judged more than the trial asks.
    labels = [
        {"model": "api", "sample_id": f"en/content/{group}/1", "verdicts": ["YES"]}
        for group in (1, 2)
    ]
    write_jsonl(project.path("labels.jsonl"), labels)
    trial = ["results/tables", "results/figures/followbench_by_category.txt"]
    trial += ["--config", "limit=1"]
    said = project.snakemake(*trial)
    assert "\nTrial: at most 1 prompts, or groups of prompts," in said

    chosen, whole = (ids(project, f"followbench/{kind}/en.jsonl") for kind in ("trial", "prompts"))
    assert len(whole) > len(chosen) == 6 * 5
    assert ids(project, "followbench/outputs/api/en.jsonl") == chosen
    asked = project.records("followbench/judging/api/en.jsonl")
    judged = {record["answer_id"] for record in asked}
    assert judged and judged <= set(chosen)
    journal = project.path("results/journal/followbench/api/en.jsonl")
    few = journal.read_text()

    tables = list(project.path("results/tables").glob("*.md"))
    assert "summary.md" in {path.name for path in tables}
    assert [path.name for path in tables if not path.read_text().startswith("Trial: ")] == []
    figure = project.path("results/figures/followbench_by_category.txt")
    assert figure.read_text().startswith("Trial: at most 1 prompts, or groups of prompts,")
    rows = project.rows("followbench/metrics/coverage.csv")
    levels = [row for row in rows if row["category"] == "overall" and row["level"]]
    assert sum(int(row["expected"]) for row in levels) == len(chosen)

    some = next(iter(judged))
    seen = show(project, some)
    assert seen.returncode == 0 and f"== {some} ==\n" in seen.stdout
    assert "\nReply of judge http (ok):\n  | " in seen.stdout
    unknown = show(project, "en/style/1")
    assert unknown.returncode == 1 and unknown.stdout == ""
    assert re.fullmatch("error: .*; did you mean en/style/1/.*\n", unknown.stderr)

    unnamed = show(project, "")
    assert unnamed.returncode == 1 and "steadfast show " in unnamed.stderr

    assert project.planned("--config", "limit=1") == {}

    assert "Trial: " not in project.snakemake("results/tables")
    assert ids(project, "followbench/outputs/api/en.jsonl") == whole
    # The journal of the trial is the first part of that of the whole run, which asked the others.
    assert journal.read_text().startswith(few)
    answers = [line for line in journal.read_text().splitlines() if '"status"' in line]
    assert len(answers) == len(whole)
    assert [path.name for path in tables if "Trial: " in path.read_text()] == []
