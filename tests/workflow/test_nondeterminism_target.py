"""The nondeterminism target on a real server whose answers differ for some prompts."""

import itertools
import threading
import zipfile

import pytest

from project import TINY, over_http

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

REQUESTS = 12
"""Requests of a pass."""
CSV = "nondeterminism/lifbench/api/2k.csv"


def test_nondeterminism_is_measured_shown_and_rebuilt_from_its_journal(project, server):
    numbers = itertools.count()
    plain_reply = server.reply
    together = threading.Barrier(REQUESTS)

    def varying_reply(prompt, path, body):
        response = plain_reply(prompt, path, body)
        if (server.answered.total() - 1) // REQUESTS % 2:  # every second pass is concurrent
            together.wait(60)
        if len(prompt) % 2:
            response["choices"][0]["message"]["content"] = f"answer {next(numbers)}"
        return response

    server.reply = varying_reply
    project.configure(
        {
            **TINY,
            "lifbench": {"lengths": {"2k": 2048}},
            "models": {**TINY["models"], "api": over_http(server.url)},
            "nondeterminism": {"requests": REQUESTS, "repeats": 2},
        }
    )
    project.snakemake("nondeterminism")
    path = project.path(f"results/{CSV}")
    assert [folder.name for folder in path.parents[1].iterdir()] == ["api"]
    first = path.read_bytes()
    rows = [row for row in project.rows(CSV) if row["task"] == "overall"]
    alone, concurrent = rows
    for row, way in zip(rows, ("alone", "together"), strict=True):
        assert (row["way"], row["n"], row["repeats"]) == (way, "12", "2")
    assert 0 < float(alone["identical"]) < 1
    assert 0 < float(concurrent["differ"]) < 1
    assert server.answered.total() == 4 * REQUESTS
    assert not project.path("results/lifbench/outputs/api").exists()

    server.reply = plain_reply
    project.snakemake("bundle")
    deviation = max(float(row["answer_sd"]) for row in rows)
    summary = project.rows("lifbench/metrics/summary.csv")
    (ars,) = (row for row in summary if (row["model"], row["measure"]) == ("api", "ARS"))
    expected = f"{deviation / int(ars['n']) ** 0.5:.4f}"
    deviations = {row["Model"]: row["Run-to-run SD"] for row in project.rows("tables/summary.csv")}
    assert deviations == {"Reference": "", "sim-a": "", "api": expected}
    with zipfile.ZipFile(project.path("results/bundle.zip")) as bundle:
        assert bundle.read(f"results/{CSV}") == first

    requests = server.answered.total()
    path.unlink()
    project.snakemake("nondeterminism", "--force")
    project.snakemake(f"results/{CSV}")
    assert path.read_bytes() == first
    assert server.answered.total() == requests
