"""System messages, earlier turns, and a scorer that sees the reasoning: docs/examples/hierarchy."""

import json
import os
import subprocess
import sys

import pytest

from outside import installed
from project import ROOT, Project
from servers import Server, running
from steadfast.base.files import read_jsonl
from steadfast.contract import registry

pytestmark = [pytest.mark.wide, pytest.mark.workflow, pytest.mark.xdist_group("workflow")]


class Obeying(Server):
    """A model that keeps the system's rule, and says so in its reasoning."""

    def reply(self, prompt, path, body):
        reply = super().reply(prompt, path, body)
        system = body["messages"][0]["content"]
        capitals = {"France": "Paris", "Kenya": "Nairobi", "Peru": "Lima", "Japan": "Tokyo"}
        capital = next(capital for country, capital in capitals.items() if country in prompt)
        case = str.upper if "upper" in system else str.lower
        message = {"role": "assistant", "content": case(f"{capital}!")}
        reply["choices"][0]["message"] = {**message, "reasoning_content": "The system rules."}
        return reply


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    project = Project.new(tmp_path_factory.mktemp("conversation"), {})
    installed(project.folder, hierarchy="hierarchy:HIERARCHY")
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(project.folder)
    registry.installed.cache_clear()
    with running(kind=Obeying) as server:
        model = {"engine": "openai", "model": "m", "base_url": server.url, "api_key_env": None}
        project.configure(
            {
                "benchmarks": ["hierarchy"],
                "models": {
                    "reference": {"engine": "reference"},
                    "obeying": {**model, "reasoning": {"tokens": 50}},
                    "with-system": {**model, "system": "You are terse."},
                },
            }
        )
        project.snakemake("results/tables", "export", PYTHONPATH=str(project.folder))
        yield project, server
    patch.undo()
    registry.installed.cache_clear()
    sys.modules.pop("hierarchy", None)


def test_the_system_message_and_the_turns_are_sent(run):
    project, server = run
    prompts = list(read_jsonl(project.path("results/hierarchy/prompts/all.jsonl")))
    sent = [body["messages"] for body in server.bodies]
    for prompt in prompts:
        asked, said = prompt["turns"][0]
        conversation = [
            {"role": "user", "content": asked},
            {"role": "assistant", "content": said},
            {"role": "user", "content": prompt["instruction"]},
        ]
        for system in (prompt["system"], f"You are terse.\n\n{prompt['system']}"):
            assert [{"role": "system", "content": system}, *conversation] in sent


def test_the_scorer_sees_the_reasoning_and_all_rules_are_kept(run):
    project, _ = run
    for model, names_it in (("obeying", True), ("reference", False)):
        scores = list(read_jsonl(project.path(f"results/hierarchy/scores/{model}/all.jsonl")))
        assert {score["total"] for score in scores} == {1.0}
        assert {score["extracted"] for score in scores} == {names_it}


def test_a_sample_is_shown_and_exported_with_its_conversation(run):
    from pyarrow import parquet

    project, _ = run
    table = parquet.read_table(project.path("results/export/hierarchy/prompts/all.parquet"))
    first = table.to_pylist()[0]
    assert first["system"].startswith("Write in ")
    ((asked, said),) = json.loads(first["turns"])
    words = [sys.executable, "-m", "steadfast.command.main", "show", "all/0", "my.yaml"]
    places = os.pathsep.join([str(ROOT / "scripts"), str(project.folder)])
    shown = subprocess.run(
        words,
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": places},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"System message: {first['system']}" in shown
    assert f"{asked}" in shown and f"Response: {said}" in shown
