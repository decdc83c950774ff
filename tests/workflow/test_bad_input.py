"""Bad input: one clear sentence, exit code not 0, nothing lost."""

import copy
import subprocess

import pytest

from project import SNAKEMAKE, TINY, Project
from servers import error
from warm_python import warm_python

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("workflow")]


def sentence(project, *arguments, **environment):
    """The one line of Snakemake's output that is ours."""
    text = project.snakemake(*arguments, ok=False, **environment)
    assert "Traceback (most recent call last)" not in text, text
    lines = [
        line.strip()
        for line in text.splitlines()
        if line.startswith("error: ") or "config: " in line or "models: " in line
    ]
    assert lines, text
    return lines[0]


def config(**changes):
    return {**copy.deepcopy(TINY), **changes}


def model(**settings):
    return config(models={"m": settings})


@pytest.fixture
def fresh(tmp_path):
    """A project in which nothing has run."""
    return Project.new(tmp_path, TINY)


def test_a_mistake_in_the_config(fresh):
    fresh.configure(config(lifbenhc={}))
    said = fresh.snakemake(ok=False)
    assert "Error: config: unknown key 'lifbenhc'; did you mean 'lifbench'?\n" in said
    assert "Snakefile" not in said  # whose line is none of the user's business


def test_a_key_that_stands_twice_in_the_default_config(fresh):
    lines = fresh.path("config/config.yaml").read_text().splitlines()
    first = next(place for place, line in enumerate(lines, 1) if line.startswith("seed: 1 "))
    fresh.edit("config/config.yaml", "seed: 1 ", "seed: 2\nseed: 1 ")
    command = [warm_python(), *SNAKEMAKE[1:3], "--cores", "1", "--dry-run"]
    done = subprocess.run(command, cwd=fresh.folder, capture_output=True, text=True)
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "Traceback (most recent call last)" not in said
    expected = f"config.yaml:{first + 1}: key 'seed' stands on line {first} already"
    assert expected in said


def test_a_config_file_changes_keys_of_another(fresh):
    fresh.path("more.yaml").write_text("lifbench: {tasks: [OQ]}\n")
    files = ["--configfile", "my.yaml", "more.yaml", "--cores", "1"]
    assert "prompts" in fresh.snakemake("--dry-run", "results/tables", *files)


def test_an_unknown_model_in_a_target(project):
    target = "results/lifbench/outputs/sim-b/2k.jsonl"
    assert "unknown model 'sim-b'; did you mean 'sim-a'?" in sentence(project, target)


def test_an_unreachable_server_is_tried_again_and_a_rejected_model_is_not(project, server):
    """Both stand at the end, on the terminal and in Snakemake's log."""
    server.faults[""].extend([error(404)] * 20)
    asked = {"engine": "openai", "model": "gpt", "api_key_env": None}
    away, gone = {"base_url": "http://127.0.0.1:9/v1"}, {"base_url": server.url}
    one = {"lifbench": {"lengths": {"2k": 2048}}}
    project.configure({**one, "models": {"away": {**asked, **away}, "gone": {**asked, **gone}}})
    shown = project.snakemake("--retries", "1", "--keep-going", "results/tables", ok=False)
    assert shown.count("failed: lifbench/inference/away/2k; it is tried again") == 1
    assert shown.count("failed: lifbench/inference/away/2k") == 2
    assert shown.count("failed: lifbench/inference/gone/2k") == 1
    log = max(project.path(".snakemake/log").glob("*.log"))
    for text in (shown, log.read_text()):
        end = text.split("2 jobs failed:\n")[1]
        assert "  away: server 127.0.0.1:9 is unreachable" in end and "(2 tries)" in end
        assert "  gone: server 127.0.0.1:" in end and "does not know model 'gpt'" in end


def test_a_window_smaller_than_a_prompt(project):
    project.configure(model(engine="reference", window=1024))
    message = sentence(project)
    assert "1,024" in message
    assert "window" in message
