"""Each command that README, docs and the configs show runs as it is typed."""

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

OTHERS = ("README.md", "CONTRIBUTING.md", "config/README.md", "results/README.md")
PAGES = [*map(ROOT.joinpath, OTHERS), *sorted(ROOT.glob("docs/*.md"))]
FENCE = re.compile(r"^```sh\n(.*?)^```", re.M | re.S)
INLINE = re.compile(r"`((?:make|snakemake|steadfast(?= \w+ \w)) [^`…{]+)`")
COMMENTED = re.compile(
    r"^# {3}((?:make|snakemake|steadfast|PYTHONPATH)(?: .*\\\n# {3} .*|.*))$", re.M
)

# The file and the config of a data set, as their page shows them.
OWN_DATA = {
    kind: re.search(
        rf"^```{fence}\n(.*?)^```", (ROOT / "docs/own-data.md").read_text(), re.M | re.S
    )[1]
    for kind, fence in (("jsonl", "json"), ("yaml", "yaml"))
}

# What stands in for programs that this machine may not have: it is named, and does nothing.
# Snakemake makes a dry run; make says what it would do, of which the Snakemake runs are made.
PROGRAMS = """set -e -o pipefail
for program in hf pip tmux sbatch squeue; do eval "$program() { :; }"; done
git() { ln -sfn . steadfast; }
make() { command make --dry-run "$@" | { grep snakemake || true; } | bash -e; }
"""
# A report needs results, which no dry run makes: test_snakemake_report has some. What several pages
# show alike, with the same configs, is run once.
SNAKEMAKE = """#!/bin/sh
case " $* " in *" --report "*) set -- $(echo "$*" | sed 's/--report [^ ]*//');; esac
run=$HOME/run-$( (pwd -P; echo "$*"; cat my.yaml config/config.yaml) 2>&1 | cksum | tr ' ' -)
[ -f $run ] || {python} -m snakemake --dry-run "$@" >$run.txt 2>&1 || {{ cat $run.txt; exit 1; }}
[ -f $run ] || mv $run.txt $run
cat $run
"""
# It starts the Snakemake above. Of commands that need results, or a cluster's executor, only the
# command line is read (test_inspect_logs, test_score_table, test_hub_results, test_elsewhere).
STEADFAST = """#!{python}
import os, sys
sys.path.insert(0, "{root}/scripts")
from steadfast.command import main
os.execv = lambda program, words: os.execvpe("snakemake", words[2:], os.environ)
READ = ("show", "compare", "gate", "labels", "unbundle", "doctor")
if sys.argv[1] in READ or {{*{read}}} & {{*sys.argv}}:
    main.parser().parse_args()
else:
    main.main()
"""
ONLY_READ = ("--inspect", "--scores", "--hub", "profiles/cluster")
MADE = "tables|run|trial|plan|nondeterminism|export|bundle|html_report|summary"
RUNS = re.compile(rf"^(\.venv/bin/)?snakemake (?!--unlock)|^(make|steadfast) ({MADE})\b", re.M)
# Those that install, clean or measure.
OTHER = re.compile(r"^make (test|heavy|bench|lint|docs|lock|clean|help)\b")


def shown():
    """Blocks of commands, each as one script; commands in a line of text; those in configs."""
    found = {}
    for page in PAGES:
        text = page.read_text()
        for number, block in enumerate(FENCE.findall(text)):
            found.setdefault(block, f"{page.name}-{number}")
        for command in INLINE.findall(text):
            found.setdefault(command.replace("\n", " ") + "\n", page.name)
    for page in [*sorted(ROOT.glob("config/*.yaml")), ROOT / "profiles/slurm/config.yaml"]:
        for command in COMMENTED.findall(page.read_text()):
            found.setdefault(re.sub(r"\\\n# +", "", command) + "\n", page.name)
    return [
        pytest.param(text, id=f"{place}: {text.strip().splitlines()[0][:60]}")
        for text, place in found.items()
        if not OTHER.match(text) and "..." not in text
    ]


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """What somebody has who has read so far: the project, its environment, a config, a profile."""
    project = Project.new(tmp_path_factory.mktemp("clone"), {})
    folder = project.folder
    for name in ("Makefile", "docs"):
        (folder / name).symlink_to(ROOT / name)
    programs = folder / ".venv/bin"
    programs.mkdir(parents=True)
    (programs / "snakemake").write_text(SNAKEMAKE.format(python=warm_python()))
    (programs / "steadfast").write_text(
        STEADFAST.format(python=warm_python(), root=ROOT, read=ONLY_READ)
    )
    (programs / "hf").write_text("#!/bin/sh\n")  # which would fetch weights
    for program in programs.iterdir():
        program.chmod(0o755)
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
    instance = re.search(
        r"^```json\n(.*?)^```", (ROOT / "docs/complexbench.md").read_text(), re.M | re.S
    )
    (folder / "my_instances.json").write_text(instance[1])
    for kind, block in OWN_DATA.items():
        (folder / f"my-set.{kind}").write_text(block)
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


@pytest.mark.parametrize("text", shown())
def test_a_command_runs_as_it_is_typed(text, clone):
    home = clone / "home"
    programs = clone / ".venv/bin"
    shutil.copy2(clone / "home/my.yaml", clone / "my.yaml")  # some commands write it
    (clone / "study.yaml").unlink(missing_ok=True)  # init writes none that is there
    done = subprocess.run(
        ["bash", "-c", PROGRAMS + text],
        cwd=clone,
        env={
            **{k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "SNAKEMAKE_"))},
            "HOME": str(home),
            "PATH": f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if RUNS.search(text) and not any(word in text for word in ONLY_READ):
        assert "Job stats:" in done.stdout + done.stderr


def test_the_example_runs(clone):
    command = "snakemake --configfile config/my.example.yaml"
    test_a_command_runs_as_it_is_typed(command, clone)
