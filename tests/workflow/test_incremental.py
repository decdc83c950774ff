"""A change re-runs what depends on it, and nothing else (promise 2)."""

import copy
import shutil

import pytest

from project import TINY, Project, over_http

pytestmark = pytest.mark.workflow

SHOWN = {"lifbench_tables": 1, "summary": 1, "tables": 1}
SCORED = {"scores": 2, "lifbench_metrics": 1, **SHOWN}


def changed(model: str, **settings) -> dict:
    """``TINY`` with changed settings of a model, or with one more."""
    config = copy.deepcopy(TINY)
    config["models"].setdefault(model, {}).update(settings)
    return config


OPERATION = {"allowed_failures": 0.1, "gpus": 2, "mem_gb": 64, "hours": 1}
LENGTHS = {**TINY["lifbench"]["lengths"], "4k": 4096}
SLURM = ["--workflow-profile", "profiles/slurm", "--default-resources", "slurm_partition=other"]


@pytest.mark.parametrize(
    ("config", "arguments", "expected"),
    [
        pytest.param(
            changed("sim-b", engine="simulated", span=900),
            [],
            {"inference": 2, **SCORED},
            id="new model",
        ),
        pytest.param(changed("sim-a", label="Reader A"), [], SHOWN, id="label"),
        pytest.param(
            {**changed("sim-a", **OPERATION), "judges": {"judge": {"engine": "reference"}}},
            SLURM,
            {},
            id="operation, partition and unused judge",
        ),
        pytest.param(
            changed("sim-a", slip=0.5), [], {"inference": 2, **SCORED}, id="setting of answers"
        ),
        pytest.param(
            {**TINY, "lifbench": {**TINY["lifbench"], "lengths": LENGTHS}},
            [],
            {"contexts": 3, "prompts": 1, "inference": 2, **SCORED},
            id="new length",
        ),
    ],
)
def test_config_change_reruns_what_depends_on_it(project, config, arguments, expected):
    project.configure(config)
    assert project.planned(*arguments) == expected


def append_code(project, module, line):
    path = f"scripts/steadfast/{module}"
    project.write(path, project.path(path).read_text() + f"\n{line}\n")


@pytest.mark.wide
def test_changed_modules_are_reported(project):
    append_code(project, "show/cells.py", "CHANGED = True")
    terminal = project.snakemake()
    assert "lifbench_tables: made again since steadfast.show.cells changed" in terminal
    assert "inference: made again" not in terminal
    assert "made again" not in project.snakemake()


def test_time_stamps_comments_and_format_rerun_nothing(project):
    append_code(project, "base/tokens.py", "# changed")
    project.edit("scripts/steadfast/benchmarks/lifbench/tasks.py", "\n\n\n", "\n\n\n\n")
    project.edit("resources/lifbench/tasks/LSI.yaml", "\n", "\n# changed\n")
    for path in project.folder.rglob("*"):
        folder = path.relative_to(project.folder).parts[0]
        if path.is_file() and folder not in ("results", ".snakemake"):
            content = path.read_bytes()
            path.unlink()  # other projects have links to the same file
            path.write_bytes(content)
    assert project.planned() == {}


def test_fresh_clone_with_copied_results_reruns_nothing(project, tmp_path_factory):
    clone = Project.new(tmp_path_factory.mktemp("clone"), TINY, with_data=False)
    for part in ("results", ".snakemake"):
        shutil.copytree(project.path(part), clone.path(part))
    assert clone.planned() == {}


@pytest.mark.wide
def test_edited_template_requests_only_its_prompts(project, server):
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
    new_prompts = server.answered.keys() - before
    # One expression with the task's six variables, and nothing twice.
    assert len(new_prompts) == 6
    assert all("very" in prompt for prompt in new_prompts)
    assert set(server.answered.values()) == {1}
    assert project.planned() == {}
