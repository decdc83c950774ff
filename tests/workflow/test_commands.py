"""Commands in README, docs and configs run as written."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from project import ROOT, Project
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.released_files import scores_file
from warm_python import warm_python

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

READMES = ("README.md", "CONTRIBUTING.md", "config/README.md", "results/README.md")
PAGES = [*map(ROOT.joinpath, READMES), *sorted(ROOT.glob("docs/*.md"))]
INLINE = re.compile(r"`((?:make|snakemake|steadfast(?= \w+ \w)) [^`…{]+)`")
COMMENTED = re.compile(
    r"^# {3}((?:make|snakemake|steadfast|PYTHONPATH)(?: .*\\\n# {3} .*|.*))$", re.M
)

# Programs that may be missing do nothing; make runs only its Snakemake commands, as dry runs.
PROGRAMS = """set -e -o pipefail
for program in hf pip tmux sbatch squeue; do eval "$program() { :; }"; done
git() { ln -sfn . steadfast; }
make() { command make --dry-run "$@" | { grep snakemake || true; } | bash -e; }
"""
# A report needs results, which a dry run does not make (test_snakemake_report). A command that
# several pages have with the same configs is run once.
SNAKEMAKE = """#!/bin/sh
case " $* " in *" --report "*) set -- $(echo "$*" | sed 's/--report [^ ]*//');; esac
run=$HOME/run-$( (pwd -P; echo "$*"; cat my.yaml config/config.yaml) 2>&1 | cksum | tr ' ' -)
[ -f $run ] || {python} -m snakemake --dry-run "$@" >$run.txt 2>&1 || {{ cat $run.txt; exit 1; }}
[ -f $run ] || mv $run.txt $run
cat $run
"""
# Starts the Snakemake above. Commands that need results or a cluster's executor only parse their
# arguments (test_inspect_logs, test_score_table, test_hub_results, test_elsewhere).
STEADFAST = """#!{python}
import os, sys
sys.path.insert(0, "{root}/scripts")
from steadfast.command import main
os.execv = lambda program, words: os.execvpe("snakemake", words[2:], os.environ)
PARSED = ("show", "compare", "gate", "labels", "unbundle", "doctor")
if sys.argv[1] in PARSED or {{*{parsed}}} & {{*sys.argv}}:
    main.parser().parse_args()
else:
    main.main()
"""
ONLY_PARSED = ("--inspect", "--scores", "--hub", "profiles/cluster")
TARGETS = "tables|run|trial|plan|nondeterminism|export|bundle|html_report|summary"
RUNS = re.compile(rf"^(\.venv/bin/)?snakemake (?!--unlock)|^(make|steadfast) ({TARGETS})\b", re.M)
# Commands that install, clean or measure.
EXCLUDED = re.compile(r"^make (test|heavy|bench|lint|docs|lock|clean|help)\b")


def fences(page, language):
    """The code blocks of a language in a page."""
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)


def documented_commands():
    """Blocks of commands, each as one script; commands within a line; commands in configs."""
    sources = {}
    for page in PAGES:
        for number, block in enumerate(fences(page, "sh")):
            sources.setdefault(block, f"{page.name}-{number}")
        for command in INLINE.findall(page.read_text()):
            sources.setdefault(command.replace("\n", " ") + "\n", page.name)
    for page in [*sorted(ROOT.glob("config/*.yaml")), ROOT / "profiles/slurm/config.yaml"]:
        for command in COMMENTED.findall(page.read_text()):
            sources.setdefault(re.sub(r"\\\n# +", "", command) + "\n", page.name)
    parameters = []
    for text, source in sources.items():
        if not EXCLUDED.match(text) and "..." not in text:
            id = f"{source}: {text.strip().splitlines()[0][:60]}"
            parameters.append(pytest.param(text, id=id))
    return parameters


def write_programs(folder):
    """Writes the programs that replace those of an environment."""
    folder.mkdir(parents=True)
    python = warm_python()
    steadfast = STEADFAST.format(python=python, root=ROOT, parsed=ONLY_PARSED)
    (folder / "snakemake").write_text(SNAKEMAKE.format(python=python))
    (folder / "steadfast").write_text(steadfast)
    (folder / "hf").write_text("#!/bin/sh\n")  # the real program downloads weights
    for program in folder.iterdir():
        program.chmod(0o755)


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A project with all that the pages assume: environment, configs, data, a profile."""
    project = Project.new(tmp_path_factory.mktemp("clone"), {})
    folder = project.folder
    for name in ("Makefile", "docs"):
        (folder / name).symlink_to(ROOT / name)
    write_programs(folder / ".venv/bin")
    for name in ("bin/python", "bin/activate", "base", "dev", "vllm", "embeddings", "verifiers"):
        (folder / ".venv" / name).touch()
    small = yaml.safe_load((folder / "config/config.yaml").read_text())
    small["lifbench"]["lengths"] = {"4k": 3072}
    gpt = {"gpt-4o-2024-08-06": {"engine": "openai", "model": "gpt-4o-2024-08-06"}}
    project.configure({**small, "models": gpt, "judges": gpt})
    (folder / "home").mkdir()
    shutil.copy2(folder / "my.yaml", folder / "home/my.yaml")
    small["models"] = {"reference": {"engine": "reference"}}
    (folder / "config/config.yaml").write_text(yaml.safe_dump(small))
    (folder / "my_instances.json").write_text(fences("docs/complexbench.md", "json")[0])
    (folder / "my-set.jsonl").write_text(fences("docs/own-data.md", "json")[0])
    (folder / "my-set.yaml").write_text(fences("docs/own-data.md", "yaml")[0])
    (folder / "my-study").mkdir()
    (folder / "my-study/my.yaml").symlink_to(folder / "my.yaml")
    (folder / "STEADFAST").symlink_to(folder)
    for name in ("results", "made"):
        (folder / "there" / name / "tables").mkdir(parents=True)
    (folder / "there/config.yaml").symlink_to(folder / "my.yaml")
    scores = folder / "DIRECTORY/scores"
    scores.mkdir(parents=True)
    for task in TASKS.values():
        (scores / scores_file(task)).touch()
    site = folder / "home/.config/snakemake/MY_SITE"
    site.mkdir(parents=True)
    for name, example in (("config", "site"), ("partitions", "partitions")):
        shutil.copy(ROOT / f"profiles/slurm/{example}.example.yaml", site / f"{name}.yaml")
    return folder


EXAMPLE = pytest.param("snakemake --configfile config/my.example.yaml", id="example config")


@pytest.mark.parametrize("text", [*documented_commands(), EXAMPLE])
def test_documented_command_runs(text, clone, monkeypatch):
    shutil.copy2(clone / "home/my.yaml", clone / "my.yaml")  # some commands write it
    (clone / "study.yaml").unlink(missing_ok=True)  # init does not overwrite it
    for name in list(os.environ):
        if name.startswith(("XDG_", "SNAKEMAKE_")):
            monkeypatch.delenv(name)
    programs = f"{clone / '.venv/bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", programs)
    monkeypatch.setenv("HOME", str(clone / "home"))
    command = ["bash", "-c", PROGRAMS + text]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    if RUNS.search(text) and not any(option in text for option in ONLY_PARSED):
        assert "Job stats:" in done.stdout + done.stderr
