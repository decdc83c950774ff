"""At home anywhere: in another directory, in another workflow, and installed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import steadfast
from project import ROOT, TINY, Project
from steadfast.base.errors import UserError
from warm_python import warm_python

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

SMALL = {**TINY, "lifbench": {"lengths": {"2k": 2048}, "tasks": ["OQ"]}}
OUTER = f"""
module steadfast:
    snakefile: "{ROOT}/Snakefile"
    config: config["evaluation"]
    pathvars: results="evaluation/results"

use rule * from steadfast as evaluation_*

rule paper:
    default_target: True
    input: "evaluation/results/tables"
    output: "paper.txt"
    shell: "ls {{input}} > {{output}}"
"""

GENERIC = "snakemake-executor-plugin-cluster-generic==1.0.9"
SUBMIT = """#!/bin/sh
echo "$@" >> "$(dirname "$0")/submitted"
for script; do :; done
setsid sh "$script" > "$script.log" 2>&1 &
echo $$
"""


def test_a_module_of_another_workflow(tmp_path):
    project = Project(tmp_path)
    project.configure({"evaluation": SMALL})
    (tmp_path / "Snakefile").write_text(OUTER)
    project.snakemake("paper.txt")
    assert "lifbench_table3_ars.tex" in (tmp_path / "paper.txt").read_text()
    assert (tmp_path / "evaluation/results/lifbench/scores/sim-a/2k.jsonl").exists()
    assert not (tmp_path / "results").exists()


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """What ``pip install .`` puts among the packages of an environment."""
    target = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--target", str(target), str(ROOT)], check=True)
    return target


def in_installation(installed, folder, *words):
    """Runs Python in a folder, with the installation among its packages."""
    return subprocess.run(
        [warm_python(), *words],
        env={**os.environ, "PYTHONPATH": str(installed)},
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_the_package_is_installed_with_its_data_and_benchmarks(installed, tmp_path):
    call = (
        "from steadfast.contract.registry import benchmarks; "
        "from steadfast.base.resources import facts, ROOT; "
        "print(*benchmarks()); print(len(facts('lifbench/tasks')), ROOT)"
    )
    done = in_installation(installed, tmp_path, "-c", call)
    names, facts = done.stdout.splitlines()
    assert names.split() == ["lifbench", "followbench", "cfbench", "complexbench", "ifeval"]
    assert facts.startswith(f"11 {installed}")


def test_the_installed_command_plans_the_default_run_in_an_empty_folder(installed, tmp_path):
    run = ("-m", "steadfast.command.main", "run", "--cores", "1", "--", "--dry-run")
    done = in_installation(installed, tmp_path, *run)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^complexbench_tables +1$", done.stdout + done.stderr, re.M)


def test_the_command_makes_what_snakemake_makes(installed, tmp_path):
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(SMALL))
    command = ("-m", "steadfast.command.main")
    options = ("my.yaml", "--cores", "1", "--set", "seed=3", "--", "results/tables")
    done = in_installation(installed, tmp_path, *command, "run", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    project = Project(tmp_path)
    again = ("--snakefile", str(ROOT / "Snakefile"), "--config", "seed=3", "--")
    assert "Nothing to be done" in project.snakemake("-n", *again, "results/tables")
    shown = in_installation(installed, tmp_path, *command, "show", "no-such-sample", "my.yaml")
    assert shown.returncode == 1 and shown.stderr.startswith("error: ")


def test_python_runs_a_config_and_has_what_it_made(tmp_path, capsys):
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(SMALL))
    made = steadfast.run(tmp_path / "my.yaml", tmp_path, cores=1, settings={"seed": 3})
    assert made.models("lifbench") == ["reference", "sim-a"]
    assert "Tables" in capsys.readouterr().out
    with pytest.raises(UserError, match="the run failed"):
        steadfast.run(tmp_path / "my.yaml", tmp_path, settings={"sed": 3})
    assert "unknown key 'sed'; did you mean 'seed'?" in capsys.readouterr().out


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment in which the wheel is installed, and the executor of other clusters."""
    folder = tmp_path_factory.mktemp("wheel")
    tools = Path(sys.executable).parent
    subprocess.run([tools / "hatchling", "build", "-d", folder / "dist"], cwd=ROOT, check=True)
    source, wheel = sorted((folder / "dist").iterdir(), key=lambda path: path.suffix)
    environment = folder / "environment"
    subprocess.run([tools / "uv", "venv", "-q", environment, "-p", sys.executable], check=True)
    links = {"UV_FIND_LINKS": os.environ.get("PIP_FIND_LINKS", "").replace(" ", ",")}
    variables = os.environ | {name: value for name, value in links.items() if value}
    install = [tools / "uv", "pip", "install", "-q", "-p", environment / "bin/python", wheel]
    subprocess.run([*install, GENERIC], env=variables, check=True)
    twine = [tools / "uv", "tool", "run", "-q", "--from", "twine==7.0.0", "twine"]
    subprocess.run([*twine, "check", "--strict", source, wheel], env=variables, check=True)
    assert not list(environment.glob("lib/*/site-packages/steadfast*.pth"))
    return environment


def run_installed(environment, folder, config, *words):
    """Runs a config by the installed command, to its tables."""
    (folder / "my.yaml").write_text(yaml.safe_dump(config))
    run = [environment / "bin/steadfast", "run", "my.yaml", "--cores", "1", *words]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([*run, "--", "results/tables"], cwd=folder, env=alone, check=True)
    assert (folder / "results/tables/lifbench_table3_ars.md").exists()


@pytest.mark.heavy
def test_the_wheel_runs_in_an_environment_of_its_own(environment, tmp_path):
    run_installed(environment, tmp_path, SMALL)


@pytest.mark.heavy
def test_any_cluster_runs_what_a_site_s_command_submits(environment, tmp_path):
    models = {"sim-a": {"engine": "simulated", "gpus": 2, "hours": 1}}
    submit = tmp_path / "submit"
    submit.write_text(SUBMIT)
    submit.chmod(0o755)
    site = tmp_path / "site/config.yaml"
    site.parent.mkdir()
    command = f"{submit} gpus={{resources.gpu}} minutes={{resources.runtime}}"
    site.write_text(yaml.safe_dump({"cluster-generic-submit-cmd": command}))
    profiles = ("--profile", "profiles/cluster", "--profile", site.parent)
    run_installed(environment, tmp_path, {**SMALL, "models": models}, *profiles)
    (submitted,) = (tmp_path / "submitted").read_text().splitlines()
    assert submitted.startswith("gpus=2 minutes=60 ")


@pytest.mark.heavy
def test_the_steps_of_the_image_install_the_command(tmp_path):
    """In an environment of its own; of an image there are base and file system too."""
    python = tmp_path / "image/bin/python"
    subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
    steps = re.findall("^RUN (.*)$", (ROOT / "Dockerfile").read_text(), re.M)
    path = f"{python.parent}:{os.environ['PATH']}"
    for step in steps:
        here = step.replace("/steadfast", str(ROOT)).replace("--no-cache-dir ", "")
        subprocess.run(here, shell=True, env=os.environ | {"PATH": path}, check=True)
    done = subprocess.run([python.with_name("steadfast"), "--version"], capture_output=True)
    assert done.stdout.decode() == f"steadfast {steadfast.__version__}\n"
