"""Bad input: one clear sentence, exit code not 0, nothing lost."""

import copy
import json

import pytest

from project import TINY

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


def test_an_unknown_key(project):
    project.configure(config(lifbenhc={}))
    assert "unknown key 'lifbenhc'; did you mean 'lifbench'?" in sentence(project)


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


def test_an_unreachable_server(project):
    project.configure(
        model(
            engine="openai",
            model="gpt",
            api_key_env=None,
            base_url="http://127.0.0.1:9/v1",
            attempts=1,
        )
    )
    assert "127.0.0.1:9" in sentence(project)


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
