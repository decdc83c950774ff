"""A change re-runs what depends on it, and nothing else (promise 2)."""

import copy
import shutil

import pytest

from project import TINY, Project, over_http

pytestmark = pytest.mark.workflow

SHOWN = {"lifbench_tables": 1, "summary": 1, "tables": 1}
SCORED = {"scores": 2, "lifbench_metrics": 1, **SHOWN}


def changed(**models):
    config = copy.deepcopy(TINY)
    for name, change in models.items():
        name = name.replace("_", "-")
        config["models"][name] = {**config["models"].get(name, {}), **change}
    return config


def test_nothing_changed_nothing_runs(project):
    assert project.planned() == {}


def test_a_model_more_runs_its_own_jobs_and_what_shows_them(project):
    project.configure(changed(sim_b={"engine": "simulated", "span": 900}))
    assert project.planned() == {"inference": 2, **SCORED}


def test_a_label_changes_tables_only(project):
    project.configure(changed(sim_a={"label": "Reader A"}))
    assert project.planned() == SHOWN


def test_a_judge_changes_nothing_where_nothing_is_judged(project):
    project.configure({**TINY, "judges": {"judge": {"engine": "reference"}}})
    assert project.planned() == {}


def test_operation_resources_and_partitions_re_run_nothing(project):
    project.configure(changed(sim_a={"allowed_failures": 0.1, "gpus": 2, "mem_gb": 64, "hours": 1}))
    profile = ("--workflow-profile", "profiles/slurm", "--default-resources")
    assert project.planned(*profile, "slurm_partition=other") == {}


def test_a_setting_that_determines_answers_asks_that_model_anew(project):
    project.configure(changed(sim_a={"slip": 0.5}))
    assert project.planned() == {"inference": 2, **SCORED}


def test_a_length_more_runs_that_length(project):
    more = copy.deepcopy(TINY)
    more["lifbench"]["lengths"]["4k"] = 4096
    project.configure(more)
    assert project.planned() == {
        "contexts": 3,
        "prompts": 1,
        "inference": 2,
        "scores": 2,
        "lifbench_metrics": 1,
        **SHOWN,
    }


def changed_code(project, module, line="CHANGED = True"):
    path = f"scripts/steadfast/{module}"
    project.write(path, project.path(path).read_text() + f"\n{line}\n")


@pytest.mark.wide
def test_a_run_says_which_modules_changed(project):
    changed_code(project, "show/cells.py")
    said = project.snakemake()
    assert "lifbench_tables: made again since steadfast.show.cells changed" in said
    assert "inference: made again" not in said
    assert "made again" not in project.snakemake()


def test_time_stamps_comments_and_form_re_run_nothing(project):
    changed_code(project, "base/tokens.py", "# changed")
    project.edit("scripts/steadfast/benchmarks/lifbench/tasks.py", "\n\n\n", "\n\n\n\n")
    project.edit("resources/lifbench/tasks/LSI.yaml", "\n", "\n# changed\n")
    for path in project.folder.rglob("*"):
        if path.is_file() and not {"results", ".snakemake"} & set(
            path.relative_to(project.folder).parts
        ):
            content = path.read_bytes()
            path.unlink()  # other projects have links to the same file
            path.write_bytes(content)
    assert project.planned() == {}


def test_a_fresh_clone_beside_copied_results_re_runs_nothing(project, tmp_path_factory):
    clone = Project.new(tmp_path_factory.mktemp("clone"), TINY, with_data=False)
    for part in ("results", ".snakemake"):
        shutil.copytree(project.path(part), clone.path(part))
    assert clone.planned() == {}


@pytest.mark.wide
def test_a_template_edited_asks_a_server_for_its_own_requests_alone(project, server):
    lifbench = {"lengths": {"2k": 2048}, "tasks": ["LSI", "LMI"]}
    project.configure({"lifbench": lifbench, "models": {"echo": over_http(server.url, "echo-1")}})
    project.snakemake()
    assert server.answered.total() == 30 + 25
    before = set(server.answered)
    template = "resources/lifbench/expressions/LSI.yaml"
    lines = project.path(template).read_text().splitlines()
    line = next(line for line in lines if "{ordid}" in line and line[0] != "#")
    project.edit(template, line, line.replace("{ordid}", "very {ordid}"))
    project.snakemake()
    asked = server.answered.keys() - before
    # One expression crossed with the task's six variables, and nothing twice.
    assert len(asked) == 6
    assert all("very" in prompt for prompt in asked)
    assert set(server.answered.values()) == {1}
    assert project.planned() == {}
