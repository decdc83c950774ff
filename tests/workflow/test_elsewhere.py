"""Runs outside the checkout: in another directory, in another workflow, and installed."""

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


def test_workflow_is_a_module_of_another_workflow(tmp_path):
    project = Project(tmp_path)
    project.configure({"evaluation": SMALL})
    (tmp_path / "Snakefile").write_text(OUTER)
    project.snakemake("paper.txt")
    assert "lifbench_table3_ars.tex" in (tmp_path / "paper.txt").read_text()
    assert (tmp_path / "evaluation/results/lifbench/scores/sim-a/2k.jsonl").exists()
    assert not (tmp_path / "results").exists()


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder of packages after ``pip install .``."""
    target = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--target", str(target), str(ROOT)], check=True)
    return target


def python(installed, folder, *arguments):
    """Runs Python in a folder, with the installed package."""
    return subprocess.run(
        [warm_python(), *arguments],
        env={**os.environ, "PYTHONPATH": str(installed)},
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_package_is_installed_with_data_and_benchmarks(installed, tmp_path):
    code = (
        "from steadfast.contract.registry import benchmarks; "
        "from steadfast.base.resources import facts, ROOT; "
        "print(*benchmarks()); print(len(facts('lifbench/tasks')), ROOT)"
    )
    done = python(installed, tmp_path, "-c", code)
    names, facts = done.stdout.splitlines()
    assert names.split() == ["lifbench", "followbench", "cfbench", "complexbench", "ifeval"]
    assert facts.startswith(f"11 {installed}")


def test_installed_command_plans_the_default_run(installed, tmp_path):
    run = ("-m", "steadfast.command.main", "run", "--cores", "1", "--", "--dry-run")
    done = python(installed, tmp_path, *run)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^complexbench_tables +1$", done.stdout + done.stderr, re.M)


def test_installed_command_runs_the_same_jobs_as_snakemake(installed, tmp_path):
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(SMALL))
    command = ("-m", "steadfast.command.main")
    options = ("my.yaml", "--cores", "1", "--set", "seed=3", "--", "results/tables")
    done = python(installed, tmp_path, *command, "run", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    snakefile = str(ROOT / "Snakefile")
    options = ("-n", "--snakefile", snakefile, "--config", "seed=3", "--", "results/tables")
    assert "Nothing to be done" in Project(tmp_path).snakemake(*options)
    done = python(installed, tmp_path, *command, "show", "no-such-sample", "my.yaml")
    assert done.returncode == 1 and done.stderr.startswith("error: ")


def test_python_function_runs_a_config(tmp_path, capsys):
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(SMALL))
    run = steadfast.run(tmp_path / "my.yaml", tmp_path, cores=1, settings={"seed": 3})
    assert run.models("lifbench") == ["reference", "sim-a"]
    assert "Tables" in capsys.readouterr().out
    with pytest.raises(UserError, match="the run failed"):
        steadfast.run(tmp_path / "my.yaml", tmp_path, settings={"sed": 3})
    assert "unknown key 'sed'; did you mean 'seed'?" in capsys.readouterr().out


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A virtual environment with the wheel and the executor of generic clusters."""
    folder = tmp_path_factory.mktemp("wheel")
    tools = Path(sys.executable).parent
    subprocess.run([tools / "hatchling", "build", "-d", folder / "dist"], cwd=ROOT, check=True)
    source, wheel = sorted((folder / "dist").iterdir(), key=lambda path: path.suffix)
    environment = folder / "environment"
    subprocess.run([tools / "uv", "venv", "-q", environment, "-p", sys.executable], check=True)
    variables = dict(os.environ)
    if links := os.environ.get("PIP_FIND_LINKS"):
        variables["UV_FIND_LINKS"] = links.replace(" ", ",")
    install = [tools / "uv", "pip", "install", "-q", "-p", environment / "bin/python", wheel]
    subprocess.run([*install, GENERIC], env=variables, check=True)
    twine = [tools / "uv", "tool", "run", "-q", "--from", "twine==7.0.0", "twine"]
    subprocess.run([*twine, "check", "--strict", source, wheel], env=variables, check=True)
    assert not list(environment.glob("lib/*/site-packages/steadfast*.pth"))
    return environment


def run_installed(environment, folder, config, *options):
    """Makes the tables of a config with the installed command."""
    (folder / "my.yaml").write_text(yaml.safe_dump(config))
    run = [environment / "bin/steadfast", "run", "my.yaml", "--cores", "1", *options]
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([*run, "--", "results/tables"], cwd=folder, env=variables, check=True)
    assert (folder / "results/tables/lifbench_table3_ars.md").exists()


@pytest.mark.heavy
def test_wheel_runs_in_a_new_environment(environment, tmp_path):
    run_installed(environment, tmp_path, SMALL)


@pytest.mark.heavy
def test_generic_cluster_submits_jobs_with_the_command_of_a_site(environment, tmp_path):
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
def test_steps_of_the_dockerfile_install_the_command(tmp_path):
    """In a virtual environment, without the base and file system of the image."""
    python = tmp_path / "image/bin/python"
    subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
    steps = re.findall("^RUN (.*)$", (ROOT / "Dockerfile").read_text(), re.M)
    path = f"{python.parent}:{os.environ['PATH']}"
    for step in steps:
        command = step.replace("/steadfast", str(ROOT)).replace("--no-cache-dir ", "")
        subprocess.run(command, shell=True, env=os.environ | {"PATH": path}, check=True)
    done = subprocess.run([python.with_name("steadfast"), "--version"], capture_output=True)
    assert done.stdout.decode() == f"steadfast {steadfast.__version__}\n"
