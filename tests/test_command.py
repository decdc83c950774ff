"""The command line: the arguments of each subcommand, and what it starts."""

import shlex
import sys
from types import SimpleNamespace

import pytest

from steadfast import __version__
from steadfast.base.resources import HOME
from steadfast.command import compare, show, start
from steadfast.command.main import COMMANDS, main, parser

SNAKEFILE = ["--snakefile", str(HOME / "Snakefile")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.yaml").write_text("seed: 1\n")
    return tmp_path


def exit_code(words: str) -> str | int | None:
    with pytest.raises(SystemExit) as end:
        main(shlex.split(words))
    return end.value.code


def snakemake_arguments(monkeypatch, words: str) -> list[str]:
    calls = []
    monkeypatch.setattr(start.os, "execv", lambda program, argv: calls.append((program, argv)))
    assert not exit_code(words)
    ((program, argv),) = calls
    python = sys.executable
    assert (program, argv[:3]) == (python, [python, "-m", "steadfast.workflow.launch"])
    return argv[3:]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_each_subcommand_has_a_valid_example(name, folder, capsys):
    assert exit_code(f"{name} --help") == 0
    example = f"steadfast {name} {COMMANDS[name].example}"
    text = capsys.readouterr().out
    assert example in text
    assert ("\nexit codes: 0 " in text) == (name in ("compare", "gate", "doctor"))
    assert parser().parse_args(shlex.split(example)[1:]).command == name


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("run", SNAKEFILE),
        ("run my.yaml --cores 4", ["--configfile", "my.yaml", "--cores", "4", *SNAKEFILE]),
        ("run my.yaml -- -n lifbench", ["--configfile", "my.yaml", *SNAKEFILE, "-n", "lifbench"]),
        ("trial my.yaml", ["--configfile", "my.yaml", "--config", "limit=2", *SNAKEFILE]),
        ("trial --set seed=3 --limit 5", ["--config", "seed=3", "limit=5", *SNAKEFILE]),
        ("plan --directory a/b", ["--directory", "a/b", *SNAKEFILE, "--", "plan"]),
        ("run --directory .", ["--directory", ".", *SNAKEFILE]),
        ("nondeterminism -- --quiet all", [*SNAKEFILE, "--quiet", "all", "--", "nondeterminism"]),
    ],
)
def test_subcommand_starts_snakemake(words, arguments, folder, monkeypatch):
    assert snakemake_arguments(monkeypatch, words) == arguments


def test_profile_is_of_the_workflow_or_the_site(folder, monkeypatch):
    words = "run --profile profiles/slurm --profile my-site"
    packaged = str(HOME / "profiles/slurm")
    arguments = ["--workflow-profile", packaged, "--profile", "my-site", *SNAKEFILE]
    assert snakemake_arguments(monkeypatch, words) == arguments
    (folder / "profiles/slurm").mkdir(parents=True)
    arguments[1] = "profiles/slurm"
    assert snakemake_arguments(monkeypatch, words) == arguments


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "COMMAND"),
        ("gait results other", "unknown command 'gait'; did you mean 'gate'?"),
        ("gate results other --margn 1", "gate: unknown '--margn'; did you mean '--margin'?"),
        ("run other.yaml", "other.yaml: no such file; name one that is there"),
        ("trial -- --config seed=3", "--set"),
        ("compare results", "required: B"),
    ],
)
def test_invalid_command_line_exits_with_2_and_one_line(words, message, folder, capsys):
    assert exit_code(words) == 2
    text = capsys.readouterr().err
    assert message in text and text.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("run bad.yaml", "config: bad.yaml:2: invalid YAML"),
        ("plan my.yaml --set seed", "--set 'seed': no value; write --set KEY=VALUE"),
        (
            "plan my.yaml --set lifbench.seed=3",
            "--set 'lifbench.seed=3': 'lifbench.seed' is no key; write --set 'lifbench={seed: 3}'",
        ),
        (
            "run --directory my.yaml",
            "--directory my.yaml: cannot be created (File exists); name another",
        ),
        ("run --profile profiles/nowhere", "--profile profiles/nowhere: no such folder; available"),
        ("gate nowhere nowhere --margin 0", "--margin 0: must be between 0 and 1"),
        ("gate nowhere nowhere --margin 1", "--margin 1: must be between 0 and 1"),
        ("gate nowhere nowhere --margin 0.5", "nowhere: no such folder"),
    ],
)
def test_invalid_values_are_refused_in_one_line(words, message, folder):
    (folder / "bad.yaml").write_text("models: {a: [\n")
    code = exit_code(words)
    assert code.startswith(f"error: {message}") and "\n" not in code


@pytest.mark.parametrize(
    ("words", "differs", "code"), [("--fail", True, 3), ("--fail", False, 0), ("", True, 0)]
)
def test_compare_fails_on_a_difference_where_it_shall(words, differs, code, monkeypatch):
    monkeypatch.setattr(compare.FinishedRun, "of", lambda results, config: results)
    comparison = SimpleNamespace(differs=differs)
    monkeypatch.setattr(compare, "compare_results", lambda a, b: comparison)
    monkeypatch.setattr(compare, "comparison_text", lambda *about: "")
    assert exit_code(f"compare one other {words}") == code


def test_version_is_printed(capsys):
    assert exit_code("--version") == 0
    assert capsys.readouterr().out == f"steadfast {__version__}\n"


def test_show_without_a_sample_lists_examples(folder):
    assert exit_code("show ''").startswith("error: name a sample, such as")


def test_show_finds_the_sample_in_the_results_of_the_config(folder, monkeypatch, capsys):
    config = "name: mine\npathvars: {results: made}\nmodels: {m: {engine: reference}}\n"
    (folder / "my.yaml").write_text(config)
    views = []

    def view(run, results, sample, model):
        views.append((run.config.name, str(results), sample, model))
        return ["one", "two"]

    monkeypatch.setattr(show, "view_sample", view)
    monkeypatch.setattr(show, "sample_text", str.upper)
    assert exit_code("show a/b my.yaml --model m") is None
    assert exit_code("show a/b my.yaml") is None
    assert views == [("mine", "made", "a/b", "m"), ("mine", "made", "a/b", None)]
    assert capsys.readouterr().out == "ONE\nTWO" * 2
