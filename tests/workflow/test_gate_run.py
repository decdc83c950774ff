"""The gate on versions of a model over HTTP: better, worse, the same, and undecided."""

import os
import subprocess
from zlib import crc32

import pytest
import yaml

from project import ROOT, Project, command, over_http
from servers import Server, running
from steadfast.base.files import write_jsonl

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

RECORDS = 240
FEW = 40
ERRORS = {"v1": 12, "v2-better": 2, "v2-worse": 30, "v2": 12}
"""Wrong responses in a hundred by version; v2 errs in other prompts than v1."""


class VersionServer(Server):
    """Responds with the number in the prompt, or with "none"."""

    def reply(self, prompt, path, body):
        reply = super().reply(prompt, path, body)
        version = body["model"]
        offset = 3 if version == "v2" else 0
        percentile = (crc32(prompt.encode()) + offset) % 100
        text = "none" if percentile < ERRORS[version] else prompt.split()[-1]
        reply["choices"][0]["message"]["content"] = text
        return reply


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Results of each version on the same prompts, and of two versions on few of them."""
    records = [{"prompt": f"Repeat: {n}", "answer": str(n)} for n in range(RECORDS)]
    dataset = {"path": "numbers.jsonl", "scorer": "exact"}
    results = {}
    with running(kind=VersionServer) as server:
        for name in (*ERRORS, "few-v1", "few-v2"):
            project = Project.new(tmp_path_factory.mktemp(name), {})
            write_jsonl(project.path("numbers.jsonl"), records)
            models = {"m": over_http(server.url, name.removeprefix("few-"))}
            config = {"datasets": {"numbers": dataset}, "models": models}
            if name.startswith("few-"):
                config["limit"] = FEW
            project.configure(config)
            project.snakemake()
            results[name] = project.path("results")
    return results


def gate(runs, a: str, b: str, margin: str = "0.05", *options: str):
    done = command("gate", runs[a], runs[b], "--margin", margin, *options, cwd=".")
    print(done.stdout, done.stderr)
    return done.returncode, done.stdout.splitlines()


# 1 − .05^(1/240) = .0124
UNDETECTED = "; a failure in fewer than 1% of sampling units may go undetected (240 were sampled)."


@pytest.mark.parametrize(
    ("a", "b", "exit_code", "verdict"),
    [
        ("v1", "v2-better", 0, f"pass (1 pass){UNDETECTED}"),
        ("v1", "v2-worse", 3, "worse (1 worse)."),
        ("v1", "v2", 0, f"pass (1 pass){UNDETECTED}"),
        ("v1", "v1", 0, "identical (1 identical)."),
    ],
)
def test_exit_code_and_last_line_agree(runs, a, b, exit_code, verdict):
    code, lines = gate(runs, a, b)
    assert (code, lines[-1]) == (exit_code, f"Gate, margin 0.05 of full marks: {verdict}")
    assert lines[:2] == [f"A: {runs[a]}", f"B: {runs[b]}"]


def test_lower_scores_are_listed_and_counted(runs):
    _, lines = gate(runs, "v1", "v2-worse")
    (heading,) = [line for line in lines if line.startswith("Samples with a lower score in B: ")]
    start = lines.index(heading)
    count = int(heading.split()[7].rstrip(","))
    assert count > 12 and lines[start + 13] == f"  … and {count - 12} more"
    for line in lines[start + 1 : start + 13]:
        assert "ok 1 → ok 0" in line
    _, lines = gate(runs, "v1", "v2-better")
    assert "lower score" not in "\n".join(lines)


def test_strict_gate_names_the_sampling_units_it_needs(runs):
    # .98^149 = .0493
    code, lines = gate(runs, "few-v1", "few-v2", "0.02", "--strict")
    (line,) = [line for line in lines if " Score " in line]
    assert code == 4 and "strict needs 149 sampling units; 40 were sampled" in line
    code, _ = gate(runs, "v1", "v2", "0.05", "--strict")
    assert code == 0  # .95^59 = .0485


def test_undecided_gate_names_the_sampling_units_it_needs(runs):
    code, lines = gate(runs, "few-v1", "few-v2", "0.02")
    assert (code, lines[-1].split(": ")[1]) == (4, "cannot tell (1 cannot tell).")
    (line,) = [line for line in lines if " Score " in line]
    assert "× as many sampling units would decide" in line
    code, _ = gate(runs, "v1", "v2", "0.005")
    assert code == 4  # all prompts decide at a margin of .05, but not at a tenth of it


@pytest.mark.parametrize(
    ("a", "b", "margin", "outcome"),
    [
        ("v1", "v2-better", "0.05", "pass"),
        ("v1", "v2-worse", "0.05", "fail"),
        ("few-v1", "few-v2", "0.02", "neutral"),
    ],
)
def test_github_action_fails_only_if_b_is_worse(runs, tmp_path, a, b, margin, outcome):
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    (step,) = [step for step in steps if step.get("id") == "gate"]
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
