"""At home anywhere: in another directory, in another workflow, and installed."""

import os
import re
import subprocess
import sys

import pytest
import yaml

import steadfast
from project import ROOT, TINY, Project
from steadfast.base.errors import UserError
from warm_python import warm_python

pytestmark = [pytest.mark.wide, pytest.mark.workflow, pytest.mark.xdist_group("workflow")]

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
    """Runs Python in a folder, with the installation among its packages as its .pth file says."""
    (tree,) = (installed / "steadfast.pth").read_text().splitlines()
    return subprocess.run(
        [warm_python(), *words],
        env={**os.environ, "PYTHONPATH": str(installed / tree)},
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
