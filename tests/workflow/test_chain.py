"""What is printed is what the config asks for: after a failure nothing older is taken for it."""

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
    """A project whose one model, stub-a, was asked to the end; not to be changed (fork it)."""
    project = finished.fork(tmp_path_factory.mktemp("chain"))
    project.configure(settings(server.url))
    project.snakemake()
    return project


@pytest.fixture
def asked(first, server, tmp_path) -> Project:
    """A copy of it, and a server that remembers nothing."""
    server.bodies.clear()
    server.delay = 0.0
    return first.fork(tmp_path)


def models(server) -> set[str]:
    return {body["model"] for body in server.bodies}


def test_a_model_changed_without_its_key_is_asked_once_the_key_is_there(asked, server):
    asked.configure(settings(server.url, "stub-b", api_key_env=KEY))
    before = asked.path(TABLE).read_bytes()
    for _ in range(2):
        assert f"environment variable {KEY} contains no API key" in asked.snakemake(ok=False)
    assert server.bodies == []
    asked.snakemake(**{KEY: "a-long-secret"})
    assert (models(server), len(server.bodies)) == ({"stub-b"}, 30)
    assert read_json(asked.path(OUTPUTS).with_suffix(".provenance.json"))["answers"]["model"] == (
        "stub-b"
    )
    assert asked.path(TABLE).stat().st_mtime >= asked.path(OUTPUTS).stat().st_mtime
    # Both stubs echo: the tables agree, and so nothing else changed.
    assert asked.path(TABLE).read_bytes() == before


def test_killed_while_a_changed_model_is_asked(asked, server):
    server.delay = 0.05
    asked.configure(settings(server.url, "stub-b", max_concurrency=2))
    asked.killed(lambda: len(server.bodies) > 5)
    asked.snakemake()
    assert models(server) == {"stub-b"}
    assert 30 <= len(server.bodies) <= 30 + 2
    assert asked.planned() == {}


def test_a_scorer_that_fails_is_wanted_until_it_succeeds(asked):
    scorer = "scripts/steadfast/benchmarks/lifbench/scoring.py"
    good = asked.path(scorer).read_text()
    asked.write(scorer, good + "\nraise ImportError('half-way through an edit')\n")
    asked.snakemake(ok=False)
    asked.write(scorer, good + "\nMENDED = True\n")
    planned = asked.planned()
    assert planned == {"scores": 1, "lifbench_metrics": 1, "lifbench_tables": 1, **SHOWN}


SHOWN = {"summary": 1, "tables": 1}


def test_a_judges_model_changed_under_its_name_is_asked(tmp_path):
    with judging() as judge:
        data = {"cfbench": {}}
        project = new_project(tmp_path, config({"j": http(judge.url)}, data, ["gold"]))
        project.snakemake()
        first = len(judge.judged)
        changed = http(judge.url, model="judge-2", api_key_env=KEY)
        project.configure(config({"j": changed}, data, ["gold"]))
        assert f"variable {KEY} contains no API key" in project.snakemake(ok=False)
        project.snakemake(**{KEY: "a-long-secret"})
        assert len(judge.judged) == 2 * first
        assert project.planned() == {}


def test_an_edited_line_of_the_journal_is_refused_and_can_be_accepted(asked, server):
    journal = "results/journal/lifbench/own/2k.jsonl"
    first, *rest = asked.path(journal).read_text().splitlines(keepends=True)
    line = first.replace(json.dumps(json.loads(first)["text"]), json.dumps("A better answer."), 1)
    assert line != first
    asked.path(journal).write_text("".join([line, *rest]))
    asked.path(OUTPUTS).unlink()
    said = asked.snakemake("--forcerun", "inference", "--", "results/tables", ok=False)
    assert f"{journal}:1: this line of the journal was edited by hand" in said
    text = asked.path(journal).read_text()
    asked.path(journal).write_text(text.replace(line, re.sub(r', "check": "\w+"', "", line)))
    asked.snakemake("--forcerun", "inference", "--", "results/tables")
    assert server.bodies == []
    answers = [record["response"] for record in asked.records("lifbench/outputs/own/2k.jsonl")]
    assert answers.count("A better answer.") == 1
