"""Formats and domains through the whole workflow: what they request, show, and leave unchanged."""

import pytest

from project import TINY, Project, over_http

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

ARS = "results/tables/lifbench_table3_ars.csv"


def configure(project: Project, url: str, **section) -> None:
    lifbench = {"lengths": {"2k": 2048}, "tasks": ["LSI", "OQ"], **section}
    models = {"reference": TINY["models"]["reference"], "api": over_http(url)}
    project.configure({"lifbench": lifbench, "models": models})


def test_perspectives_request_their_prompts_alone_and_leave_ars_unchanged(project, server):
    configure(project, server.url)
    project.snakemake()
    ars = project.path(ARS).read_bytes()
    before = len(server.bodies)
    assert before == 30 + 30

    perspectives = {"formats": ["numbered", "json"], "domains": {"list": ["mixed", "uuids"]}}
    configure(project, server.url, **perspectives)
    project.snakemake()
    prompts = [body["messages"][-1]["content"] for body in server.bodies[before:]]
    assert len(prompts) == 30 + 30  # LSI in JSON, and of UUIDs alone
    assert sum("JSON array" in prompt for prompt in prompts) == 30
    assert project.path(ARS).read_bytes() == ars

    rows = project.rows("lifbench/metrics/perspectives.csv")
    rows = [row for row in rows if row["model"] == "reference"]
    assert {row["group"] for row in rows} == {"numbered", "json", "mixed", "uuids"}
    assert {(row["value"], row["n"], row["expected"]) for row in rows} == {("1", "30", "30")}
    for name in ("formats", "domains"):
        assert "Reference" in project.path(f"results/tables/lifbench_{name}.md").read_text()
    assert "Nothing to be done" in project.snakemake()
