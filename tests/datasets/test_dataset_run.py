"""A run of data sets with every scorer: the example config, and a model and a judge over HTTP."""

import csv
import json
import re
import zipfile

import pytest
import yaml

from gold_server import GoldServer
from project import ROOT, Project, command
from servers import running
from steadfast.base.files import read_jsonl

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("workflow")]
EXAMPLE = yaml.safe_load((ROOT / "config/datasets.yaml").read_text())
LINES = {
    "exact": [{"prompt": f"Name colour {n}.", "answer": ["Blue", "blue"]} for n in range(8)],
    "contains": [{"prompt": f"Where, {n}?", "answer": "北京", "group": n % 2} for n in range(6)],
    "regex": [
        {"prompt": f"When, {n}?", "answer": str(n), "reference": f"Year: {n}."} for n in range(4)
    ],
    "f1": [{"prompt": f"Who, {n}?", "answer": "the grey cat"} for n in range(4)],
}
SCORERS = {
    "exact": {"ignore": ["case"]},
    "contains": {},
    "regex": {"pattern": "Year: (?P<answer>[0-9]+)"},
    "f1": {},
}


def files(folder):
    """The data sets of every scorer, in a folder."""
    sets = dict(EXAMPLE["datasets"])
    for name, lines in LINES.items():
        path = folder / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        sets[f"by-{name}"] = {"path": path.name, "scorer": name, **SCORERS[name]}
    return sets


@pytest.fixture(scope="module")
def server():
    with running(kind=GoldServer) as started:
        yield started


@pytest.fixture(scope="module")
def project(tmp_path_factory, server):
    """A run to its end, with its plan, bundle and export."""
    project = Project.new(tmp_path_factory.mktemp("datasets"), {})
    gold = {"engine": "openai", "model": "gold", "base_url": server.url, "api_key_env": None}
    project.settings = {
        "datasets": files(project.folder),
        "judges": {**EXAMPLE["judges"], "judge": {**gold, "model": "judge"}},
        "models": {
            "reference": {"engine": "reference"},
            "sim-a": {"engine": "simulated"},
            "gold": gold,
        },
    }
    project.configure(project.settings)
    server.serve(project.folder, project.settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project.folder)
        project.snakemake("results/tables", "figures", "html_report", "plan", "bundle", "export")
    return project


def rows(project, path):
    with open(project.path(f"results/{path}"), newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.wide
@pytest.mark.parametrize("name", [*EXAMPLE["datasets"], *(f"by-{name}" for name in LINES)])
def test_gold_answers_have_full_marks_over_http_and_from_the_stand_in(project, name):
    for model in ("gold", "reference"):
        scores = list(read_jsonl(project.path(f"results/{name}/scores/{model}/all.jsonl")))
        assert {score["total"] for score in scores} == {1}


@pytest.mark.wide
def test_each_prompt_is_asked_once_and_a_context_stands_once(project, server):
    prompts = [
        prompt
        for name in project.settings["datasets"]
        for prompt in read_jsonl(project.path(f"results/{name}/prompts/all.jsonl"))
    ]
    asked = {text: count for text, count in server.asked.items() if "Answer to grade:" not in text}
    assert len(asked) == len(prompts) and set(asked.values()) == {1}
    assert len(list(read_jsonl(project.path("results/rooms/contexts/all.jsonl")))) == 2


@pytest.mark.wide
def test_intervals_draw_groups_contexts_or_records(project):
    drawn = {
        name: rows(project, f"{name}/metrics/summary.csv")[0]["sampled"]
        for name in ("rooms", "by-contains", "by-exact")
    }
    assert list(drawn.values()) == ["2 groups of records", "2 groups of records", "8 records"]


@pytest.mark.wide
def test_tables_page_plan_bundle_and_export_have_all_of_them(project):
    report = project.path("results/tables/summary.md").read_text()
    page = project.path("results/report.html").read_text()
    for name, section in project.settings["datasets"].items():
        assert f"{section.get('title', name)}: Score" in report and name in page
        planned = {
            row["model"]: row
            for row in rows(project, "plan/plan.csv")
            if row["benchmark"] == name and row["role"] == "models"
        }
        lines = list(read_jsonl(project.path(section["path"])))
        assert int(planned["gold"]["requests"]) == len(lines)
        assert project.path(f"results/export/{name}/README.md").exists()
    with zipfile.ZipFile(project.path("results/bundle.zip")) as archive:
        assert {"exact.jsonl", "config/examples/rooms.jsonl"} <= {*archive.namelist()}


@pytest.mark.wide
def test_judges_agree_in_a_table_and_a_sample_is_shown_whole(project):
    project.path("results/tables/why_agreement.md").read_text()
    done = command("show", "all/r1", "my.yaml", cwd=project.folder)
    assert done.returncode == 0, done.stderr
    assert "Where is the lamp?" in done.stdout and "C. study" in done.stdout


@pytest.mark.wide
def test_two_runs_are_compared_by_the_data_set_s_own_test(project, tmp_path):
    other = project.fork(tmp_path / "other")
    models = {"sim-a": {"engine": "simulated", "slip": 0.9}}
    sets = {"by-exact": project.settings["datasets"]["by-exact"]}
    other.configure({"datasets": sets, "models": models})
    other.snakemake("results/tables")
    done = command("compare", project.folder / "results", other.folder / "results", cwd=tmp_path)
    assert "by-exact" in done.stdout, done.stdout + done.stderr


@pytest.mark.wide
def test_the_page_s_example_runs_as_it_is_shown(tmp_path):
    project = Project.new(tmp_path, {})
    page = (ROOT / "docs/own-data.md").read_text()
    for name, fence in (("my-set.jsonl", "json"), ("my.yaml", "yaml")):
        block = re.search(rf"^```{fence}\n(.*?)^```", page, re.M | re.S)[1]
        project.path(name).write_text(block)
    project.snakemake("capitals")
    scores = list(read_jsonl(project.path("results/capitals/scores/reference/all.jsonl")))
    assert [score["total"] for score in scores] == [1, 1, 1, 1]
    assert "Africa" in project.path("results/capitals/tables/capitals_by.md").read_text()


@pytest.mark.wide
def test_a_line_that_is_no_record_ends_the_run_with_a_sentence(project):
    path = project.path("exact.jsonl")
    whole = path.read_text()
    path.write_text(whole + '{"prompt": "Which?"}\n')
    said = project.snakemake(ok=False)
    path.write_text(whole)
    assert "exact.jsonl:9: answer is null; write a string" in said and "Traceback" not in said
