"""The command line: what each subcommand takes, and what it makes of that."""

import shlex
import sys

import pytest

from steadfast import __version__
from steadfast.base.resources import HOME
from steadfast.command import show, start
from steadfast.command.main import COMMANDS, main, parser

SNAKEFILE = ["--snakefile", str(HOME / "Snakefile")]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.yaml").write_text("seed: 1\n")
    return tmp_path


def started(monkeypatch, words: str) -> list[str]:
    """The words that Snakemake is started with."""
    calls = []
    monkeypatch.setattr(start.os, "execv", lambda program, argv: calls.append((program, argv)))
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(words))
    assert ended.value.code in (None, 0)
    ((program, argv),) = calls
    assert [program, *argv[:3]] == [
        sys.executable,
        sys.executable,
        "-m",
        "steadfast.workflow.launch",
    ]
    return argv[3:]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_subcommand_helps_with_an_example_that_it_takes(name, folder, capsys):
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    example = f"steadfast {name} {COMMANDS[name].example}"
    shown = capsys.readouterr().out
    assert example in shown
    assert ("\nexit codes: 0 " in shown) == (name in ("compare", "gate", "doctor"))
    assert parser().parse_args(shlex.split(example)[1:]).command == name


@pytest.mark.parametrize(
    ("words", "snakemake"),
    [
        ("run", SNAKEFILE),
        ("run my.yaml --cores 4", ["--configfile", "my.yaml", "--cores", "4", *SNAKEFILE]),
        ("run my.yaml -- -n lifbench", ["--configfile", "my.yaml", *SNAKEFILE, "-n", "lifbench"]),
        ("trial my.yaml", ["--configfile", "my.yaml", "--config", "limit=2", *SNAKEFILE]),
        ("trial --set seed=3 --limit 5", ["--config", "seed=3", "limit=5", *SNAKEFILE]),
        ("plan --directory there", ["--directory", "there", *SNAKEFILE, "--", "plan"]),
        ("nondeterminism -- --quiet all", [*SNAKEFILE, "--quiet", "all", "--", "nondeterminism"]),
    ],
)
def test_snakemake_is_started_on_the_workflow(words, snakemake, folder, monkeypatch):
    assert started(monkeypatch, words) == snakemake


def test_a_profile_is_the_workflow_s_own_or_a_site_s(folder, monkeypatch):
    words = "run --profile profiles/slurm --profile my-site"
    ours = str(HOME / "profiles/slurm")
    both = ["--workflow-profile", ours, "--profile", "my-site", *SNAKEFILE]
    assert started(monkeypatch, words) == both
    (folder / "profiles/slurm").mkdir(parents=True)
    assert started(monkeypatch, words)[:2] == ["--workflow-profile", "profiles/slurm"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "COMMAND"),
        ("gait results other", "unknown command 'gait'; did you mean 'gate'?"),
        ("gate results other --margn 1", "gate: unknown '--margn'; did you mean '--margin'?"),
        ("run other.yaml", "other.yaml: no such file; name one that is there"),
        ("trial -- --config seed=3", "--set"),
        ("compare results", "required: B"),
    ],
)
def test_a_wrong_command_line_ends_with_2_and_a_sentence(words, said, folder, capsys):
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(words))
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert said in shown and shown.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
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
    ],
)
def test_what_snakemake_would_stop_at_with_a_traceback_is_refused(words, said, folder):
    (folder / "bad.yaml").write_text("models: {a: [\n")
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(words))
    assert ended.value.code.startswith(f"error: {said}") and "\n" not in ended.value.code


def test_the_version_is_said_and_show_names_how_samples_are_called(capsys, folder):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"steadfast {__version__}\n")
    with pytest.raises(SystemExit, match=r"^error: name a sample, such as"):
        main(["show", ""])


def test_show_looks_for_the_sample_in_the_config_s_results_and_of_the_model(
    folder, monkeypatch, capsys
):
    config = "name: mine\npathvars: {results: made}\nmodels: {m: {engine: reference}}\n"
    (folder / "my.yaml").write_text(config)
    asked = []

    def view(run, results, sample, model):
        asked.append((run.config.name, str(results), sample, model))
        return ["one", "two"]

    monkeypatch.setattr(show, "view_sample", view)
    monkeypatch.setattr(show, "sample_text", str.upper)
    for words in (["a/b", "my.yaml", "--model", "m"], ["a/b", "my.yaml"]):
        with pytest.raises(SystemExit) as ended:
            main(["show", *words])
        assert ended.value.code is None
    assert asked == [("mine", "made", "a/b", "m"), ("mine", "made", "a/b", None)]
    assert capsys.readouterr().out == "ONE\nTWO" * 2


@pytest.mark.parametrize(
    ("margin", "said"),
    [
        ("0", "--margin 0: must be between 0 and 1"),
        ("1", "--margin 1: must be between 0 and 1"),
        ("0.5", "nowhere: no such folder"),
    ],
)
def test_a_gate_s_margin_is_a_share(margin, said, folder):
    with pytest.raises(SystemExit, match=f"^error: {said}"):
        main(["gate", "nowhere", "nowhere", "--margin", margin])
