"""The nondeterminism target on a real server whose answers differ for some prompts."""

import csv
import itertools
import threading
import zipfile

import pytest

from project import TINY

pytestmark = [pytest.mark.wide, pytest.mark.workflow, pytest.mark.xdist_group("workflow")]

ALONE = 12
"""Requests of a pass."""


def test_noise_is_measured_for_models_alone_and_resumed_from_its_journal(project, server):
    turns = itertools.count()
    reply = server.reply
    together = threading.Barrier(12)

    def fickle(prompt, path, body):
        whole = reply(prompt, path, body)
        if (sum(server.answered.values()) - 1) // ALONE % 2:  # every second pass is together
            together.wait(60)
        if len(prompt) % 2:
            whole["choices"][0]["message"]["content"] = f"answer {next(turns)}"
        return whole

    server.reply = fickle
    api = {"engine": "openai", "model": "m", "base_url": server.url, "api_key_env": None}
    project.configure(
        {
            **TINY,
            "lifbench": {"lengths": {"2k": 2048}},
            "models": {**TINY["models"], "api": api},
            "nondeterminism": {"requests": 12, "repeats": 2},
        }
    )
    project.snakemake("nondeterminism")
    folder = project.path("results/nondeterminism/lifbench")
    assert [path.name for path in folder.iterdir()] == ["api"]
    path = folder / "api" / "2k.csv"
    first = path.read_bytes()
    rows = [r for r in csv.DictReader(first.decode().splitlines()) if r["task"] == "overall"]
    alone, company = rows
    assert [(row["way"], row["n"], row["repeats"]) for row in rows] == [
        ("alone", "12", "2"),
        ("together", "12", "2"),
    ]
    assert 0 < float(alone["identical"]) < 1
    assert 0 < float(company["differ"]) < 1
    assert sum(server.answered.values()) == 4 * ALONE
    assert not project.path("results/lifbench/outputs/api").exists()

    server.reply = reply
    project.snakemake("bundle")
    deviation = max(
        float(row["answer_sd"])
        for row in csv.DictReader(first.decode().splitlines())
        if row["task"] == "overall"
    )
    summary = project.path("results/lifbench/metrics/summary.csv").read_text().splitlines()
    (n,) = (r["n"] for r in csv.DictReader(summary) if (r["model"], r["measure"]) == ("api", "ARS"))
    report = csv.DictReader(project.path("results/tables/summary.csv").read_text().splitlines())
    nondeterminism = {row["Model"]: row["Run-to-run SD"] for row in report}
    assert nondeterminism == {
        "Reference": "",
        "sim-a": "",
        "api": f"{deviation / int(n) ** 0.5:.4f}",
    }
    with zipfile.ZipFile(project.path("results/bundle.zip")) as bundle:
        assert bundle.read("results/nondeterminism/lifbench/api/2k.csv") == first

    asked = sum(server.answered.values())
    path.unlink()
    project.snakemake("nondeterminism", "--force")
    project.snakemake(path.relative_to(project.folder).as_posix())
    assert path.read_bytes() == first
    assert sum(server.answered.values()) == asked
