"""An adaptive run through the workflow: asked in rounds, stopped, killed, not to be redesigned."""

from collections import Counter
from zlib import crc32

import pytest

from gold_server import GoldServer
from project import Project, over_http
from servers import running
from steadfast.base.files import read_json

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

CONCURRENCY = 4
GRADES = {"gold": 40, "near": 39, "bad": 9}
"""Models, and how many of forty prompts each answers rightly."""


class Graded(GoldServer):
    """Gives each model of ``GRADES`` so many gold answers."""

    def _answer(self, prompt, body):
        found = super()._answer(prompt, body)
        lot = crc32(prompt.encode()) % 40
        return found if lot < GRADES[body["model"]] else "I do not know."


def config(url: str, **adaptive: object) -> dict:
    return {
        "lifbench": {
            "lengths": {"2k": 2048, "3k": 3072},
            "tasks": ["LSI", "OQ"],
            # Twice as many sampling units as families would be, so that few rounds decide.
            "contexts": "independent",
            "contexts_per_length": 3,
        },
        "adaptive": {"contexts": 3, **adaptive},
        "models": {
            "reference": {"engine": "reference"},
            **{name: over_http(url, name, max_concurrency=CONCURRENCY) for name in GRADES},
        },
    }


@pytest.fixture
def server():
    with running(kind=Graded) as started:
        yield started


@pytest.fixture
def project(tmp_path, server):
    settings = config(server.url)
    made = Project.new(tmp_path, settings)
    server.serve(tmp_path, settings)
    return made


def prompts(project: Project, folder: str) -> int:
    """Prompts of all lengths."""
    paths = project.path(f"results/lifbench/{folder}").glob("*.jsonl")
    return sum(path.read_bytes().count(b"\n") for path in paths)


def decision(project: Project, rounds: int) -> dict:
    return read_json(project.path(f"results/lifbench/decisions/{rounds}.json"))


def test_models_stop_and_nothing_is_asked_twice(project, server):
    said = project.snakemake()
    assert "lifbench: round 2 is decided, 2 models continue" in said
    assert decision(project, 2)["goes_on"] == ["gold", "near"]
    assert decision(project, 3)["goes_on"] == []
    whole = prompts(project, "prompts")
    two = prompts(project, "rounds/2")
    assert server.sent == Counter(gold=whole, near=whole, bad=two)
    assert two < whole

    words = "stopped after 3 of 3 rounds. Rounds evaluated: 3 by gold, near; 2 by bad."
    assert words in said.replace("\n", " ")
    assert words in project.path("results/tables/summary.md").read_text()
    rows = project.rows("lifbench/metrics/coverage.csv")
    rows = [row for row in rows if row["task"] == "overall"]
    expected = {row["model"]: int(row["expected"]) for row in rows if not row["length"]}
    assert expected == {"reference": whole, "gold": whole, "near": whole, "bad": two}
    assert all(row["scored"] == row["expected"] for row in rows)

    assert project.planned() == {}
    project.configure(config(server.url, contexts=4))
    said = project.snakemake(ok=False)
    assert "lifbench.contexts_per_length: 3, but adaptive has rounds of one context each" in said
    project.configure(config(server.url, top=2))
    said = project.snakemake(ok=False)
    assert "with top 1; it must not change to 2" in said


def test_killed_within_a_round_and_between_rounds_it_goes_on(project, server):
    server.delay = 0.02
    project.killed(lambda: server.answered.total() > 40)
    project.killed(project.path("results/lifbench/decisions/2.json").exists)
    first = project.path("results/lifbench/decisions/2.json").stat().st_mtime_ns
    project.killed(lambda: server.sent["gold"] > prompts(project, "rounds/2") + 20)
    server.delay = 0.0
    project.snakemake()
    assert project.path("results/lifbench/decisions/2.json").stat().st_mtime_ns == first
    whole = prompts(project, "prompts")
    two = prompts(project, "rounds/2")
    for name, wanted in (("gold", whole), ("near", whole), ("bad", two)):
        # Only what was under way, at both lengths, when the run was killed is asked again.
        assert wanted <= server.sent[name] <= wanted + 3 * 2 * CONCURRENCY
