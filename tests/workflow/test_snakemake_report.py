"""``snakemake --report``: filled, by category and benchmark, with captions from the results."""

import html
import json
import re

import pytest

from project import FIGURE, Project

pytestmark = [pytest.mark.wide, pytest.mark.workflow]
UNREACHABLE = "http://127.0.0.1:9"


@pytest.fixture(scope="module")
def project(finished: Project, tmp_path_factory) -> Project:
    """The finished run with a figure, and its report, made without a network."""
    project = finished.fork(tmp_path_factory.mktemp("reported"))
    project.snakemake(FIGURE)
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), UNREACHABLE)
    terminal = project.snakemake("results/tables", FIGURE, "--report", "report.html", **proxies)
    assert "downloading" not in terminal
    return project


@pytest.fixture(scope="module")
def page(project) -> str:
    return project.path("report.html").read_text()


def variable(page: str, name: str):
    """A variable in the page's script."""
    start = re.search(rf"^ *var {name} = (?=[\[{{\"])", page, re.M)
    assert start, name
    return json.JSONDecoder().raw_decode(page[start.end() :])[0]


def text(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def test_categories_have_the_results_of_each_benchmark(page, project):
    counts = {}
    for category, results in variable(page, "categories").items():
        counts[category] = {benchmark: len(files) for benchmark, files in results.items()}

    def count(pattern):
        return len(list(project.path("results").glob(pattern)))

    assert counts == {
        "Tables": {"All benchmarks": 2, "LIFBench": count("tables/lifbench_*.csv")},
        "Metrics": {"LIFBench": count("lifbench/metrics/*.csv")},
        "Figures": {"LIFBench": count("figures/*.svg")},
    }


def test_captions_are_those_of_the_results_and_name_synthetic_contexts(page, project):
    results = variable(page, "results")
    captions = {path: text(result["caption"]) for path, result in results.items()}
    figure = "results/figures/lifbench_ars_by_length.svg"
    written = project.path("results/figures/lifbench_ars_by_length.txt").read_text().strip()
    assert captions[figure] == written
    assert results[figure]["labels"] == {"figure": "ars by length"}
    for path, caption in captions.items():
        if path.startswith("results/tables"):
            assert "synthetic contexts" in caption, path
    assert results["results/tables/summary.csv"]["labels"] == {"table": "summary"}
    assert "| Reference" in captions["results/tables/summary.csv"]
    assert "2 models (reference, sim-a)" in captions["results/lifbench/metrics/ars.csv"]


def test_first_page_shows_the_summary_and_names_simulated_models(page):
    description = text(variable(page, "workflow_desc"))
    assert "The config names 2 models, of which 2 are no real ones" in description
    assert "| Reference" in description and "synthetic contexts" in description
