"""Bad input: one clear sentence, exit code not 0, nothing lost."""

import copy
import json
import subprocess

import pytest

from project import SNAKEMAKE, TINY, Project
from servers import error
from warm_python import warm_python

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("workflow")]


def sentence(project, *arguments, **environment):
    """The one line of Snakemake's output that is ours."""
    text = project.snakemake(*arguments, ok=False, **environment)
    assert "Traceback (most recent call last)" not in text, text
    lines = [
        line.strip()
        for line in text.splitlines()
        if line.startswith("error: ") or "config: " in line or "models: " in line
    ]
    assert lines, text
    return lines[0]


def config(**changes):
    return {**copy.deepcopy(TINY), **changes}


def model(**settings):
    return config(models={"m": settings})


@pytest.fixture
def fresh(tmp_path):
    """A project in which nothing has run."""
    return Project.new(tmp_path, TINY)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"lifbenhc": {}}, "unknown key 'lifbenhc'; did you mean 'lifbench'?"),
        ({"models": {"openai": 3}}, "models.openai: Input should be a mapping of keys, not 3"),
        (
            {"models": {"openai": {"engine": "openai", "model": "m", "max_concurency": 4}}},
            "unknown key 'models.openai.max_concurency'; did you mean 'max_concurrency'?",
        ),
        ({"lifbench": {"lengths": {"a.b": 2048}}}, "lifbench.lengths: length name 'a.b': use"),
        (
            {"models": {"m": {"engine": "reference", "hours": float("inf")}}},
            "models.m.hours: inf is no finite number; write one",
        ),
        ({"seed": {1: 2}}, "seed: the key 1 is no text; put it in quotes"),
    ],
)
def test_a_mistake_in_the_config(fresh, change, expected):
    fresh.configure(config(**change))
    assert sentence(fresh).startswith(f"config: {expected}")


def test_a_key_that_stands_twice_in_a_config_file(fresh):
    text = fresh.path("my.yaml").read_text()
    first = text.splitlines().index("models:") + 1
    fresh.path("my.yaml").write_text(f"{text}models:\n  reference: {{engine: reference}}\n")
    last = len(text.splitlines()) + 1
    assert sentence(fresh).endswith(
        f"my.yaml:{last}: key 'models' stands on line {first} already; keep one of the two"
    )


