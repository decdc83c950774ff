"""``snakemake --report``: filled, by category and benchmark, with captions from the results."""

import html
import json
import re

import pytest

from project import FIGURE, Project

pytestmark = [pytest.mark.wide, pytest.mark.workflow]
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def project(finished: Project, tmp_path_factory) -> Project:
    """The finished run with a figure, and its report, made where no address can be reached."""
    project = finished.fork(tmp_path_factory.mktemp("reported"))
    project.snakemake(FIGURE)
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), NOWHERE)
    said = project.snakemake("results/tables", FIGURE, "--report", "report.html", **proxies)
    assert "downloading" not in said
    return project


@pytest.fixture(scope="module")
def page(project) -> str:
    return project.path("report.html").read_text()


def variable(page: str, name: str):
    """A variable that the page's own script sets."""
    found = re.search(rf"^ *var {name} = (?=[\[{{\"])", page, re.M)
    assert found, name
    return json.JSONDecoder().raw_decode(page[found.end() :])[0]


def text(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def test_each_category_has_what_there_is_of_each_benchmark(page, project):
    found = variable(page, "categories")
    counts = {c: {b: len(of) for b, of in parts.items()} for c, parts in found.items()}
    results = project.path("results")
    assert counts == {
        "Tables": {
            "All benchmarks": 2,
            "LIFBench": len(list(results.glob("tables/lifbench_*.csv"))),
        },
        "Metrics": {"LIFBench": len(list(results.glob("lifbench/metrics/*.csv")))},
        "Figures": {"LIFBench": len(list(results.glob("figures/*.svg")))},
    }


def test_captions_are_the_results_own_and_say_that_the_text_is_synthetic(page, project):
    results = variable(page, "results")
    figure = results["results/figures/lifbench_ars_by_length.svg"]
    said = project.path("results/figures/lifbench_ars_by_length.txt").read_text().strip()
    assert (text(figure["caption"]), figure["labels"]) == (said, {"figure": "ars by length"})
    for path, one in results.items():
        if path.startswith("results/tables"):
            assert "synthetic contexts" in text(one["caption"]), path
    report = results["results/tables/summary.csv"]
    assert report["labels"] == {"table": "summary"}
    assert "| Reference" in text(report["caption"])
    assert "2 models (reference, sim-a)" in text(
        results["results/lifbench/metrics/ars.csv"]["caption"]
    )


def test_the_first_page_shows_the_report_and_what_the_models_are(page):
    said = text(variable(page, "workflow_desc"))
    assert "The config names 2 models, of which 2 are no real ones" in said
    assert "| Reference" in said and "synthetic contexts" in said
