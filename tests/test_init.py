"""steadfast init: a config by options, and its plan; and completion in a shell."""

import shlex
import subprocess

import pytest

from steadfast.base import commands
from steadfast.command import start
from steadfast.command.main import COMMANDS, main
from steadfast.config.json_schema import PATH as SCHEMA
from steadfast.config.load import load_config
from steadfast.config.source import read_source
from steadfast.contract.engine_names import ENGINES, SIMULATED_ENGINES


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def init(monkeypatch, flags: str) -> dict:
    """What is written to my.yaml, which Snakemake is started to plan."""
    calls = []
    monkeypatch.setattr(start.os, "execv", lambda program, words: calls.append(words))
    with pytest.raises(SystemExit) as ended:
        main(["init", "my.yaml", *shlex.split(flags)])
    if not calls:
        raise ended.value
    assert calls[0][3:5] == ["--configfile", "my.yaml"] and calls[0][-2:] == ["--", "plan"]
    return read_source("my.yaml")


def test_options_are_filled_into_the_commented_template(folder, monkeypatch):
    written = init(monkeypatch, "--model 'org/a: \\1' --base-url http://here/v1 --window 9000")
    assert written == {
        "benchmarks": ["lifbench"],
        "lifbench": {
            "contexts": "released",
            "expressions": "released",
            "lengths": {"4k": 3072, "8k": 6144},
        },
        "models": {
            "a-1": {
                "engine": "openai",
                "model": "org/a: \\1",
                "base_url": "http://here/v1",
                "api_key_env": None,
                "window": 9000,
                "on_overflow": "truncate",
            },
            "baseline": {"engine": "baseline"},
        },
    }
    load_config(written)
    text = (folder / "my.yaml").read_text()
    assert text.startswith(f"# yaml-language-server: $schema={SCHEMA.as_uri()}\n")
    assert "    window: 9000        # tokens of prompt and answer together\n" in text
    assert "    # max_spend: 50\n" in text


def test_what_is_not_given_is_as_in_the_template_or_of_openai(folder, monkeypatch):
    model = init(monkeypatch, "--model m")["models"]["m"]
    assert (model["api_key_env"], model["window"]) == ("OPENAI_API_KEY", 131072)
    assert "base_url" not in model


def test_a_checkpoint_has_no_server_and_own_data_none_of_the_paper(folder, monkeypatch):
    written = init(monkeypatch, "--model org/m --engine vllm --window 1000 --data synthetic")
    assert written["models"]["m"] == {
        "engine": "vllm", "model": "org/m", "window": 1000, "on_overflow": "truncate",
    }  # fmt: skip
    own = {"contexts": "nested", "expressions": "own", "lengths": {"4k": 3072}}
    assert written["lifbench"] == own


@pytest.mark.parametrize(
    ("engine", "key"), [("anthropic", "ANTHROPIC_API_KEY"), ("gemini", "GEMINI_API_KEY")]
)
def test_a_provider_s_model_has_the_provider_s_key(engine, key, folder, monkeypatch):
    model = init(monkeypatch, f"--model m --engine {engine} --window 9000")["models"]["m"]
    assert (model["engine"], model["api_key_env"], "base_url" in model) == (engine, key, False)


def test_responses_that_are_there_are_replayed(folder, monkeypatch):
    written = init(monkeypatch, "--model 'there/my model.jsonl' --engine replay --window 9000")
    assert written["models"]["my-model"] == {
        "engine": "replay", "file": "there/my model.jsonl", "window": 9000,
        "on_overflow": "truncate",
    }  # fmt: skip
    load_config(written)


def test_every_engine_is_offered_and_messages_name_the_command_of_the_place(monkeypatch, tmp_path):
    engines = COMMANDS["init"].arguments["--engine"]["choices"]
    assert set(engines) == set(ENGINES) - SIMULATED_ENGINES
    assert commands.installation("vllm") == "make vllm"
    monkeypatch.setattr(commands, "HOME", tmp_path / "steadfast_workflow")
    command = commands.installation("vllm")
    assert command.startswith(f"pip install -r {commands.HOME}/envs/vllm.txt ")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--key-variable sk-123", "not a valid name of an environment variable"),
        ("--base-url http://me:secret@here/v1", "contains a user name or password"),
    ],
)
def test_what_makes_no_config_is_one_sentence(flags, said, folder, monkeypatch):
    with pytest.raises(SystemExit) as ended:
        init(monkeypatch, f"--model m {flags}")
    assert said in ended.value.code and "\n" not in ended.value.code
    assert "secret" not in ended.value.code and "sk-123" not in ended.value.code
    assert not (folder / "my.yaml").exists()


def test_a_file_that_is_there_stays(folder, monkeypatch):
    (folder / "my.yaml").write_text("mine")
    with pytest.raises(SystemExit, match="my.yaml: cannot be created .*; name a new file"):  # noqa: RUF043
        init(monkeypatch, "--model m")
    assert (folder / "my.yaml").read_text() == "mine"


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_is_a_script_that_knows_every_command(shell, capsys):
    main_ended = pytest.raises(SystemExit)
    with main_ended as ended:
        main(["completion", shell])
    assert ended.value.code in (None, 0)
    script = capsys.readouterr().out
    assert all(name in script for name in COMMANDS)
    if shell == "bash":
        complete = 'COMP_WORDS=(steadfast pl); COMP_CWORD=1; _shtab_steadfast; echo "$COMPREPLY"'
        done = subprocess.run(
            ["bash", "-c", f"{script}\n{complete}"], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "plan"