def test_a_key_that_stands_twice_in_a_json_config(fresh):
    fresh.path("my.json").write_text('{\n\t"models": {},\n\t"models": {}\n}')
    message = sentence(fresh, "--configfile", "my.json", "--cores", "1")
    assert "my.json:3: key 'models' stands on line 2 already" in message


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        ("seed: 2\nseed: 1 ", "key 'seed' stands on line {} already; keep one of the two"),
        (
            "seed: [1\nx: 1 ",
            "no valid YAML (expected ',' or ']', but got ':'); mend that line, quoting texts that "
            "hold colons, braces or quotation marks",
        ),
    ],
)
def test_a_mistake_in_the_default_config(fresh, seed, expected):
    lines = fresh.path("config/config.yaml").read_text().splitlines()
    first = next(place for place, line in enumerate(lines, 1) if line.startswith("seed: 1 "))
    fresh.edit("config/config.yaml", "seed: 1 ", seed)
    command = [warm_python(), *SNAKEMAKE[1:3], "--cores", "1", "--dry-run"]
    done = subprocess.run(command, cwd=fresh.folder, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback (most recent call last)" not in done.stdout + done.stderr
    assert f"config: config/config.yaml:{first + 1}: {expected.format(first)}\n" in done.stdout


def test_a_config_file_changes_keys_of_another(fresh):
    fresh.path("more.yaml").write_text("lifbench: {tasks: [OQ]}\n")
    files = ["--configfile", "my.yaml", "more.yaml", "--cores", "1"]
    assert "prompts" in fresh.snakemake("--dry-run", "results/tables", *files)


def test_an_unknown_model_in_a_target(project):
    target = "results/lifbench/outputs/sim-b/2k.jsonl"
    assert "unknown model 'sim-b'; did you mean 'sim-a'?" in sentence(project, target)


def test_a_missing_corpus_directory(project):
    project.configure(config(corpora={"source": "local", "directory": "nowhere"}))
    assert "nowhere" in sentence(project)


def local(project, lines):
    folder = project.path("mine")
    folder.mkdir()
    (folder / "essays.jsonl").write_text(lines)
    fields = {"text": "body"}
    project.configure(
        config(
            corpora={
                "source": "local",
                "directory": "mine",
                "local": {"paul_graham": {"glob": "*.jsonl", "fields": fields}},
            },
            lifbench={"lengths": {"2k": 2048}, "tasks": ["OR"]},
        )
    )


def test_a_missing_field_of_a_corpus(project):
    local(project, '{"body": "A text."}\n{"text": "A text."}\n')
    message = sentence(project)
    assert "mine/essays.jsonl:2" in message
    assert "'body'" in message


def test_a_corrupt_line_of_a_corpus(project):
    local(project, '{"body": "A text."}\n{"body": \n')
    assert "mine/essays.jsonl:2: corrupt JSON line" in sentence(project)


def test_a_corpus_too_small_for_a_length(project):
    local(project, json.dumps({"body": "One sentence stands here. Another follows it."}) + "\n")
    message = sentence(project)
    assert "paul_graham" in message
    assert "2,048" in message


def test_a_missing_key(project):
    project.configure(model(engine="openai", model="gpt", api_key_env="NO_SUCH_KEY"))
    assert "NO_SUCH_KEY" in sentence(project)


def test_an_unreachable_server_is_tried_again_and_a_rejected_model_is_not(project, server):
    """Both stand at the end, on the terminal and in Snakemake's log."""
    server.faults[""].extend([error(404)] * 20)
    asked = {"engine": "openai", "model": "gpt", "api_key_env": None}
    away, gone = {"base_url": "http://127.0.0.1:9/v1"}, {"base_url": server.url}
    one = {"lifbench": {"lengths": {"2k": 2048}}}
    project.configure({**one, "models": {"away": {**asked, **away}, "gone": {**asked, **gone}}})
    shown = project.snakemake("--retries", "1", "--keep-going", "results/tables", ok=False)
    assert shown.count("failed: lifbench/inference/away/2k; it is tried again") == 1
    assert shown.count("failed: lifbench/inference/away/2k") == 2
    assert shown.count("failed: lifbench/inference/gone/2k") == 1
    log = max(project.path(".snakemake/log").glob("*.log"))
    for text in (shown, log.read_text()):
        end = text.split("2 jobs failed:\n")[1]
        assert "  away: server 127.0.0.1:9 is unreachable" in end and "(2 tries)" in end
        assert "  gone: server 127.0.0.1:" in end and "does not know model 'gpt'" in end


def test_a_window_smaller_than_a_prompt(project):
    project.configure(model(engine="reference", window=1024))
    message = sentence(project)
    assert "1,024" in message
    assert "window" in message


def test_a_corrupt_journal_line(project, server):
    project.configure(
        {
            "lifbench": {"lengths": {"2k": 2048}, "tasks": ["LSI"]},
            "models": {
                "echo": {
                    "engine": "openai",
                    "model": "echo-1",
                    "base_url": server.url,
                    "api_key_env": None,
                }
            },
        }
    )
    project.snakemake()
    journal = project.path("results/journal/lifbench/echo/2k.jsonl")
    lines = journal.read_text().splitlines()
    lines[3] = lines[3][:40]
    journal.write_text("\n".join(lines) + "\n")
    project.path("results/lifbench/outputs/echo/2k.jsonl").unlink()
    assert "echo/2k.jsonl:4" in sentence(project, "results/lifbench/outputs/echo/2k.jsonl")
