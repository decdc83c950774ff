"""Formats and domains through the whole workflow: what they ask, print, and leave as it is."""

import pytest

from project import TINY, Project, over_http

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

ARS = "results/tables/lifbench_table3_ars.csv"


def configure(project: Project, url: str, **section) -> None:
    lifbench = {"lengths": {"2k": 2048}, "tasks": ["LSI", "OQ"], **section}
    models = {"reference": TINY["models"]["reference"], "api": over_http(url)}
    project.configure({"lifbench": lifbench, "models": models})


def test_a_perspective_asks_its_own_prompts_alone_and_leaves_the_paper_s_results(project, server):
    configure(project, server.url)
    project.snakemake()
    before = project.path(ARS).read_bytes()
    asked = len(server.bodies)
    assert asked == 30 + 30

    beyond = {"formats": ["numbered", "json"], "domains": {"list": ["mixed", "uuids"]}}
    configure(project, server.url, **beyond)
    project.snakemake()
    assert len(server.bodies) == asked + 30 + 30  # LSI in JSON, and of UUIDs alone
    assert project.path(ARS).read_bytes() == before
    shown = [body["messages"][-1]["content"] for body in server.bodies[asked:]]
    assert sum("JSON array" in text for text in shown) == 30

    rows = project.rows("lifbench/metrics/perspectives.csv")
    rows = [row for row in rows if row["model"] == "reference"]
    assert {row["group"] for row in rows} == {"numbered", "json", "mixed", "uuids"}
    assert {(row["value"], row["n"], row["expected"]) for row in rows} == {("1", "30", "30")}
    for name in ("formats", "domains"):
        assert "Reference" in project.path(f"results/tables/lifbench_{name}.md").read_text()
    assert "Nothing to be done" in project.snakemake()
