"""Features of the config together: drawn configs, and what has to hold of each run.

``FEATURES_DRAWN=FIRST:COUNT`` in the environment says which seeds are drawn from.
"""

import csv
import os
import random
import shutil
import signal
import subprocess
from collections import Counter
from contextlib import chdir, suppress
from pathlib import Path

import pytest

from features import RELEASED, draw, pairs_covered
from gold_server import GoldServer
from page_project import pieces
from project import ROOT, SNAKEMAKE, Project
from servers import running
from steadfast.base.files import read_jsonl, write_text
from test_bundle import files, tables_again, unbundle
from test_compare import compare
from test_kill import wait_for

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.workflow,
    pytest.mark.xdist_group("workflow"),
    pytest.mark.timeout(1800),
]

FIRST, COUNT = (int(text) for text in os.environ.get("FEATURES_DRAWN", "0:3").split(":"))
SEEDS = range(FIRST, FIRST + COUNT)
TARGETS = ["results/tables", "page", "bundle"]
HTTP = ("gold", "judge", "writer")


class Run:
    """A project of a drawn config, planned and then run to its end, and the server that it asks.

    Attributes:
        planned: requests that the plan has for each model over HTTP.
        asked: requests that the server answered each.
    """

    def __init__(self, folder: Path, seed: int, server: GoldServer):
        self.drawn, self.server, self.seed = draw(seed), server, seed
        if self.drawn.needs_released and not RELEASED.is_dir():
            pytest.skip("the released files are absent (LIFEVAL_CASES)")
        server.faulty = "faults of the server" in self.drawn.features
        self.settings = self.drawn.config(server.url)
        print(f"seed {seed}: {self.drawn.features} of {self.drawn.benchmarks}")
        self.project = self.new(folder)
        self.project.snakemake("plan")
        assert not server.bodies
        self.planned = planned(self.project)
        self.project.snakemake(*TARGETS)
        self.asked = Counter(server.sent)

    def new(self, folder: Path) -> Project:
        """The project before anything is run; the server goes by its files."""
        folder.mkdir()
        project = Project.new(folder, self.settings)
        shutil.copytree(ROOT / "docs/examples/tasks", project.path("tasks"))
        if self.drawn.needs_released:
            shutil.copytree(RELEASED, project.path("released"))
        for path, text in self.drawn.files.items():
            write_text(project.path(path), text)
        self.server.serve(folder, self.settings)
        return project


@pytest.fixture(params=SEEDS, scope="module")
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"drawn-{request.param}")
    with running(kind=GoldServer) as server:
        yield Run(folder / "first", request.param, server)


def planned(project: Project) -> dict[str, int]:
    """Requests that the plan has for each model over HTTP."""
    found: Counter[str] = Counter()
    with open(project.path("results/plan/total.csv"), newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["model"] in HTTP:
                found[row["model"]] += int(row["to_ask"])
    return dict(found)


def results(project: Project, *patterns: str) -> dict[str, bytes]:
    """The files of results that match, by path."""
    folder = project.path("results")
    paths = (path for pattern in patterns for path in folder.glob(pattern))
    found = [path for path in paths if path.is_file() and not path.name.startswith(".")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def shown(project: Project) -> dict[str, bytes]:
    """All that a run prints, and what it stands on; no wall times."""
    found = results(project, "tables/*", "report.html", "*/metrics/*.csv", "*/scores/*/*.jsonl")
    outputs = results(project, "*/outputs/*/*.jsonl", "*/verdicts/*/*/*.jsonl")
    assert found and outputs
    return found | outputs


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def test_gold_has_full_marks(run):
    for name in run.drawn.benchmarks:
        for path in run.project.path(f"results/{name}/scores/gold").glob("*.jsonl"):
            found = Counter((one["status"], one["total"]) for one in read_jsonl(path))
            assert found.pop(("ok", 1), 0) + found.pop(("ok", 1.0), 0), (path, found)
            assert {status for status, _ in found} <= {"overflow"}, (path, found)


def test_requests_are_as_planned(run):
    planned = dict(run.planned)
    if "writer" in planned:  # LIFBench's prompts wait for what it writes
        assert run.asked["writer"] == planned.pop("writer")
        planned.pop("gold", None)
    # Equal answers are judged once, and a file that is replayed may lack answers.
    if {"draws", "replayed answers"} & set(run.drawn.features):
        assert run.asked["judge"] <= planned.pop("judge", 0)
    assert planned.items() <= run.asked.items()


def test_a_second_run_asks_nothing_and_changes_no_byte(run):
    before, sent = results(run.project, "**/*"), len(run.server.bodies)
    assert "Nothing to be done" in run.project.snakemake(*TARGETS)
    assert differing(results(run.project, "**/*"), before) == []
    assert len(run.server.bodies) == sent


def test_the_journal_alone_gives_the_same(run, tmp_path):
    sent, again = len(run.server.bodies), run.new(tmp_path / "again")
    shutil.copytree(run.project.path("results/journal"), again.path("results/journal"))
    again.snakemake("results/tables", "page")
    assert len(run.server.bodies) == sent
    assert differing(shown(again), shown(run.project)) == []


def test_a_bundle_gives_the_same_tables_elsewhere(run, tmp_path):
    sent, there = len(run.server.bodies), tmp_path / "there"
    (tmp_path / "clone").mkdir()
    clone = Project.new(tmp_path / "clone", {})
    code = ["--code"] if "own_tasks" in run.settings.get("lifbench", {}) else []
    done = unbundle(clone, run.project.path("results/bundle.zip"), there, *code)
    assert done.returncode == 0, done.stderr
    assert "otherwise" not in done.stdout
    tables_again(clone, there)
    assert len(run.server.bodies) == sent
    assert (
        differing(files(there / "results/tables"), files(run.project.path("results/tables"))) == []
    )


def test_it_does_not_differ_from_itself(run):
    folder = run.project.path("results")
    with chdir(run.project.folder):  # where the files are that the config names
        done = compare(folder, folder, "--fail")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_is_complete(run):
    held = pieces(run.project.path("results/report.html").read_text("utf-8"))
    tables = {table["name"] for group in held["tables"] for table in group["tables"]}
    for name in run.drawn.benchmarks:
        assert {p.stem for p in run.project.path(f"results/{name}/tables").glob("*.csv")} <= tables
        for part in held[f"index/{name}"]:
            for path in run.project.path(f"results/{name}/outputs").glob(f"*/{part['name']}.jsonl"):
                drawn = sum(1 for _ in read_jsonl(path))
                answers = part["answers"][path.parent.name]
                assert sum(map(len, answers)) == drawn, path


def test_a_killed_run_ends_with_the_same_bytes(run, tmp_path):
    again = run.new(tmp_path / "again")
    first, share = len(run.server.bodies), random.Random(run.seed).uniform(0.1, 0.9)
    run.server.delay = 0.005
    job = subprocess.Popen(
        [*SNAKEMAKE, "results/tables", "page"],
        cwd=again.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    enough = first + share * run.asked.total()
    wait_for(lambda: len(run.server.bodies) >= enough or job.poll() is not None)
    with suppress(ProcessLookupError):  # little was left to do
        os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    run.server.delay = 0.0
    again.snakemake("results/tables", "page")
    assert differing(shown(again), shown(run.project)) == []


def test_the_pairs_of_features_that_were_drawn(capsys):
    with capsys.disabled():
        print("\n" + pairs_covered(map(draw, SEEDS)))
