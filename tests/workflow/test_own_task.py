"""The tasks that docs/new-task.md shows: run from prompts to tables, and changed."""

import csv
import re
import shutil

import pytest

from project import ROOT, Project, command
from steadfast.base.files import file_sha256, read_json, read_jsonl, write_json, write_jsonl
from steadfast.base.seal import Seal

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("workflow")]

EXAMPLES = ROOT / "docs/examples/tasks"
CONFIG = {
    "lifbench": {
        "lengths": {"2k": 2048},
        "tasks": ["LSI"],
        "own_tasks": {"LNB": "tasks/neighbours.yaml", "LCI": "tasks/identifiers.yaml"},
    },
    "models": {
        "reference": {"engine": "reference"},
        "floor": {"engine": "floor"},
        "sim-a": {"engine": "simulated", "span": 3000, "max_tokens": {"LCI": 10}},
    },
}
ANEW = {"lifbench_metrics": 1, "lifbench_tables": 1, "report": 1, "tables": 1}


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Project:
    """A run with both tasks, to its tables and its page."""
    project = Project.new(tmp_path_factory.mktemp("own"), CONFIG)
    shutil.copytree(EXAMPLES, project.path("tasks"))
    project.snakemake("results/tables", "plan", "page")
    return project


def rows(project, path, **values):
    with open(project.path(f"results/{path}"), newline="") as lines:
        found = list(csv.DictReader(lines))
    return [row for row in found if all(row[key] == value for key, value in values.items())]


def test_the_page_shows_the_files_as_they_are():
    blocks = re.findall(r"^```\w+\n(.*?)^```", (ROOT / "docs/new-task.md").read_text(), re.M | re.S)
    assert {path.read_text() for path in EXAMPLES.iterdir() if path.is_file()} <= set(blocks)


def test_the_reference_scores_1_and_the_floor_what_its_file_says(finished):
    scores = list(read_jsonl(finished.path("results/lifbench/scores/reference/2k.jsonl")))
    assert {(s["task"], s["total"]) for s in scores} == {("LSI", 1), ("LNB", 1), ("LCI", 1)}
    floor = list(read_jsonl(finished.path("results/lifbench/scores/floor/2k.jsonl")))
    assert {s["total"] for s in floor if s["task"] == "LNB"} == {None}
    assert {s["points"]["format"] for s in floor if s["task"] == "LCI"} == {1}
    assert rows(finished, "plan/lifbench.csv", model="sim-a")[0]["requests"] == str(30 + 18 + 8)


def test_a_simulated_reader_stands_in_metrics_and_tables(finished):
    metrics = "lifbench/metrics"
    for task in ("LNB", "LCI"):
        (ars,) = rows(finished, f"{metrics}/ars.csv", model="sim-a", task=task, length="")
        assert 0 < float(ars["value"]) < 1
        assert rows(finished, f"{metrics}/ifs.csv", model="sim-a", task=task)
        assert rows(finished, f"{metrics}/ifp.csv", model="sim-a", task=task, capability="Fmt")
    assert {row["task"] for row in rows(finished, f"{metrics}/floor.csv", model="sim-a")} == {
        "LSI",
        "LCI",
        "overall",
    }
    table = finished.path("results/tables/lifbench_table3_ars.md").read_text()
    assert "List: LNB" in table
    assert "Tasks of one's own, in no overall value: LNB, LCI." in table
    (lsi,) = rows(finished, f"{metrics}/ars.csv", model="sim-a", task="LSI", length="")
    (overall,) = rows(finished, f"{metrics}/ars.csv", model="sim-a", task="overall", length="")
    assert lsi["value"] == overall["value"]


@pytest.mark.parametrize(
    ("file", "old", "new", "planned"),
    [
        ("neighbours.py", "max(2, len(lines))", "2", {"scores": 3, **ANEW}),
        ("neighbours.py", "The share of each", "What each", {}),
        ("neighbours.yaml", "both entries are there", "both are there", ANEW),
        (
            "identifiers.py",
            "{32}",
            "{31,33}",
            {"prompts": 1, "inference": 3, "scores": 3, **ANEW},
        ),
    ],
    ids=["scorer", "docstring", "words", "drawing"],
)
def test_a_change_re_runs_what_depends_on_it(finished, tmp_path, file, old, new, planned):
    project = finished.fork(tmp_path)
    project.edit(f"tasks/{file}", old, new)
    assert project.planned() == planned


