"""An adaptive run through the workflow: rounds, stopping, a kill, and changed settings."""

from collections import Counter
from zlib import crc32

import pytest

from project import Project, over_http
from reference_server import ReferenceServer
from servers import running
from steadfast.base.files import read_json

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

CONCURRENCY = 4
GRADES = {"gold": 40, "near": 39, "bad": 9}
"""Right responses in forty by model."""


class GradedServer(ReferenceServer):
    """Gives each model a share of reference answers."""

    def _answer(self, prompt, body):
        answer = super()._answer(prompt, body)
        number = crc32(prompt.encode()) % 40
        return answer if number < GRADES[body["model"]] else "I do not know."


def config(url: str, **adaptive: object) -> dict:
    lifbench = {"lengths": {"2k": 2048, "3k": 3072}, "tasks": ["LSI", "OQ"]}
    # Twice as many sampling units as families would be, so that few rounds decide.
    lifbench |= {"contexts": "independent", "contexts_per_length": 3}
    models = {"reference": {"engine": "reference"}}
    for name in GRADES:
        models[name] = over_http(url, name, max_concurrency=CONCURRENCY)
    return {"lifbench": lifbench, "adaptive": {"contexts": 3, **adaptive}, "models": models}


@pytest.fixture
def server():
    with running(kind=GradedServer) as started:
        yield started


@pytest.fixture
def project(tmp_path, server):
    settings = config(server.url)
    server.serve(tmp_path, settings)
    return Project.new(tmp_path, settings)


def prompts(project: Project, folder: str) -> int:
    """Number of prompts of all lengths."""
    paths = project.path(f"results/lifbench/{folder}").glob("*.jsonl")
    return sum(path.read_bytes().count(b"\n") for path in paths)


def decision(project: Project, rounds: int) -> dict:
    return read_json(project.path(f"results/lifbench/decisions/{rounds}.json"))


def test_decided_models_stop_and_nothing_is_requested_twice(project, server):
    output = project.snakemake()
    assert "lifbench: round 2 is decided, 2 models continue" in output
    assert decision(project, 2)["goes_on"] == ["gold", "near"]
    assert decision(project, 3)["goes_on"] == []
    all_prompts = prompts(project, "prompts")
    two_rounds = prompts(project, "rounds/2")
    assert server.sent == Counter(gold=all_prompts, near=all_prompts, bad=two_rounds)
    assert two_rounds < all_prompts

    sentence = "stopped after 3 of 3 rounds. Rounds evaluated: 3 by gold, near; 2 by bad."
    assert sentence in output.replace("\n", " ")
    assert sentence in project.path("results/tables/summary.md").read_text()
    rows = project.rows("lifbench/metrics/coverage.csv")
    rows = [row for row in rows if row["task"] == "overall"]
    expected = {row["model"]: int(row["expected"]) for row in rows if not row["length"]}
    assert expected == dict(server.sent) | {"reference": all_prompts}
    assert [row["scored"] for row in rows] == [row["expected"] for row in rows]

    assert project.planned() == {}
    project.configure(config(server.url, contexts=4))
    message = "lifbench.contexts_per_length: 3, but adaptive has rounds of one context each"
    assert message in project.snakemake(ok=False)
    project.configure(config(server.url, top=2))
    assert "with top 1; it must not change to 2" in project.snakemake(ok=False)


def test_run_continues_after_kills_within_and_between_rounds(project, server):
    decision = project.path("results/lifbench/decisions/2.json")
    server.delay = 0.02
    project.killed(lambda: server.answered.total() > 40)
    project.killed(decision.exists)
    decided = decision.stat().st_mtime_ns
    project.killed(lambda: server.sent["gold"] > prompts(project, "rounds/2") + 20)
    server.delay = 0.0
    project.snakemake()
    assert decision.stat().st_mtime_ns == decided
    all_prompts = prompts(project, "prompts")
    two_rounds = prompts(project, "rounds/2")
    for name, count in (("gold", all_prompts), ("near", all_prompts), ("bad", two_rounds)):
        # Only requests in flight at a kill, at both lengths, are sent again.
        assert count <= server.sent[name] <= count + 3 * 2 * CONCURRENCY
