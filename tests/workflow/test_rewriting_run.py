"""Models that rewrite instructions: RECS through Snakemake."""

import json
import re

import pytest
import yaml

from project import Project, over_http
from servers import Server, running
from steadfast.base.files import read_json

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

BETWEEN = re.compile(r"<<<(answer-\w+)>>>\n(.*?)\n<<<\1>>>", re.S)
COUNT = 6
TASKS = ["LSI", "OQ", "LMI"]
OPENINGS = ("Now:", "Please note:", "Your task:", "In what follows:", "As asked:", "To begin with:")
PLAN = "results/plan/plan.md"
ARS = "results/tables/lifbench_table3_ars.md"


class Rewriter(Server):
    """Rewrites the text between boundary lines; ``manners`` by text spoil one reply each."""

    def __init__(self, delay=0.0):
        super().__init__(delay)
        self.manners = {}

    def reply(self, prompt, path, body):
        reply = super().reply(prompt, path, body)
        original = BETWEEN.search(prompt)
        content = "The 2nd entry."
        if original:
            rewrites = [f"{opening} {original[2]}" for opening in OPENINGS]
            content = json.dumps(rewrites)
            for text, manners in self.manners.items():
                if text in original[2] and manners:
                    content = manners.pop(0)(rewrites)
        reply["choices"][0]["message"]["content"] = content
        return reply

    @property
    def rewriting(self) -> list[dict]:
        return [body for body in self.bodies if BETWEEN.search(body["messages"][-1]["content"])]


def prose_around(rewrites):
    return f"Here you are:\n```json\n{json.dumps(rewrites)}\n```\nAnything else?"


def too_few(rewrites):
    return json.dumps(rewrites[: COUNT // 2])


def cut(rewrites):
    return json.dumps(rewrites)[:-20]


def without_fields(rewrites):
    spoilt = [re.sub(r"\{[^{}]*\}", "some", text) for text in rewrites[:2]]
    return json.dumps([*spoilt, *rewrites[2:]])


@pytest.fixture
def rewriter():
    with running(kind=Rewriter) as server:
        yield server


@pytest.fixture
def rewriting_project(tmp_path, rewriter):
    return Project.new(tmp_path, config(rewriter.url))


def config(url: str, temperature: float = 1.0, **recs) -> dict:
    return {
        "lifbench": {
            "lengths": {"2k": 2048},
            "tasks": TASKS,
            "expressions": "recs",
            "recs": {"count": COUNT, "clusters": 2, **recs},
        },
        "rewriters": {"writer": over_http(url, "writer-1", temperature=temperature)},
        "models": {"api": over_http(url, "m-1")},
    }


def template(project: Project, task: str) -> str:
    """The first template of a task, which is rewritten."""
    path = project.path(f"resources/lifbench/expressions/{task}.yaml")
    return yaml.safe_load(path.read_text("utf-8"))["expressions"][0]["template"]


def test_recs_retries_checks_rewrites_and_uses_a_review(rewriting_project, rewriter):
    project = rewriting_project
    rewriter.manners = {
        template(project, "LSI"): [prose_around],
        template(project, "OQ"): [too_few, cut],
        template(project, "LMI"): [without_fields],
    }
    project.snakemake()
    assert len(rewriter.rewriting) == 5  # three tasks, and two retries of OQ
    assert all(body["temperature"] == 1.0 for body in rewriter.rewriting)
    statuses = {}
    for task in ("LSI", "LMI"):
        rows = project.records(f"lifbench/recs/candidates/{task}.jsonl")
        statuses[task] = [row["status"] for row in rows]
    assert statuses["LSI"] == ["pass"] * (1 + COUNT)
    assert statuses["LMI"].count("fields") == 2 and len(statuses["LMI"]) == 1 + COUNT
    table = project.path(ARS).read_text("utf-8")
    assert "Not reviewed by a person: rewritten expressions of OQ, LSI, LMI." in table

    unread = "results/lifbench/recs/review/LSI.yaml"
    project.snakemake(unread)
    picks = read_json(project.path("results/lifbench/expressions/LSI.json"))["expressions"]
    review = project.path(unread).read_text("utf-8").replace(": unread", ": accept")
    edit = json.dumps({"edit": f"Copy this exactly: {template(project, 'LSI')}"})
    pick = f'"{picks[0]["hash"]}": '
    project.path("review").mkdir()
    reviewed = review.replace(f"{pick}accept", pick + edit)
    project.path("review/LSI.yaml").write_text(reviewed, "utf-8")
    project.configure(config(rewriter.url, review="review"))
    rewriter.bodies.clear()
    project.snakemake()
    assert not rewriter.rewriting
    prompts = [body["messages"][-1]["content"] for body in rewriter.bodies]
    assert len(prompts) == 6  # the variables of the edited template
    assert all("Copy this exactly: " in prompt for prompt in prompts)
    table = project.path(ARS).read_text("utf-8")
    assert "Not reviewed by a person: rewritten expressions of OQ, LMI." in table


def test_rewriter_without_a_valid_list_is_reported(rewriting_project, rewriter):
    rewriter.manners = {template(rewriting_project, "OQ"): [too_few] * 3}
    terminal = rewriting_project.snakemake(ok=False)
    message = "OQ, rewriter writer: the last reply has no rewrites (the reply has 3 rewrites, not 6"
    assert message in terminal
    assert len(rewriter.rewriting) == 5
    assert not rewriting_project.path("results/lifbench/prompts/2k.jsonl").exists()


def test_plan_counts_rewriters_requests_without_sending_them(rewriting_project, rewriter):
    project = rewriting_project
    project.snakemake("plan")
    assert not rewriter.bodies
    page = project.path(PLAN).read_text("utf-8")
    assert "| lifbench | writer | rewrites | openai | 3 | 0 | 3 |" in page
    assert "prompts need rewriters' replies first: lifbench" in page

    project.snakemake("results/lifbench/prompts/2k.jsonl")
    assert len(rewriter.rewriting) == 3
    project.snakemake("plan")
    assert "need rewriters' replies" not in project.path(PLAN).read_text("utf-8")

    project.configure(config(rewriter.url, temperature=0.5))
    project.snakemake("plan")
    assert len(rewriter.rewriting) == 3
    page = project.path(PLAN).read_text("utf-8")
    assert "prompts need rewriters' replies first: lifbench" in page