def test_a_template_edited_asks_for_its_own_requests_alone(finished, tmp_path, server):
    api = {"engine": "openai", "model": "echo-1", "base_url": server.url, "api_key_env": None}
    project = finished.fork(tmp_path)
    project.configure({**CONFIG, "models": {"echo": api}})
    project.snakemake()
    before = set(server.answered)
    assert len(before) == 30 + 18 + 8
    project.edit("tasks/neighbours.yaml", "Copy the two", "Write the two")
    project.snakemake()
    asked = server.answered.keys() - before
    assert len(asked) == 6
    assert all("Write the two" in prompt for prompt in asked)


def test_a_name_that_is_taken_and_a_file_that_is_missing_are_named(finished, tmp_path):
    project = finished.fork(tmp_path)
    for own, complaint in (
        ({"OQ": "tasks/neighbours.yaml"}, "lifbench.own_tasks: OQ is taken; give the task another"),
        ({"LNB": "tasks/none.yaml"}, "lifbench.own_tasks.LNB: tasks/none.yaml: no such file"),
    ):
        project.configure({**CONFIG, "lifbench": {**CONFIG["lifbench"], "own_tasks": own}})
        assert complaint in project.snakemake(ok=False)


def test_comparing_with_a_stranger_s_results_runs_no_code_of_theirs(finished, tmp_path):
    """Their config names their own files as the task's."""
    theirs = tmp_path / "theirs"
    shutil.copytree(finished.path("results"), theirs / "results")
    shutil.copytree(finished.path("tasks"), theirs / "tasks")
    for code in theirs.glob("tasks/*.py"):
        code.write_text(code.read_text() + f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    config = theirs / "results/config.yaml"
    config.write_text(config.read_text().replace("tasks/", f"{theirs}/tasks/"))
    scores = theirs / "results/lifbench/scores/sim-a/2k.jsonl"
    records = [record | {"total": 0.5} for record in read_jsonl(scores)]
    write_jsonl(scores, records)
    Seal.beside(scores, "").write()
    metrics = theirs / "results/lifbench/metrics/identity.json"
    known = read_json(metrics)
    known["inputs"]["lifbench/scores/sim-a/2k.jsonl"] = file_sha256(scores)
    write_json(metrics, known)
    done = command("compare", "results", theirs / "results", folder=finished.folder)
    assert done.returncode == 0 and "Samples: " in done.stdout, done.stderr
    assert str(theirs) in config.read_text() and not (tmp_path / "ran").exists()


def test_a_config_s_files_are_found_beside_its_results_from_anywhere(finished, tmp_path):
    done = command("compare", *[finished.path("results")] * 2, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_bundle_has_the_code_of_tasks_whose_benchmark_does_not_run(tmp_path):
    other = {"benchmarks": ["cfbench"], "cfbench": {}}
    config = {**CONFIG, **other, "judges": {"reference": {"engine": "reference"}}}
    models = {"reference": {"engine": "reference"}}
    (tmp_path / "first").mkdir()
    project = Project.new(tmp_path / "first", {**config, "models": models})
    shutil.copytree(EXAMPLES, project.path("tasks"))
    project.snakemake("bundle")
    bundle, there = project.path("results/bundle.zip"), tmp_path / "there"
    done = command("unbundle", "--code", bundle, there, folder=project.folder)
    assert done.returncode == 0, done.stderr
    assert (there / "tasks/neighbours.py").is_file()


def test_a_file_that_no_bundle_can_have_is_refused_before_anything_is_made(finished, tmp_path):
    project = finished.fork(tmp_path / "here")
    shutil.rmtree(project.path("results"))
    project.path("tasks").rename(tmp_path / "tasks")
    names = CONFIG["lifbench"]["own_tasks"]
    own = {name: str(tmp_path / path) for name, path in names.items()}
    project.configure({**CONFIG, "lifbench": {**CONFIG["lifbench"], "own_tasks": own}})
    for options in ((), ("--dry-run",)):
        said = project.snakemake(*options, "bundle", ok=False)
        assert "tasks/neighbours.yaml: it lies outside the working directory" in said
    assert not list(project.path("results").glob("*/prompts"))
