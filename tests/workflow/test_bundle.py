"""A run as one file, from which another machine makes the same tables without any request."""

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
DATA = {"cfbench": {}, "complexbench": {"languages": ["zh"], "decomposition": True}}
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
    """A judged run and its bundle; its server has stopped. Not to be changed (fork it).

    One judge is named by the path of a checkpoint; one is served by its jobs.
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
    """The workflow on another machine, before any run."""
    folder = tmp_path / "clone"
    folder.mkdir()
    return Project.new(folder, {})


def unbundle(clone: Project, bundled: Project, folder: Path) -> subprocess.CompletedProcess:
    bundle = bundled.path("results/bundle.zip")
    return command("unbundle", bundle, folder, folder=clone.folder)


def stages_of_tables(clone: Project, folder: Path) -> set[str]:
    """Makes the tables of an unpacked bundle without a key; the stages that had jobs."""
    command = [warm_python(), "-m", "snakemake", "--cores", "2", "--directory", str(folder)]
    command += ["--configfile", str(folder / "config.yaml"), "--", "results/tables"]
    done = subprocess.run(
        command,
        cwd=clone.folder,
        env={name: value for name, value in os.environ.items() if name != KEY},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    stages = re.findall(r"^(\w+): \d+ jobs? done", done.stdout, re.M)
    assert stages, done.stdout
    return set(stages)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("[!.]*")}


def test_gate_accepts_a_bundle(bundled):
    runs = (bundled.path("results/bundle.zip"), bundled.path("results"), "--margin", "0.5")
    done = command("gate", *runs, cwd=".")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("Gate, margin 0.5 of full marks: identical")


def test_other_machine_makes_the_same_tables_without_requests(bundled, clone, tmp_path):
    folder = tmp_path / "unbundled"
    done = unbundle(clone, bundled, folder)
    assert done.returncode == 0, done.stderr
    assert "differ from what the code here makes" not in done.stdout
    stages = stages_of_tables(clone, folder)
    assert {"scores", "metrics", "tables"} <= stages
    assert not stages & {"inference", "verdicts", "judge_prompts", "prompts", "data"}
    tables = files(folder / "results/tables")
    assert tables == files(bundled.path("results/tables")) == files(folder / "made/tables")
    assert "summary.csv" in tables


def test_other_code_reads_the_journal_again(bundled, clone, tmp_path):
    folder = tmp_path / "unbundled"
    replies = "scripts/steadfast/engines/api/replies.py"
    clone.write(replies, clone.path(replies).read_text() + "\nANOTHER_VERSION = True\n")
    done = unbundle(clone, bundled, folder)
    message = r"^\d+ files differ from what the code here makes"
    assert re.search(message, done.stdout, re.M), done.stderr
    assert not list(folder.glob("results/*/verdicts/j/slips/*.jsonl"))
    journal = folder / "results/journal/verdicts/j/cfbench.slips.zh.jsonl"
    before = journal.read_bytes()
    changed = yaml.safe_load((folder / "config.yaml").read_text())
    for judge in ("by-path", "served"):  # their settings changed, so they would be requested
        del changed["judges"][judge]
    (folder / "config.yaml").write_text(yaml.safe_dump(changed))
    assert "verdicts" in stages_of_tables(clone, folder)
    assert journal.read_bytes() == before
    totals = []
    for results in (folder / "results", bundled.path("results")):
        scores = read_jsonl(results / "cfbench/scores/slips/zh.jsonl")
        totals.append({score["sample_id"]: score["total"] for score in scores})
    assert totals[0] == totals[1]


def test_bundle_has_no_key_address_host_or_absolute_path(bundled):
    with zipfile.ZipFile(bundled.path("results/bundle.zip")) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    everything = "\n".join(contents).encode() + b"\n".join(contents.values())
    for text in (SECRET, KEY, "--gpus=7", "127.0.0.1", str(bundled.folder), str(ROOT), CHECKPOINT):
        assert text.encode() not in everything, text
    if len(socket.gethostname()) > 6:  # a shorter name may be part of any text
        assert socket.gethostname().encode() not in everything
    judges = yaml.safe_load(contents["config.yaml"])["judges"]
    assert judges["by-path"]["model"] == "judge-7"
    assert judges["by-path"]["api_key_env"] is None
    assert "serve" not in judges["served"]
    provenance = json.loads(contents["results/cfbench/verdicts/by-path/slips/zh.provenance.json"])
    assert provenance["answers"]["model"] == "judge-7"
    assert "answers/slips/cfbench.zh.jsonl" in contents  # a file that the config names
    journals = [name for name in contents if name.startswith("results/journal/verdicts")]
    assert {name.split("/")[3] for name in journals} == {"j"}


def test_bundle_is_reproducible(bundled, tmp_path):
    other = bundled.fork(tmp_path)
    other.path("results/bundle.zip").unlink()
    journal = other.path("results/journal/verdicts/j/cfbench.slips.zh.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(reversed(lines)))  # replies come in any order
    other.snakemake("bundle")
    bundles = [project.path("results/bundle.zip") for project in (bundled, other)]
    assert bundles[0].read_bytes() == bundles[1].read_bytes()


def test_key_in_a_response_stops_the_bundle(bundled, tmp_path):
    other = bundled.fork(tmp_path)
    response = other.records("cfbench/outputs/slips/zh.jsonl")[0]["response"]
    key = response.splitlines()[0]
    output = other.snakemake("--forcerun", "bundle", "--", "bundle", ok=False, **{KEY: key})
    assert f"contains the API key in {KEY}" in output
    assert not list(other.path("results").glob(".bundle*"))
