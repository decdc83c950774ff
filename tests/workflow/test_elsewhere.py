"""At home anywhere: in another directory, in another workflow, and installed."""

import subprocess
import sys

import pytest

from project import ROOT, SNAKEMAKE, TINY, Project

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("workflow")]

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


def test_run_from_another_directory(tmp_path):
    project = Project(tmp_path)
    project.configure(SMALL)
    project.snakemake("--snakefile", str(ROOT / "Snakefile"), "results/tables")
    assert (tmp_path / "results/tables/lifbench_table3_ars.tex").exists()
    again = project.snakemake("--snakefile", str(ROOT / "Snakefile"), "results/tables", "-n")
    assert "Nothing to be done" in again


def test_the_default_config_is_found_from_another_directory(tmp_path):
    command = [*SNAKEMAKE[:3], "--snakefile", str(ROOT / "Snakefile"), "--cores", "1", "-n"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "complexbench_tables" in done.stdout + done.stderr


def test_a_module_of_another_workflow(tmp_path):
    project = Project(tmp_path)
    project.configure({"evaluation": SMALL})
    (tmp_path / "Snakefile").write_text(OUTER)
    project.snakemake("paper.txt")
    assert "lifbench_table3_ars.tex" in (tmp_path / "paper.txt").read_text()
    assert (tmp_path / "evaluation/results/lifbench/scores/sim-a/2k.jsonl").exists()
    assert not (tmp_path / "results").exists()


def test_the_package_is_installed_with_its_data_and_benchmarks(tmp_path):
    target = tmp_path / "installed"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--target", str(target), str(ROOT)], check=True)
    call = (
        "from steadfast.contract.registry import benchmarks; "
        "from steadfast.base.resources import facts, ROOT; "
        "print(*benchmarks()); print(len(facts('lifbench/tasks')), ROOT)"
    )
    done = subprocess.run(
        [sys.executable, "-c", call],
        env={"PYTHONPATH": str(target), "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    names, facts = done.stdout.splitlines()
    assert set(names.split()) == {"lifbench", "followbench", "cfbench", "complexbench"}
    assert facts.startswith(f"11 {target}")
