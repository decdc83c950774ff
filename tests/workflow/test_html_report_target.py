"""The HTML report as a file: its contents, their safety, and its size."""

import base64
import csv
import hashlib
import re
from html.parser import HTMLParser

import pytest

from html_report_project import (
    HOSTILE,
    HOSTILE_SAMPLES,
    JUDGED,
    LONG,
    VERDICT,
    html_report_project,
    pieces,
)
from steadfast.config import settings
from steadfast.config.load import load_config
from steadfast.config.source import read_source
from steadfast.html_report.write import write_html_report
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.finished import FinishedRun

pytestmark = [pytest.mark.wide, pytest.mark.workflow]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return html_report_project(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def page(project):
    return project.path("results/report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def contents(page):
    return pieces(page)


def response(contents, model, sample, benchmark="lifbench", part="2k"):
    """A response's row in the index of its part, and its record."""
    parts = {index["name"]: index for index in contents[f"index/{benchmark}"]}
    index = parts[part]
    position = [id for id, *_ in index["samples"]].index(sample)
    record = contents[f"answers/{benchmark}/{part}/{model}/0/0"][position]
    return index["answers"][model][0][position], record


class PageParser(HTMLParser):
    """Addresses, scripts that run, and the security policy of a page."""

    def __init__(self, text):
        super().__init__()
        self.addresses = []
        self.scripts = []
        self.policy = None
        self._in_script = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self._in_script = tag == "script" and not attrs
        self.addresses += [value for name, value in attrs if name in ("src", "href")]
        if "http-equiv" in dict(attrs):
            self.policy = dict(attrs)["content"]

    def handle_data(self, data):
        if self._in_script:
            self.scripts.append(data)
            self._in_script = False


def test_policy_allows_only_the_report_script(page):
    parsed = PageParser(page)
    (script,) = parsed.scripts
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert parsed.policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digest}';" in parsed.policy
    for source in ("unsafe", "http:", "https:"):
        assert source not in parsed.policy
    assert parsed.addresses == ["data:,", "#tables", "#figures", "#samples", "#run"]


def test_model_text_is_not_in_the_markup(page):
    assert "owned" not in page and "<b>H</b>" not in page


@pytest.mark.parametrize("kind", HOSTILE)
def test_responses_are_complete(contents, kind):
    _, record = response(contents, "hostile", HOSTILE_SAMPLES[kind])
    assert (record["text"], record["reasoning"]) == (HOSTILE[kind], LONG)


@pytest.mark.parametrize("model", ["reference", "sim-a", "hostile"])
@pytest.mark.parametrize(("benchmark", "part"), [("lifbench", "2k"), ("followbench", "en")])
def test_index_agrees_with_the_scores(contents, project, model, benchmark, part):
    for score in project.records(f"{benchmark}/scores/{model}/{part}.jsonl"):
        row, record = response(contents, model, score["sample_id"], benchmark, part)
        assert row[0] == score["status"]
        assert row[1] == pytest.approx(score["total"], abs=1e-6)
        assert record["score"]["points"] == (score["points"] or {})
        totals = {rater["total"] for rater in score["other_raters"].values()}
        assert row[3] == int(bool(totals - {score["total"]}))


def test_samples_have_position_and_reference_answer(contents, project):
    prompts = project.records("lifbench/prompts/2k.jsonl")
    for prompt, sample in zip(prompts, contents["samples/lifbench/2k/0"], strict=True):
        element = prompt["reference_answer"]["element"]
        assert sample["instruction"] == prompt["instruction"]
        assert sample["expected"] == element
        assert element in [text for _, text, _ in sample["places"]]


def test_judge_reply_is_beside_its_request(contents):
    row, record = response(contents, "hostile", JUDGED, "followbench", "en")
    assert row[:2] == ["ok", 1]
    (request,) = record["judged"]
    assert "Python list of 1" in request["asked"]
    assert request["replies"]["judge"]["text"] == VERDICT


def test_coverage_counts_failures(contents, project):
    coverage = {(row["benchmark"], row["model"]): row for row in contents["run"]["coverage"]}
    assert coverage["LIFBench", "hostile"]["statuses"] == {"ok": 6, "error": 24}
    assert coverage["LIFBench", "hostile"]["scored"] == 6
    errors = len(project.records("followbench/prompts/en.jsonl")) - 1
    assert coverage["FollowBench", "hostile"]["statuses"] == {"error": errors, "ok": 1}


def cell_text(cell):
    return cell["text"] if isinstance(cell, dict) else cell


def test_tables_have_values_of_the_csv_files_and_published_results(contents, project):
    tables = {table["name"]: table for group in contents["tables"] for table in group["tables"]}
    for path in project.path("results/lifbench/tables").glob("*.csv"):
        assert path.stem in tables
    path = project.path("results/followbench/tables/followbench_table2_levels.csv")
    with open(path, newline="") as lines:
        expected = [row[1:3] for row in csv.reader(lines) if row[1] != "Model"]
    values = []
    published = []
    for section in tables["followbench_table2_levels"]["sections"]:
        if section["printed"]:
            published.append(section)
            continue
        for name, value, *_ in section["rows"]:
            values.append([cell_text(name), cell_text(value) or ""])
    assert dict(values) == dict(expected)
    assert "GPT-3.5" in str(published)


def test_run_is_described_without_wall_times(contents):
    run = contents["run"]
    assert "synthetic contexts" in run["benchmarks"][0]["data_note"]
    assert not {"wall_seconds", "runs"} & set(run["usage"]["columns"])
    (judging,) = [row for row in run["usage"]["rows"] if row[3] == "judge"]
    # 98 tokens at 1, 2 cached ones at 0.5 and 10 of output at 2 a million.
    assert judging[-1] == "0.0001 USD" and judging[4:6] == ["1", "100"]
    judges = [record["name"] for record in run["provenances"] if record["judge"]]
    assert judges == ["reference", "judge"]
    assert len(run["provenances"]) >= 3 + len(judges)


def test_report_is_reproducible(project, page):
    project.path("results/report.html").unlink()
    project.snakemake("html_report")
    assert project.path("results/report.html").read_text(encoding="utf-8") == page


def limited_report(project, out, limit):
    """A report of that many characters at most, written in this process."""
    config = load_config(read_source(project.path("my.yaml")))
    run = FinishedRun(Evaluation(config), project.path("results"))
    write_html_report(run, settings.display(config), out, limit)
    return out.read_text(encoding="utf-8")


def test_long_texts_are_shortened_to_the_size_limit(project, page, tmp_path):
    kinds = 'tables|figure/[^"]*|samples/[^"]*|answers/[^"]*'
    limit = sum(map(len, re.findall(rf'data-piece="(?:{kinds})">([^<]*)', page)))
    complete = limited_report(project, tmp_path / "complete.html", limit)
    assert pieces(complete)["run"]["cut"] is None
    shortened = limited_report(project, tmp_path / "shortened.html", limit - 100)
    contents = pieces(shortened)
    assert contents["run"]["cut"] == {"most": None, "aside": 4_000}
    _, record = response(contents, "hostile", HOSTILE_SAMPLES["script"])
    start, omitted, end = record["reasoning"]
    assert (len(start) + len(end), omitted) == (4_000, len(LONG) - 4_000)
    assert len(shortened) < len(page)
