"""A run of data sets with every scorer: the example config, and a model and a judge over HTTP."""

import json
import re
import zipfile

import pytest
import yaml

from project import ROOT, Project, command, over_http
from reference_server import ReferenceServer
from servers import running
from steadfast.base.files import read_jsonl

pytestmark = [pytest.mark.wide, pytest.mark.workflow]
EXAMPLE = yaml.safe_load((ROOT / "config/datasets.yaml").read_text())
RECORDS = {
    "exact": [{"prompt": f"Name colour {n}.", "answer": ["Blue", "blue"]} for n in range(8)],
    "contains": [{"prompt": f"Where, {n}?", "answer": "北京", "group": n % 2} for n in range(6)],
    "regex": [
        {"prompt": f"When, {n}?", "answer": str(n), "reference": f"Year: {n}."} for n in range(4)
    ],
    "f1": [{"prompt": f"Who, {n}?", "answer": "the grey cat"} for n in range(4)],
}
OPTIONS = {"exact": {"ignore": ["case"]}, "regex": {"pattern": "Year: (?P<answer>[0-9]+)"}}


def write_data_sets(folder):
    """Writes a data set for each scorer; returns the config's section, with the example's."""
    datasets = dict(EXAMPLE["datasets"])
    for scorer, records in RECORDS.items():
        path = folder / f"{scorer}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        datasets[f"by-{scorer}"] = {"path": path.name, "scorer": scorer, **OPTIONS.get(scorer, {})}
    return datasets


@pytest.fixture(scope="module")
def server():
    with running(kind=ReferenceServer) as started:
        yield started


@pytest.fixture(scope="module")
def project(tmp_path_factory, server):
    """A finished run with plan, bundle and export."""
    project = Project.new(tmp_path_factory.mktemp("datasets"), {})
    project.settings = {
        "datasets": write_data_sets(project.folder),
        "judges": {**EXAMPLE["judges"], "judge": over_http(server.url, "judge")},
        "models": {
            "reference": {"engine": "reference"},
            "sim-a": {"engine": "simulated"},
            "gold": over_http(server.url, "gold"),
        },
    }
    project.configure(project.settings)
    server.serve(project.folder, project.settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project.folder)
        project.snakemake("results/tables", "figures", "html_report", "plan", "bundle", "export")
    return project


@pytest.mark.parametrize("name", [*EXAMPLE["datasets"], *(f"by-{name}" for name in RECORDS)])
@pytest.mark.parametrize("model", ["gold", "reference"])
def test_reference_answers_have_full_marks(project, name, model):
    scores = project.records(f"{name}/scores/{model}/all.jsonl")
    assert {score["total"] for score in scores} == {1}


def test_each_prompt_is_requested_once(project, server):
    prompts = []
    for name in project.settings["datasets"]:
        prompts += project.records(f"{name}/prompts/all.jsonl")
    counts = [count for text, count in server.requested.items() if "Answer to grade:" not in text]
    assert counts == [1] * len(prompts)


def test_shared_contexts_are_stored_once(project):
    assert len(project.records("rooms/contexts/all.jsonl")) == 2


@pytest.mark.parametrize(
    ("name", "units"),
    [
        ("rooms", "2 groups of records"),
        ("by-contains", "2 groups of records"),
        ("by-exact", "8 records"),
    ],
)
def test_summary_names_the_sampling_units(project, name, units):
    assert project.rows(f"{name}/metrics/summary.csv")[0]["sampled"] == units


def test_summary_html_report_plan_and_export_have_each_data_set(project):
    summary = project.path("results/tables/summary.md").read_text()
    html_report = project.path("results/report.html").read_text()
    requests = {}
    for row in project.rows("plan/plan.csv"):
        if (row["role"], row["model"]) == ("models", "gold"):
            requests[row["benchmark"]] = int(row["requests"])
    for name, section in project.settings["datasets"].items():
        assert f"{section.get('title', name)}: Score" in summary
        assert name in html_report
        assert requests[name] == len(list(read_jsonl(project.path(section["path"]))))
        assert project.path(f"results/export/{name}/README.md").exists()


def test_bundle_has_the_data_files(project):
    with zipfile.ZipFile(project.path("results/bundle.zip")) as archive:
        assert {"exact.jsonl", "config/examples/rooms.jsonl"} <= set(archive.namelist())


def test_judge_agreement_has_a_table(project):
    assert project.path("results/tables/why_agreement.md").is_file()


def test_show_prints_context_and_choices(project):
    done = command("show", "all/r1", "my.yaml", cwd=project.folder)
    assert done.returncode == 0, done.stderr
    assert "Where is the lamp?" in done.stdout and "C. study" in done.stdout


def test_documented_example_runs(tmp_path):
    project = Project.new(tmp_path, {})
    page = (ROOT / "docs/own-data.md").read_text()
    for name, fence in (("my-set.jsonl", "json"), ("my.yaml", "yaml")):
        block = re.search(rf"^```{fence}\n(.*?)^```", page, re.M | re.S)[1]
        project.path(name).write_text(block)
    project.snakemake("capitals")
    scores = project.records("capitals/scores/reference/all.jsonl")
    assert [score["total"] for score in scores] == [1, 1, 1, 1]
    assert "Africa" in project.path("results/capitals/tables/capitals_by.md").read_text()
