"""Bad input: one clear message, and an exit code other than 0."""

import subprocess

import pytest

from project import SNAKEMAKE, TINY, Project, command, over_http
from servers import error
from warm_python import warm_python

pytestmark = pytest.mark.workflow


@pytest.fixture
def fresh(tmp_path):
    """A project before its first run."""
    return Project.new(tmp_path, TINY)


def test_unknown_key_of_the_config_is_reported(fresh):
    fresh.configure({**TINY, "lifbenhc": {}})
    output = fresh.snakemake(ok=False)
    assert "Error: config: unknown key 'lifbenhc'; did you mean 'lifbench'?\n" in output
    assert "Snakefile" not in output  # users need no line of it


def test_duplicate_key_of_the_default_config_is_reported(fresh):
    default = fresh.path("config/config.yaml").read_text()
    line = default[: default.index("\nseed: 1 ")].count("\n") + 2
    fresh.edit("config/config.yaml", "seed: 1 ", "seed: 2\nseed: 1 ")
    command = [warm_python(), *SNAKEMAKE[1:3], "--cores", "1", "--dry-run"]
    done = subprocess.run(command, cwd=fresh.folder, capture_output=True, text=True)
    assert done.returncode == 1
    output = done.stdout + done.stderr
    assert "Traceback (most recent call last)" not in output
    assert f"config.yaml:{line + 1}: duplicate key 'seed', already on line {line}" in output


def test_config_file_changes_keys_of_another(fresh):
    fresh.path("more.yaml").write_text("lifbench: {tasks: [OQ]}\n")
    files = ["--configfile", "my.yaml", "more.yaml", "--cores", "1"]
    assert "prompts" in fresh.snakemake("--dry-run", "results/tables", *files)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("lifbench/outputs/sim-b/2k.jsonl", "models: unknown model 'sim-b'; did you mean 'sim-a'?"),
        (
            "lifbench/outputs/sim-a/7k.jsonl",
            "lifbench has no part '7k' in this config; did you mean '3k'?",
        ),
        ("tabels", "results/tabels: no rule makes this; did you mean 'results/tables'?"),
    ],
)
def test_unknown_target_is_reported(fresh, target, message):
    profile, *lines = fresh.snakemake(f"results/{target}", ok=False).splitlines()
    assert lines == [f"Error: {message}"]
    assert profile.startswith("Using workflow specific profile")  # Snakemake's own first line


@pytest.mark.wide
def test_bad_argument_of_the_command_is_reported(fresh):
    for arguments, message in (
        (("--set", "seed"), "error: --set 'seed': no value; write --set KEY=VALUE"),
        (("--", "tabels"), "Error: tabels: no rule makes this; did you mean 'tables'?"),
        (("--set", "tokenizer=o200"), "Error: tokenizer: tiktoken has no encoding 'o200'; choose "),
    ):
        done = command("run", "my.yaml", *arguments, folder=fresh.folder)
        assert done.returncode == 1
        (line,) = (done.stdout + done.stderr).splitlines()
        assert line.startswith(message)


@pytest.mark.wide
def test_unreachable_server_is_retried_and_unknown_model_is_not(project, server):
    """Both errors are at the end of the terminal output and of Snakemake's log."""
    server.faults[""].extend([error(404)] * 20)
    models = {
        "away": over_http("http://127.0.0.1:9/v1", "gpt"),
        "gone": over_http(server.url, "gpt"),
    }
    project.configure({"lifbench": {"lengths": {"2k": 2048}}, "models": models})
    output = project.snakemake("--retries", "1", "--keep-going", "results/tables", ok=False)
    assert output.count("failed: lifbench/inference/away/2k; retried") == 1
    assert output.count("failed: lifbench/inference/away/2k") == 2
    assert output.count("failed: lifbench/inference/gone/2k") == 1
    log = max(project.path(".snakemake/log").glob("*.log"))
    for text in (output, log.read_text()):
        end = text.split("2 jobs failed:\n")[1]
        assert "  away: server 127.0.0.1:9 is unreachable" in end and "(2 tries)" in end
        assert "  gone: server 127.0.0.1:" in end and "model 'gpt' not found" in end


@pytest.mark.wide
def test_prompt_longer_than_the_window_is_reported(project):
    project.configure({**TINY, "models": {"m": {"engine": "reference", "window": 1024}}})
    output = project.snakemake(ok=False)
    assert "exceed its context window of 1,024 tokens" in output
    assert "Traceback (most recent call last)" not in output
