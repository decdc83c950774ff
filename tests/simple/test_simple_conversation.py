"""System messages, earlier turns, and a scorer that sees the reasoning: docs/examples/hierarchy."""

import json

import pytest

from outside import installed_project, steadfast_output
from project import over_http
from servers import Server, running

pytestmark = [pytest.mark.wide, pytest.mark.workflow]
CAPITALS = {"France": "Paris", "Kenya": "Nairobi", "Peru": "Lima", "Japan": "Tokyo"}


class ObedientServer(Server):
    """A model that follows the system message, and mentions it in its reasoning."""

    def reply(self, prompt, path, body):
        reply = super().reply(prompt, path, body)
        (country,) = [country for country in CAPITALS if country in prompt]
        response = f"{CAPITALS[country]}!"
        upper = "upper" in body["messages"][0]["content"]
        reply["choices"][0]["message"] = {
            "role": "assistant",
            "content": response.upper() if upper else response.lower(),
            "reasoning_content": "The system rules.",
        }
        return reply


@pytest.fixture(scope="module")
def server():
    with running(kind=ObedientServer) as started:
        yield started


@pytest.fixture(scope="module")
def project(tmp_path_factory, server):
    folder = tmp_path_factory.mktemp("conversation")
    with installed_project(folder, hierarchy="hierarchy:HIERARCHY") as project:
        models = {
            "reference": {"engine": "reference"},
            "obedient": over_http(server.url, reasoning={"tokens": 50}),
            "with-system": over_http(server.url, system="You are terse."),
        }
        project.configure({"benchmarks": ["hierarchy"], "models": models})
        project.snakemake("results/tables", "export", PYTHONPATH=str(folder))
        yield project


def test_system_message_and_turns_are_sent(project, server):
    requests = [body["messages"] for body in server.bodies]
    for prompt in project.records("hierarchy/prompts/all.jsonl"):
        question, reply = prompt["turns"][0]
        conversation = [
            {"role": "user", "content": question},
            {"role": "assistant", "content": reply},
            {"role": "user", "content": prompt["instruction"]},
        ]
        for system in (prompt["system"], f"You are terse.\n\n{prompt['system']}"):
            assert [{"role": "system", "content": system}, *conversation] in requests


@pytest.mark.parametrize(("model", "mentioned"), [("obedient", True), ("reference", False)])
def test_scorer_sees_the_reasoning(project, model, mentioned):
    scores = project.records(f"hierarchy/scores/{model}/all.jsonl")
    assert {(score["total"], score["extracted"]) for score in scores} == {(1.0, mentioned)}


def test_export_and_show_have_the_conversation(project):
    from pyarrow import parquet

    table = parquet.read_table(project.path("results/export/hierarchy/prompts/all.parquet"))
    prompt = table.to_pylist()[0]
    assert prompt["system"].startswith("Write in ")
    ((question, reply),) = json.loads(prompt["turns"])
    output = steadfast_output(project, "show", "all/0", "my.yaml")
    for text in (f"System message: {prompt['system']}", question, f"Response: {reply}"):
        assert text in output
