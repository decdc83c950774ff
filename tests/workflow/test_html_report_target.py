"""The page as a file: what it holds, that it holds it safely, and how it stays small."""

import base64
import csv
import hashlib
import re
from html.parser import HTMLParser

import pytest

from html_report_project import HOSTILE, JUDGED, LONG, SAMPLES, VERDICT, html_report_project, pieces
from steadfast.base.files import read_jsonl
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
def held(page):
    return pieces(page)


def answer(held, model, sample, benchmark="lifbench", part="2k"):
    """Where an answer stands in its part, and what the page has of it."""
    index = next(one for one in held[f"index/{benchmark}"] if one["name"] == part)
    place = [id for id, *_ in index["samples"]].index(sample)
    found = held[f"answers/{benchmark}/{part}/{model}/0/0"][place]
    return index["answers"][model][0][place], found


class Tags(HTMLParser):
    """The elements of a page, with what scripts that run hold."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.scripts = []
        self._runs = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self._runs = tag == "script" and not attrs

    def handle_data(self, data):
        if self._runs:
            self.scripts.append(data)
            self._runs = False


def test_only_the_pages_own_script_may_run_and_nothing_may_be_fetched(page):
    tags = Tags(page)
    (script,) = tags.scripts
    policy = next(attrs["content"] for _, attrs in tags.found if "http-equiv" in attrs)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digest}';" in policy
    assert "unsafe" not in policy and "http:" not in policy and "https:" not in policy
    addresses = [v for _, attrs in tags.found for k, v in attrs.items() if k in ("src", "href")]
    assert addresses == ["data:,", "#tables", "#figures", "#samples", "#run"]


def test_no_text_of_a_model_stands_in_the_page_as_it_is(page):
    assert "owned" not in page and "<b>H</b>" not in page


@pytest.mark.parametrize("kind", HOSTILE)
def test_answers_stand_there_to_the_last_character(held, kind):
    sample = next(id for id, text in SAMPLES.items() if text == HOSTILE[kind])
    _, found = answer(held, "hostile", sample)
    assert (found["text"], found["reasoning"]) == (HOSTILE[kind], LONG)


def test_the_index_has_each_answers_score_as_the_scores_have_it(held, project):
    for model in ("reference", "sim-a", "hostile"):
        for benchmark, part in (("lifbench", "2k"), ("followbench", "en")):
            path = project.path(f"results/{benchmark}/scores/{model}/{part}.jsonl")
            for score in read_jsonl(path):
                row, found = answer(held, model, score["sample_id"], benchmark, part)
                assert row[0] == score["status"]
                assert row[1] == pytest.approx(score["total"], abs=1e-6)
                assert found["score"]["points"] == (score["points"] or {})
                totals = {of["total"] for of in score["other_raters"].values()}
                assert row[3] == int(bool(totals - {score["total"]}))


def test_a_sample_has_its_place_in_the_context_and_the_expected_answer(held, project):
    prompts = list(read_jsonl(project.path("results/lifbench/prompts/2k.jsonl")))
    for prompt, sample in zip(prompts, held["samples/lifbench/2k/0"], strict=True):
        assert sample["instruction"] == prompt["instruction"]
        assert sample["expected"] == prompt["reference_answer"]["element"]
        assert prompt["reference_answer"]["element"] in [place for _, place, _ in sample["places"]]


def test_a_judges_reply_is_there_beside_what_it_was_asked(held):
    row, found = answer(held, "hostile", JUDGED, "followbench", "en")
    assert row[:2] == ["ok", 1]
    (request,) = found["judged"]
    assert "Python list of 1" in request["asked"]
    assert request["replies"]["judge"]["text"] == VERDICT


def test_what_failed_is_counted_and_never_scored(held, project):
    counts = {(one["benchmark"], one["model"]): one for one in held["run"]["coverage"]}
    assert counts["LIFBench", "hostile"]["statuses"] == {"ok": 6, "error": 24}
    assert counts["LIFBench", "hostile"]["scored"] == 6
    others = len(list(read_jsonl(project.path("results/followbench/prompts/en.jsonl")))) - 1
    assert counts["FollowBench", "hostile"]["statuses"] == {"error": others, "ok": 1}


def test_tables_have_the_values_of_the_tables_and_what_the_paper_prints(held, project):
    shown = {table["name"]: table for group in held["tables"] for table in group["tables"]}
    made = {path.stem for path in project.path("results/lifbench/tables").glob("*.csv")}
    assert made <= set(shown)
    table = shown["followbench_table2_levels"]
    path = project.path("results/followbench/tables/followbench_table2_levels.csv")
    with open(path, newline="") as rows:
        printed = {row[1]: row[2] for row in csv.reader(rows)}
    texts = [
        [cell["text"] if isinstance(cell, dict) else cell for cell in row[:2]]
        for section in table["sections"]
        if not section["printed"]
        for row in section["rows"]
    ]
    assert {name: value or "" for name, value in texts} == {
        name: value for name, value in printed.items() if name != "Model"
    }
    paper = [section for section in table["sections"] if section["printed"]]
    assert "GPT-3.5" in str(paper)


def test_what_was_run_is_there_without_the_times_that_differ_between_runs(held):
    run = held["run"]
    assert "synthetic contexts" in run["benchmarks"][0]["data_note"]
    assert not {"wall_seconds", "runs"} & set(run["usage"]["columns"])
    (judging,) = (row for row in run["usage"]["rows"] if row[3] == "judge")
    # 98 tokens at 1, 2 cached ones at 0.5 and 10 of output at 2 a million.
    assert judging[-1] == "0.0001 USD" and judging[4:6] == ["1", "100"]
    assert [one["name"] for one in run["provenances"] if one["judge"]] == ["reference", "judge"]
    assert len([one for one in run["provenances"] if not one["judge"]]) >= 3


def test_the_same_run_gives_the_same_bytes(project, page):
    project.path("results/report.html").unlink()
    project.snakemake("html_report")
    assert project.path("results/report.html").read_text(encoding="utf-8") == page


def written(project, out, limit):
    """The pieces of a page of that many characters at most, made in this process."""
    config = load_config(read_source(project.path("my.yaml")))
    run = FinishedRun(Evaluation(config), project.path("results"))
    write_html_report(run, settings.display(config), out, limit)
    return out.read_text(encoding="utf-8")


def test_long_texts_are_cut_so_that_the_page_stays_small_and_say_so(project, page, tmp_path):
    packed = re.findall(r'data-piece="(?:samples|answers)/[^"]*">([^<]*)', page)
    fixed = re.findall(r'data-piece="(?:tables|figure/[^"]*)">([^<]*)', page)
    limit = sum(map(len, [*packed, *fixed]))
    found = pieces(written(project, tmp_path / "report.html", limit))
    assert found["run"]["cut"] is None
    small = written(project, tmp_path / "small.html", limit - 100)
    found = pieces(small)
    assert found["run"]["cut"] == {"most": None, "aside": 4_000}
    _, shown = answer(found, "hostile", next(iter(SAMPLES)))
    start, left, end = shown["reasoning"]
    assert (len(start) + len(end), left) == (4_000, len(LONG) - 4_000)
    assert len(small) < len(page)
