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


@pytest.fixture
def init(folder, monkeypatch):
    """Runs the command, and returns the config that Snakemake is started to plan."""

    def init(flags: str) -> dict:
        calls = []
        monkeypatch.setattr(start.os, "execv", lambda program, words: calls.append(words))
        with pytest.raises(SystemExit) as end:
            main(["init", "my.yaml", *shlex.split(flags)])
        if not calls:
            raise end.value
        assert calls[0][3:5] == ["--configfile", "my.yaml"] and calls[0][-2:] == ["--", "plan"]
        return read_source("my.yaml")

    return init


def test_options_are_filled_into_the_commented_template(folder, init):
    config = init("--model 'org/a: \\1' --base-url http://here/v1 --window 9000")
    assert config == {
        "benchmarks": ["lifbench"],
        "lifbench": {
            "contexts": "released",
            "expressions": "released",
            "lengths": {"4k": 3072, "8k": 6144},
        },
        "models": {
            "a-1": {
                "engine": "openai", "model": "org/a: \\1", "base_url": "http://here/v1",
                "api_key_env": None, "window": 9000, "on_overflow": "truncate",
            },
            "baseline": {"engine": "baseline"},
        },
    }  # fmt: skip
    load_config(config)
    text = (folder / "my.yaml").read_text()
    assert text.startswith(f"# yaml-language-server: $schema={SCHEMA.as_uri()}\n")
    assert "    window: 9000        # tokens of prompt and response together\n" in text
    assert "    # max_spend: 50\n" in text


def test_defaults_are_those_of_the_template_and_openai(init):
    model = init("--model m")["models"]["m"]
    assert (model["api_key_env"], model["window"]) == ("OPENAI_API_KEY", 131072)
    assert "base_url" not in model


def test_local_checkpoint_with_synthetic_data(init):
    config = init("--model org/m --engine vllm --window 1000 --data synthetic")
    assert config["models"]["m"] == {
        "engine": "vllm", "model": "org/m", "window": 1000, "on_overflow": "truncate",
    }  # fmt: skip
    synthetic = {"contexts": "nested", "expressions": "own", "lengths": {"4k": 3072}}
    assert config["lifbench"] == synthetic


def test_length_of_the_whole_window_leaves_no_room_for_an_answer(init):
    config = init("--model m --window 6144")
    assert config["lifbench"]["lengths"] == {"4k": 3072}


@pytest.mark.parametrize(
    ("engine", "key"), [("anthropic", "ANTHROPIC_API_KEY"), ("gemini", "GEMINI_API_KEY")]
)
def test_model_of_a_provider_has_the_provider_s_key(engine, key, init):
    model = init(f"--model m --engine {engine} --window 9000")["models"]["m"]
    assert (model["engine"], model["api_key_env"], "base_url" in model) == (engine, key, False)


def test_recorded_responses_are_replayed(init):
    config = init("--model 'there/my model.jsonl' --engine replay --window 9000")
    assert config["models"]["my-model"] == {
        "engine": "replay", "file": "there/my model.jsonl", "window": 9000,
        "on_overflow": "truncate",
    }  # fmt: skip
    load_config(config)


def test_all_engines_except_simulated_ones_are_offered():
    engines = COMMANDS["init"].arguments["--engine"]["choices"]
    assert set(engines) == set(ENGINES) - SIMULATED_ENGINES


def test_installation_command_fits_a_checkout_or_a_package(monkeypatch, tmp_path):
    assert commands.installation("vllm") == "make vllm"
    monkeypatch.setattr(commands, "HOME", tmp_path / "steadfast_workflow")
    command = commands.installation("vllm")
    assert command.startswith(f"pip install -r {commands.HOME}/envs/vllm.txt ")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--key-variable sk-123", "not a valid name of an environment variable"),
        ("--base-url http://me:secret@here/v1", "contains a user name or password"),
    ],
)
def test_secret_in_an_option_is_refused_and_not_shown(flags, message, folder, init):
    with pytest.raises(SystemExit) as end:
        init(f"--model m {flags}")
    assert message in end.value.code and "\n" not in end.value.code
    assert "secret" not in end.value.code and "sk-123" not in end.value.code
    assert not (folder / "my.yaml").exists()


def test_existing_file_is_not_overwritten(folder, init):
    (folder / "my.yaml").write_text("mine")
    with pytest.raises(SystemExit, match=r"my\.yaml: cannot be created .*; name a new file"):
        init("--model m")
    assert (folder / "my.yaml").read_text() == "mine"


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_script_has_every_command(shell, capsys):
    with pytest.raises(SystemExit) as end:
        main(["completion", shell])
    assert end.value.code in (None, 0)
    script = capsys.readouterr().out
    assert all(name in script for name in COMMANDS)
    if shell == "bash":
        complete = 'COMP_WORDS=(steadfast pl); COMP_CWORD=1; _shtab_steadfast; echo "$COMPREPLY"'
        program = ["bash", "-c", f"{script}\n{complete}"]
        process = subprocess.run(program, capture_output=True, text=True, check=True)
        assert process.stdout.strip() == "plan"
