"""The noise target on a real server whose answers differ for some prompts."""

import csv
import itertools

import pytest

from project import TINY

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("workflow")]


def test_noise_is_measured_for_models_alone_and_resumed_from_its_journal(project, server):
    turns, reply = itertools.count(), server.reply

    def fickle(prompt, path, body):
        whole = reply(prompt, path, body)
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
            "noise": {"sample": 12, "repeats": 2},
        }
    )
    project.snakemake("noise")
    folder = project.path("results/noise/lifbench")
    assert [path.name for path in folder.iterdir()] == ["api"]
    path = folder / "api" / "2k.csv"
    first = path.read_bytes()
    rows = {(r["task"], r["cache"]): r for r in csv.DictReader(first.decode().splitlines())}
    overall = rows["overall", "all"]
    assert (overall["n"], overall["repeats"]) == ("12", "4")
    assert 0 < float(overall["identical"]) < 1
    assert sum(server.answered.values()) == 12 * 2 * 2
    assert not project.path("results/lifbench/outputs/api").exists()

    path.unlink()
    project.snakemake("noise", "--force")
    project.snakemake(path.relative_to(project.folder).as_posix())
    assert path.read_bytes() == first
    assert sum(server.answered.values()) == 12 * 2 * 2
