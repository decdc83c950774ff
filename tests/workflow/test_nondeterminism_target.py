"""The nondeterminism target on a real server whose answers differ for some prompts."""

import itertools
import threading
import zipfile

import pytest

from project import TINY, over_http

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

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
    project.configure(
        {
            **TINY,
            "lifbench": {"lengths": {"2k": 2048}},
            "models": {**TINY["models"], "api": over_http(server.url)},
            "nondeterminism": {"requests": 12, "repeats": 2},
        }
    )
    project.snakemake("nondeterminism")
    folder = project.path("results/nondeterminism/lifbench")
    assert [path.name for path in folder.iterdir()] == ["api"]
    path = folder / "api" / "2k.csv"
    first = path.read_bytes()
    rows = project.rows("nondeterminism/lifbench/api/2k.csv")
    rows = [row for row in rows if row["task"] == "overall"]
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
    deviation = max(float(row["answer_sd"]) for row in rows)
    summary = project.rows("lifbench/metrics/summary.csv")
    (n,) = (int(r["n"]) for r in summary if (r["model"], r["measure"]) == ("api", "ARS"))
    shown = {row["Model"]: row["Run-to-run SD"] for row in project.rows("tables/summary.csv")}
    assert shown == {"Reference": "", "sim-a": "", "api": f"{deviation / n**0.5:.4f}"}
    with zipfile.ZipFile(project.path("results/bundle.zip")) as bundle:
        assert bundle.read("results/nondeterminism/lifbench/api/2k.csv") == first

    asked = sum(server.answered.values())
    path.unlink()
    project.snakemake("nondeterminism", "--force")
    project.snakemake(path.relative_to(project.folder).as_posix())
    assert path.read_bytes() == first
    assert sum(server.answered.values()) == asked
