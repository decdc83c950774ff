"""Models that reword instructions: RECS through Snakemake."""

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


class Rewriter(Server):
    """Rewords what stands between the boundary lines; ``manners`` spoil replies, one a request."""

    def __init__(self, delay=0.0):
        super().__init__(delay)
        self.manners = {}

    def reply(self, prompt, path, body):
        reply = super().reply(prompt, path, body)
        original = BETWEEN.search(prompt)
        text = "The 2nd entry."
        if original:
            texts = [f"{opening} {original[2]}" for opening in OPENINGS]
            text = json.dumps(texts)
            for part, manners in self.manners.items():
                if part in original[2] and manners:
                    text = manners.pop(0)(texts)
        reply["choices"][0]["message"]["content"] = text
        return reply

    @property
    def rewriting(self) -> list[dict]:
        return [body for body in self.bodies if BETWEEN.search(body["messages"][-1]["content"])]


def prose_around(texts):
    return f"Here you are:\n```json\n{json.dumps(texts)}\n```\nAnything else?"


def too_few(texts):
    return json.dumps(texts[: COUNT // 2])


def cut(texts):
    return json.dumps(texts)[:-20]


def without_fields(texts):
    spoilt = [re.sub(r"\{[^{}]*\}", "some", text) for text in texts[:2]]
    return json.dumps([*spoilt, *texts[2:]])


def config(url: str, **recs) -> dict:
    return {
        "lifbench": {
            "lengths": {"2k": 2048},
            "tasks": TASKS,
            "expressions": "recs",
            "recs": {"count": COUNT, "clusters": 2, **recs},
        },
        "rewriters": {"writer": over_http(url, "writer-1", temperature=1.0)},
        "models": {"own": over_http(url, "own-1")},
    }


def originals(project: Project) -> dict[str, str]:
    found = {}
    for task in TASKS:
        path = project.path(f"resources/lifbench/expressions/{task}.yaml")
        found[task] = yaml.safe_load(path.read_text("utf-8"))["expressions"][0]["template"]
    return found


def test_recs_asks_again_checks_each_text_and_takes_a_review(tmp_path):
    with running(kind=Rewriter) as server:
        project = Project.new(tmp_path, config(server.url))
        texts = originals(project)
        server.manners = {
            texts["LSI"]: [prose_around],
            texts["OQ"]: [too_few, cut],
            texts["LMI"]: [without_fields],
        }
        project.snakemake()
        asked = len(server.rewriting)
        assert asked == 5  # three tasks, and OQ twice again
        assert all(body["temperature"] == 1.0 for body in server.rewriting)
        statuses = {
            task: [
                row["status"] for row in project.records(f"lifbench/recs/candidates/{task}.jsonl")
            ]
            for task in TASKS
        }
        assert statuses["LSI"] == ["pass"] * (1 + COUNT)
        assert statuses["LMI"].count("fields") == 2 and len(statuses["LMI"]) == 1 + COUNT
        table = project.path("results/tables/lifbench_table3_ars.md").read_text("utf-8")
        assert "Not reviewed by a person: rewritten expressions of OQ, LSI, LMI." in table

        ready = project.path("results/lifbench/recs/review/LSI.yaml")
        project.snakemake(str(ready.relative_to(tmp_path)))
        picks = read_json(project.path("results/lifbench/expressions/LSI.json"))["expressions"]
        review = ready.read_text("utf-8").replace(": unread", ": accept")
        edited = f"Copy this exactly: {texts['LSI']}"
        key = f'"{picks[0]["hash"]}": '
        review = review.replace(f"{key}accept", key + json.dumps({"edit": edited}))
        folder = project.path("review")
        folder.mkdir()
        (folder / "LSI.yaml").write_text(review, "utf-8")
        project.configure(config(server.url, review="review"))
        server.bodies.clear()
        project.snakemake()
        assert not server.rewriting
        prompts = [body["messages"][-1]["content"] for body in server.bodies]
        assert len(prompts) == 6  # the variables of the one template that was edited
        assert all("Copy this exactly: " in prompt for prompt in prompts)
        table = project.path("results/tables/lifbench_table3_ars.md").read_text("utf-8")
        assert "Not reviewed by a person: rewritten expressions of OQ, LMI." in table


def test_a_rewriter_that_gives_no_list_ends_in_a_sentence(tmp_path):
    with running(kind=Rewriter) as server:
        project = Project.new(tmp_path, config(server.url))
        server.manners = {originals(project)["OQ"]: [too_few] * 3}
        said = project.snakemake(ok=False)
        assert (
            "OQ, rewriter writer: the last reply has no rewrites (the reply has 3 rewrites, not 6"
            in said
        )
        assert len(server.rewriting) == 5
        assert not project.path("results/lifbench/prompts/2k.jsonl").exists()


def test_a_plan_asks_no_rewriter_and_says_what_they_would_take(tmp_path):
    with running(kind=Rewriter) as server:
        project = Project.new(tmp_path, config(server.url))
        project.snakemake("plan")
        assert not server.bodies
        page = project.path("results/plan/plan.md").read_text("utf-8")
        assert "| lifbench | writer | rewrites | openai | 3 | 0 | 3 |" in page
        assert "prompts need rewriters' replies first: lifbench" in page


def test_a_plan_of_other_rewriters_than_were_asked_asks_none(tmp_path):
    with running(kind=Rewriter) as server:
        project = Project.new(tmp_path, config(server.url))
        project.snakemake("results/lifbench/prompts/2k.jsonl")
        assert len(server.rewriting) == 3
        project.snakemake("plan")
        page = project.path("results/plan/plan.md")
        assert "need rewriters' replies" not in page.read_text("utf-8")
        other = config(server.url)
        other["rewriters"]["writer"]["temperature"] = 0.5
        project.configure(other)
        project.snakemake("plan")
        assert len(server.rewriting) == 3
        assert "prompts need rewriters' replies first: lifbench" in page.read_text("utf-8")
