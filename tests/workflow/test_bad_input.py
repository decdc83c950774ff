"""Bad input: one clear sentence, exit code not 0, nothing lost."""

import subprocess

import pytest

from project import SNAKEMAKE, TINY, Project, command, over_http
from servers import error
from warm_python import warm_python

pytestmark = pytest.mark.workflow


@pytest.fixture
def fresh(tmp_path):
    """A project in which nothing has run."""
    return Project.new(tmp_path, TINY)


def test_a_mistake_in_the_config(fresh):
    fresh.configure({**TINY, "lifbenhc": {}})
    said = fresh.snakemake(ok=False)
    assert "Error: config: unknown key 'lifbenhc'; did you mean 'lifbench'?\n" in said
    assert "Snakefile" not in said  # whose line is none of the user's business


def test_a_key_that_stands_twice_in_the_default_config(fresh):
    lines = fresh.path("config/config.yaml").read_text().splitlines()
    first = next(place for place, line in enumerate(lines, 1) if line.startswith("seed: 1 "))
    fresh.edit("config/config.yaml", "seed: 1 ", "seed: 2\nseed: 1 ")
    command = [warm_python(), *SNAKEMAKE[1:3], "--cores", "1", "--dry-run"]
    done = subprocess.run(command, cwd=fresh.folder, capture_output=True, text=True)
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "Traceback (most recent call last)" not in said
    expected = f"config.yaml:{first + 1}: duplicate key 'seed', already on line {first}"
    assert expected in said


def test_a_config_file_changes_keys_of_another(fresh):
    fresh.path("more.yaml").write_text("lifbench: {tasks: [OQ]}\n")
    files = ["--configfile", "my.yaml", "more.yaml", "--cores", "1"]
    assert "prompts" in fresh.snakemake("--dry-run", "results/tables", *files)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("lifbench/outputs/sim-b/2k.jsonl", "models: unknown model 'sim-b'; did you mean 'sim-a'?"),
        (
            "lifbench/outputs/sim-a/7k.jsonl",
            "lifbench has no part '7k' in this config; did you mean '3k'?",
        ),
        ("tabels", "results/tabels: no rule makes this; did you mean 'results/tables'?"),
    ],
)
def test_a_mistake_in_a_target_is_one_sentence(fresh, target, said):
    profile, *lines = fresh.snakemake(f"results/{target}", ok=False).splitlines()
    assert lines == [f"Error: {said}"]
    assert profile.startswith("Using workflow specific profile")  # before anything of ours is read


@pytest.mark.wide
def test_a_mistake_in_the_words_of_the_command_is_one_sentence(fresh):
    for words, said in (
        (("--set", "seed"), "error: --set 'seed': no value; write --set KEY=VALUE"),
        (("--", "tabels"), "Error: tabels: no rule makes this; did you mean 'tables'?"),
        (("--set", "tokenizer=o200"), "Error: tokenizer: tiktoken has no encoding 'o200'; choose "),
    ):
        done = command("run", "my.yaml", *words, folder=fresh.folder)
        assert done.returncode == 1
        (line,) = (done.stdout + done.stderr).splitlines()
        assert line.startswith(said)


@pytest.mark.wide
def test_an_unreachable_server_is_tried_again_and_a_rejected_model_is_not(project, server):
    """Both stand at the end, on the terminal and in Snakemake's log."""
    server.faults[""].extend([error(404)] * 20)
    urls = {"away": "http://127.0.0.1:9/v1", "gone": server.url}
    models = {name: over_http(url, "gpt") for name, url in urls.items()}
    project.configure({"lifbench": {"lengths": {"2k": 2048}}, "models": models})
    shown = project.snakemake("--retries", "1", "--keep-going", "results/tables", ok=False)
    assert shown.count("failed: lifbench/inference/away/2k; retried") == 1
    assert shown.count("failed: lifbench/inference/away/2k") == 2
    assert shown.count("failed: lifbench/inference/gone/2k") == 1
    log = max(project.path(".snakemake/log").glob("*.log"))
    for text in (shown, log.read_text()):
        end = text.split("2 jobs failed:\n")[1]
        assert "  away: server 127.0.0.1:9 is unreachable" in end and "(2 tries)" in end
        assert "  gone: server 127.0.0.1:" in end and "model 'gpt' not found" in end


@pytest.mark.wide
def test_a_window_smaller_than_a_prompt(project):
    project.configure({**TINY, "models": {"m": {"engine": "reference", "window": 1024}}})
    said = project.snakemake(ok=False)
    assert "exceed its context window of 1,024 tokens" in said
    assert "Traceback (most recent call last)" not in said
