"""A run as one file: another machine makes the same tables of it, and asks nobody."""

import json
import os
import re
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from judge_server import judging
from judged_project import config, http, new_project
from project import ROOT, Project, command
from steadfast.base.files import read_jsonl
from warm_python import warm_python

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

KEY = "STUB_JUDGE_KEY"
SECRET = "sk-a-long-secret-0123"
DATA = {
    "cfbench": {},
    "complexbench": {"languages": ["zh"], "decomposition": True},
}
CHECKPOINT = "/srv/models/judge-7"
SERVER = """
import sys
sys.path[:0] = {paths!r}
from judge_server import JudgeServer
from servers import handler_of, Http

class Handler(handler_of(JudgeServer())):
    def do_GET(self):
        self.send(b"{{}}")

Http(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture(scope="module")
def bundled(tmp_path_factory) -> Project:
    """A judged run and its bundle; its server is gone. Not to be changed (fork it).

    One judge is known by its path at the server, as a checkpoint is; one is served by its jobs.
    """
    script = tmp_path_factory.mktemp("server") / "server.py"
    script.write_text(SERVER.format(paths=[str(ROOT / "scripts"), str(ROOT / "tests/engines")]))
    with judging() as server:
        judges = {
            "j": http(server.url, api_key_env=KEY),
            "by-path": http(server.url, api_key_env=KEY, model=CHECKPOINT),
            "served": {
                "engine": "openai",
                "model": "judge-1",
                "serve": [sys.executable, str(script), "{port}"],
                "serve_operation_args": ["--gpus=7"],
                "api_key_env": None,
            },
        }
        project = new_project(tmp_path_factory.mktemp("bundled"), config(judges, DATA, ["slips"]))
        project.snakemake("bundle", **{KEY: SECRET})
        assert server.judged
    return project


@pytest.fixture
def clone(tmp_path) -> Project:
    """The workflow on another machine: nothing was run there."""
    folder = tmp_path / "clone"
    folder.mkdir()
    return Project.new(folder, {})


def members(project: Project) -> dict[str, bytes]:
    with zipfile.ZipFile(project.path("results/bundle.zip")) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def unbundle(
    clone: Project, bundle: Path, into: Path, *options: str
) -> subprocess.CompletedProcess:
    return command("unbundle", *options, bundle, into, folder=clone.folder)


def tables_again(clone: Project, there: Path) -> str:
    """Makes the tables of an unpacked bundle; no key is in the environment."""
    command = [warm_python(), "-m", "snakemake", "--cores", "2", "--directory", str(there)]
    command += ["--configfile", str(there / "config.yaml"), "--", "results/tables"]
    done = subprocess.run(
        command,
        cwd=clone.folder,
        env={name: value for name, value in os.environ.items() if name != KEY},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("[!.]*")}


def kinds_run(said: str) -> set[str]:
    """What kinds of jobs ran, by their stages' lines, such as ``scores: 4 jobs done``."""
    done = re.findall(r"^(\w+): \d+ jobs? done", said, re.M)
    assert done, said
    return set(done)


def test_a_gate_takes_a_bundle_for_a_run(bundled):
    runs = (bundled.path("results/bundle.zip"), bundled.path("results"), "--margin", "0.5")
    done = command("gate", *runs, cwd=".")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("Gate, margin 0.5 of full marks: identical")


def test_another_machine_makes_the_same_tables_and_asks_nobody(bundled, clone, tmp_path):
    there = tmp_path / "there"
    done = unbundle(clone, bundled.path("results/bundle.zip"), there)
    assert done.returncode == 0, done.stderr
    assert "differ from what the code here makes" not in done.stdout
    kinds = kinds_run(tables_again(clone, there))
    assert {"scores", "metrics", "tables"} <= kinds
    assert not kinds & {"inference", "verdicts", "judge_prompts", "prompts", "data"}
    made = files(there / "results/tables")
    assert made == files(bundled.path("results/tables")) == files(there / "made/tables")
    assert "summary.csv" in made


def test_what_other_code_makes_otherwise_is_made_again_from_the_journal(bundled, clone, tmp_path):
    there = tmp_path / "there"
    replies = "scripts/steadfast/engines/api/replies.py"
    clone.write(replies, clone.path(replies).read_text() + "\nANOTHER_VERSION = True\n")
    done = unbundle(clone, bundled.path("results/bundle.zip"), there)
    assert re.search(r"^\d+ files differ from what the code here makes", done.stdout, re.M), (
        done.stderr
    )
    assert not list(there.glob("results/*/verdicts/j/slips/*.jsonl"))
    journal = there / "results/journal/verdicts/j/cfbench.slips.zh.jsonl"
    before = journal.read_bytes()
    changed = yaml.safe_load((there / "config.yaml").read_text())
    for judge in ("by-path", "served"):  # requests of other settings: they would be asked
        del changed["judges"][judge]
    (there / "config.yaml").write_text(yaml.safe_dump(changed))
    assert "verdicts" in kinds_run(tables_again(clone, there))
    assert journal.read_bytes() == before
    again = there / "results/cfbench/scores/slips/zh.jsonl"
    known = bundled.path("results/cfbench/scores/slips/zh.jsonl")
    first, second = ({r["sample_id"]: r["total"] for r in read_jsonl(p)} for p in (again, known))
    assert first == second


def test_no_key_address_host_or_absolute_path_is_in_it(bundled):
    found = members(bundled)
    whole = b"\n".join([*(name.encode() for name in found), *found.values()])
    for text in (SECRET, KEY, "--gpus=7", "127.0.0.1", str(bundled.folder), str(ROOT), CHECKPOINT):
        assert text.encode() not in whole, text
    if len(socket.gethostname()) > 6:  # a shorter one may stand in any text
        assert socket.gethostname().encode() not in whole
    settings = yaml.safe_load(found["config.yaml"])["judges"]["by-path"]
    assert (settings["model"], settings["api_key_env"]) == ("judge-7", None)
    assert "serve" not in yaml.safe_load(found["config.yaml"])["judges"]["served"]
    provenance = json.loads(found["results/cfbench/verdicts/by-path/slips/zh.provenance.json"])
    assert provenance["answers"]["model"] == "judge-7"
    assert "answers/slips/cfbench.zh.jsonl" in found  # a file that the config names
    journals = {name for name in found if name.startswith("results/journal/verdicts")}
    assert {name.split("/")[3] for name in journals} == {"j"}


def test_equal_results_give_equal_bytes(bundled, tmp_path):
    other = bundled.fork(tmp_path)
    other.path("results/bundle.zip").unlink()
    journal = other.path("results/journal/verdicts/j/cfbench.slips.zh.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(reversed(lines)))  # replies come in any order
    other.snakemake("bundle")
    first, second = (p.path("results/bundle.zip").read_bytes() for p in (bundled, other))
    assert first == second


def test_a_key_in_an_answer_stops_the_bundle(bundled, tmp_path):
    other = bundled.fork(tmp_path)
    (answer, *_) = read_jsonl(other.path("results/cfbench/outputs/slips/zh.jsonl"))
    key = answer["response"].splitlines()[0]
    said = other.snakemake("--forcerun", "bundle", "--", "bundle", ok=False, **{KEY: key})
    assert f"contains the API key in {KEY}" in said
    assert not list(other.path("results").glob(".bundle*"))
