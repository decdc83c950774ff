"""The gate on versions of a model over HTTP: better, worse, the same, and too small a run."""

import json
import os
import subprocess
from zlib import crc32

import pytest
import yaml

from project import ROOT, Project, command, over_http
from servers import Server, running

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

RECORDS = 240
FEW = 40
WRONG = {"v1": 12, "v2-better": 2, "v2-worse": 30, "v2": 12}
"""Prompts in a hundred that each version answers wrongly; v2 errs in other ones than v1."""


class Versions(Server):
    """Repeats the number that a prompt names, or says that it does not know it."""

    def reply(self, prompt, path, body):
        made = super().reply(prompt, path, body)
        version = body["model"]
        place = crc32(prompt.encode()) % 100
        of = (place + (3 if version == "v2" else 0)) % 100
        text = "none" if of < WRONG[version] else prompt.split()[-1]
        made["choices"][0]["message"]["content"] = text
        return made


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run of each version on the same prompts, and two of few of them."""
    with running(kind=Versions) as server:
        base = Project.new(tmp_path_factory.mktemp("v1"), {})
        lines = ({"prompt": f"Repeat: {n}", "answer": str(n)} for n in range(RECORDS))
        base.path("numbers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

        def ran(project: Project, version: str, **more):
            numbers = {"path": "numbers.jsonl", "scorer": "exact"}
            models = {"m": over_http(server.url, version)}
            project.configure({"datasets": {"numbers": numbers}, "models": models, **more})
            project.snakemake()
            return project.path("results")

        found = {"v1": ran(base, "v1")}
        for version in list(WRONG)[1:]:
            found[version] = ran(base.fork(tmp_path_factory.mktemp(version)), version)
        for version in ("v1", "v2"):
            few = base.fork(tmp_path_factory.mktemp(f"few-{version}"))
            found[f"few-{version}"] = ran(few, version, limit=FEW)
        return found


def gate(runs, a: str, b: str, margin: str = "0.05", *options: str):
    done = command("gate", runs[a], runs[b], "--margin", margin, *options, cwd=".")
    print(done.stdout, done.stderr)
    return done.returncode, done.stdout.splitlines()


# 1 − .05^(1/240) = .0124
UNSEEN = "; a failure in fewer than 1% of sampling units may go undetected (240 were sampled)."
CASES = {
    ("v1", "v2-better"): (0, f"pass (1 pass){UNSEEN}"),
    ("v1", "v2-worse"): (3, "worse (1 worse)."),
    ("v1", "v2"): (0, f"pass (1 pass){UNSEEN}"),
    ("v1", "v1"): (0, "identical (1 identical)."),
}


def test_the_exit_code_and_the_last_line_say_the_same(runs):
    for (a, b), (end, said) in CASES.items():
        code, lines = gate(runs, a, b)
        assert (code, lines[-1]) == (end, f"Gate, margin 0.05 of full marks: {said}"), (a, b)
        assert lines[:2] == [f"A: {runs[a]}", f"B: {runs[b]}"]


def test_samples_that_fell_stand_before_the_verdict_and_more_are_counted(runs):
    _, lines = gate(runs, "v1", "v2-worse")
    start = next(
        i for i, line in enumerate(lines) if line.startswith("Samples with a lower score in B: ")
    )
    fell = int(lines[start].split()[7].rstrip(","))
    assert fell > 12 and lines[start + 13] == f"  … and {fell - 12} more"
    assert all("ok 1 → ok 0" in line for line in lines[start + 1 : start + 13])
    assert not [line for line in gate(runs, "v1", "v2-better")[1] if "lower score" in line]


def test_a_strict_gate_says_how_many_contexts_it_needs(runs):
    # .98^149 = .0493
    code, lines = gate(runs, "few-v1", "few-v2", "0.02", "--strict")
    (line,) = [line for line in lines if " Score " in line]
    assert code == 4 and "strict needs 149 sampling units; 40 were sampled" in line
    assert gate(runs, "v1", "v2", "0.05", "--strict")[0] == 0  # .95^59 = .0485


def test_too_small_a_run_says_how_many_more_would_tell(runs):
    code, lines = gate(runs, "few-v1", "few-v2", "0.02")
    assert (code, lines[-1].split(": ")[1]) == (4, "cannot tell (1 cannot tell).")
    (line,) = [line for line in lines if " Score " in line]
    assert "× as many sampling units would decide" in line
    # The whole runs tell at .05, and nothing at a margin that is a tenth of it.
    assert gate(runs, "v1", "v2", "0.005")[0] == 4


@pytest.mark.parametrize(
    ("a", "b", "margin", "outcome"),
    [
        ("v1", "v2-better", "0.05", "pass"),
        ("v1", "v2-worse", "0.05", "fail"),
        ("few-v1", "few-v2", "0.02", "neutral"),
    ],
)
def test_the_action_is_red_where_b_is_worse_and_nowhere_else(runs, tmp_path, a, b, margin, outcome):
    (step,) = [
        step
        for step in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
        if step.get("id") == "gate"
    ]
    files = {"GITHUB_OUTPUT": tmp_path / "output", "GITHUB_STEP_SUMMARY": tmp_path / "summary"}
    variables = {"A": runs[a], "B": runs[b], "MARGIN": margin, **files}
    path = f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"
    environment = os.environ | {name: str(value) for name, value in variables.items()}
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    done = subprocess.run(shell, env=environment | {"PATH": path}, text=True, capture_output=True)
    assert done.returncode == (outcome == "fail"), done.stdout + done.stderr
    assert files["GITHUB_OUTPUT"].read_text() == f"outcome={outcome}\n"
    summary = files["GITHUB_STEP_SUMMARY"].read_text()
    assert summary.startswith(f"## steadfast gate: {outcome}\n") and " Score " in summary
    assert step["env"].keys() == {"A", "B", "MARGIN"}
