"""steadfast init: a config by flags or questions, and its plan; and completion in a shell."""

import shlex
import subprocess

import pytest
import yaml

from steadfast.base import commands
from steadfast.command import start
from steadfast.command.main import COMMANDS, main
from steadfast.config.commented import commented
from steadfast.config.load import load_config
from steadfast.config.source import read_source


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


def test_flags_make_a_valid_config_whose_keys_are_explained(folder, monkeypatch):
    flags = "--model org/my-model --base-url http://here/v1 --window 9000 --price 2.5 10"
    written = init(monkeypatch, f"{flags} --max-spend 5 --lengths 4k 8k=6144")
    assert written == {
        "benchmarks": ["lifbench"],
        "lifbench": {
            "contexts": "released",
            "expressions": "released",
            "lengths": {"4k": 3072, "8k": 6144},
        },
        "models": {
            "my-model": {
                "engine": "openai",
                "model": "org/my-model",
                "base_url": "http://here/v1",
                "api_key_env": None,
                "window": 9000,
                "on_overflow": "truncate",
                "price": {"input": 2.5, "output": 10.0},
                "max_spend": 5.0,
            },
            "floor": {"engine": "floor"},
        },
    }
    load_config(written)
    lines = (folder / "my.yaml").read_text().splitlines()
    assert "    # Address of the server, with /v1; by default OpenAI's." in lines
    assert all(len(line) <= 100 for line in lines)


def test_judged_benchmarks_have_their_data_and_judge(folder, monkeypatch):
    flags = "--model m --benchmarks cfbench followbench --judge org/j --judge-url http://j/v1"
    written = init(monkeypatch, flags)
    assert written["cfbench"] == written["followbench"] == {"source": "released"}
    judge = {"engine": "openai", "model": "org/j", "base_url": "http://j/v1", "api_key_env": None}
    assert written["judges"] == {"j": judge}
    assert written["models"] == {
        "m": {"engine": "openai", "model": "m", "api_key_env": "OPENAI_API_KEY"}
    }


def test_lengths_are_those_that_the_window_holds(folder, monkeypatch):
    written = init(monkeypatch, "--model m --window 8192 --data synthetic")
    assert written["lifbench"] == {"lengths": {"4k": 3072, "8k": 6144}}


def test_on_a_terminal_questions_are_asked(folder, monkeypatch, capsys):
    answers = {
        "openai: a server": "",
        "the model:": "my model/",
        "address of the server": "http://here/v1",
        "environment variable": "",
        "tokens of prompt and answer": "many|4000",
        "benchmarks": "",
        "lengths": "3k, 2k=2048|4k,2k=2048",
        "released:": "synthetic",
        "what a million tokens": "1|1 2",
        "what the model may cost": "",
    }
    answers = {question: iter(typed.split("|")) for question, typed in answers.items()}
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)

    def typed(question):
        (given,) = [found for begin, found in answers.items() if question.startswith(begin)]
        return next(given)

    monkeypatch.setattr("builtins.input", typed)
    written = init(monkeypatch, "")
    assert written["lifbench"] == {"lengths": {"4k": 3072, "2k": 2048}}
    assert written["models"]["my-model"]["price"] == {"input": 1.0, "output": 2.0}
    assert written["models"]["my-model"]["model"] == "my model/"
    said = capsys.readouterr().out
    assert "3k: write one of 4k" in said and "write 2 of them" in said and "'many'" in said
    assert [next(left, None) for left in answers.values()] == [None] * len(answers)


def test_nothing_is_written_where_the_questions_are_left(folder, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    for left in (EOFError, KeyboardInterrupt):

        def leave(question, left=left):
            raise left

        monkeypatch.setattr("builtins.input", leave)
        with pytest.raises(SystemExit, match="nothing is written"):
            init(monkeypatch, "")
    assert not (folder / "my.yaml").exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("", "error: --model is missing"),
        ("--model m --engine vllm", "error: --window is missing"),
        ("--model m --benchmarks cfbench", "error: --judge is missing"),
        ("--model m --judge j", "error: --judge says nothing for this config"),
        ("--model m --max-spend 5", "error: --max-spend says nothing for this config"),
        ("--model m --benchmarks lifbenc", "error: config: benchmarks.0: 'lifbenc' is not one of"),
        ("--model m --key-variable sk-123", "no name of an environment variable"),
        ("--model m --base-url http://me:secret@here/v1", "holds a user or password"),
    ],
)
def test_what_makes_no_config_is_one_sentence(flags, said, folder, monkeypatch):
    with pytest.raises(SystemExit) as ended:
        init(monkeypatch, flags)
    assert said in ended.value.code and "\n" not in ended.value.code
    assert "secret" not in ended.value.code and "sk-123" not in ended.value.code
    assert not (folder / "my.yaml").exists()


def test_a_file_that_is_there_stays(folder, monkeypatch):
    (folder / "my.yaml").write_text("mine")
    with pytest.raises(SystemExit, match="it is there already"):
        init(monkeypatch, "--model m")
    assert (folder / "my.yaml").read_text() == "mine"
    with pytest.raises(SystemExit, match="name a file that can be written"):
        main(["init", "nowhere/my.yaml", "--model", "m"])


def test_a_commented_config_is_the_same_config(folder):
    raw = {
        "benchmarks": ["lifbench"],
        "lifbench": {"lengths": {"no": 2048}, "domains": {}, "recs": {"clusters": 3}},
        "models": {
            "1e5": {"engine": "openai", "model": "yes: #1", "system": "a\n# b", "extra_body": {}},
            "null": {"engine": "reference", "label": "é: x"},
        },
    }
    assert yaml.safe_load(commented(raw)) == raw


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


def test_messages_name_the_command_of_the_place(monkeypatch, tmp_path):
    words = {"config": "there/config.yaml", "directory": "there"}
    assert commands.typed("run", **words) == (
        "make tables CONFIG=there/config.yaml DIRECTORY=there"
    )
    monkeypatch.setattr(commands, "HOME", tmp_path / "steadfast_workflow")
    assert commands.typed("run", **words) == "steadfast run there/config.yaml --directory there"
    assert commands.typed("vllm").startswith(f"pip install -r {commands.HOME}/envs/vllm.txt ")
