"""Tables follow from the config: after a failure, no earlier results are used in their place."""

import json
import re

import pytest

from judge_server import judging
from judged_project import config, http, new_project
from project import Project, over_http
from servers import running
from steadfast.base.files import read_json

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

KEY = "STUB_B_KEY"
OUTPUTS = "results/lifbench/outputs/own/2k.jsonl"
JOURNAL = "results/journal/lifbench/own/2k.jsonl"
TABLE = "results/tables/lifbench_table3_ars.csv"


def settings(url: str, model: str = "stub-a", **changes) -> dict:
    lifbench = {"lengths": {"2k": 2048}, "tasks": ["LSI"]}
    return {"lifbench": lifbench, "models": {"own": over_http(url, model, **changes)}}


@pytest.fixture(scope="module")
def server():
    """A server that outlives the tests, so that a project's address stays the same."""
    with running() as started:
        yield started


@pytest.fixture(scope="module")
def first(finished, server, tmp_path_factory) -> Project:
    """A finished run of one model, stub-a; not to be changed (fork it)."""
    project = finished.fork(tmp_path_factory.mktemp("chain"))
    project.configure(settings(server.url))
    project.snakemake()
    return project


@pytest.fixture
def project(first, server, tmp_path) -> Project:
    """A copy of the finished run; the server's record of requests is empty."""
    server.bodies.clear()
    server.delay = 0.0
    return first.fork(tmp_path)


def models(server) -> set[str]:
    return {body["model"] for body in server.bodies}


def test_changed_model_is_evaluated_once_it_has_a_key(project, server):
    project.configure(settings(server.url, "stub-b", api_key_env=KEY))
    table = project.path(TABLE)
    outputs = project.path(OUTPUTS)
    before = table.read_bytes()
    for _ in range(2):
        assert f"environment variable {KEY} contains no API key" in project.snakemake(ok=False)
    assert server.bodies == []
    project.snakemake(**{KEY: "a-long-secret"})
    assert (models(server), len(server.bodies)) == ({"stub-b"}, 30)
    provenance = read_json(outputs.with_suffix(".provenance.json"))
    assert provenance["answers"]["model"] == "stub-b"
    assert table.stat().st_mtime >= outputs.stat().st_mtime
    # Both stubs echo the prompt, so that their tables agree.
    assert table.read_bytes() == before


def test_killed_run_of_a_changed_model_is_continued(project, server):
    server.delay = 0.05
    project.configure(settings(server.url, "stub-b", max_concurrency=2))
    project.killed(lambda: len(server.bodies) > 5)
    project.snakemake()
    assert models(server) == {"stub-b"}
    assert 30 <= len(server.bodies) <= 30 + 2
    assert project.planned() == {}


def test_failed_scorer_runs_again_after_a_change(project):
    path = "scripts/steadfast/benchmarks/lifbench/scoring.py"
    code = project.path(path).read_text()
    project.write(path, code + "\nraise ImportError('half-way through an edit')\n")
    project.snakemake(ok=False)
    project.write(path, code + "\nMENDED = True\n")
    rules = ("scores", "lifbench_metrics", "lifbench_tables", "summary", "tables")
    assert project.planned() == dict.fromkeys(rules, 1)


def test_changed_judge_of_the_same_name_judges_again(tmp_path):
    with judging() as judge:
        data = {"cfbench": {}}
        project = new_project(tmp_path, config({"j": http(judge.url)}, data, ["gold"]))
        project.snakemake()
        requests = len(judge.judged)
        changed = http(judge.url, model="judge-2", api_key_env=KEY)
        project.configure(config({"j": changed}, data, ["gold"]))
        assert f"variable {KEY} contains no API key" in project.snakemake(ok=False)
        project.snakemake(**{KEY: "a-long-secret"})
        assert len(judge.judged) == 2 * requests
        assert project.planned() == {}


def test_edited_line_of_the_journal_needs_its_checksum_removed(project, server):
    path = project.path(JOURNAL)
    run = ("--forcerun", "inference", "--", "results/tables")
    first, *rest = path.read_text().splitlines(keepends=True)
    edited = first.replace(json.dumps(json.loads(first)["text"]), json.dumps("Edited."), 1)
    assert edited != first
    path.write_text("".join([edited, *rest]))
    project.path(OUTPUTS).unlink()
    message = f"{JOURNAL}:1: this line of the journal was edited by hand"
    assert message in project.snakemake(*run, ok=False)
    unchecked = re.sub(r', "check": "\w+"', "", edited)
    path.write_text(path.read_text().replace(edited, unchecked))
    project.snakemake(*run)
    assert server.bodies == []
    outputs = project.records("lifbench/outputs/own/2k.jsonl")
    assert [output["response"] for output in outputs].count("Edited.") == 1
