"""Features of the config together: drawn configs, and what has to hold of each run.

``FEATURES_DRAWN=FIRST:COUNT`` in the environment says which seeds are drawn from.
"""

import csv
import os
import random
import re
import select
import shutil
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from features import RELEASED, configs, pairs_covered
from gold_server import GoldServer
from html_report_project import pieces
from project import ROOT, Project, wait_for
from servers import running
from steadfast.base.files import read_jsonl, write_text
from test_bundle import files
from warm import Job, Warm, warm

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.workflow,
    pytest.mark.xdist_group("workflow"),
    pytest.mark.timeout(1800),
]

FIRST, COUNT = (int(text) for text in os.environ.get("FEATURES_DRAWN", "0:30").split(":"))
SEEDS = range(FIRST, FIRST + COUNT)
DRAWN = dict(zip(SEEDS, islice(configs(), FIRST, FIRST + COUNT), strict=True))
TARGETS = ("results/tables", "html_report", "bundle")
HTTP = ("gold", "judge", "writer")
SNAKEMAKE = ("snakemake", "--snakefile", ROOT / "Snakefile", "--cores", "2")


class Place(Project):
    """A folder in which the workflow runs, with a config of its own.

    Attributes:
        results: the folder of its results.
    """

    def __init__(self, folder: Path, processes: Warm, results: str):
        super().__init__(folder)
        self._processes, self.results = processes, self.path(results)

    def start(self, *targets: str) -> Job:
        """Starts Snakemake; targets below ``results`` are where the config has the results."""
        there = str(self.results.relative_to(self.folder))
        targets = tuple(re.sub("^results(?=/)", there, target) for target in targets)
        argv = [*SNAKEMAKE, "--configfile", "my.yaml", "--", *targets]
        return self._processes.start(argv, self.folder)

    def snakemake(self, *targets: str) -> str:
        """Runs Snakemake to its end; what it prints."""
        code, said = self.start(*targets).wait()
        assert code == 0, said
        return said


class Run:
    """A drawn config, planned and then run to its end, and the server that it asks.

    Attributes:
        planned: requests that the plan has for each model over HTTP.
        asked: requests that the server answered each.
    """

    def __init__(self, folder: Path, seed: int, server: GoldServer, processes: Warm):
        self.drawn = DRAWN[seed]
        self.server = server
        self.seed = seed
        self.processes = processes
        if self.drawn.needs_released and not RELEASED.is_dir():
            pytest.skip("the released files are absent (LIFEVAL_CASES)")
        server.faulty = "faults of the server" in self.drawn.features
        self.settings = self.drawn.config(server.url)
        print(f"seed {seed}: {self.drawn.features} of {self.drawn.benchmarks}")
        self.project = self.new(folder)
        self.project.snakemake("plan")
        assert not server.sent
        self.planned = planned(self.project)
        if "writer" in self.planned:  # LIFBench's prompts wait for what it writes
            lengths = self.settings["lifbench"]["lengths"]
            self.project.snakemake(*(f"results/lifbench/prompts/{name}.jsonl" for name in lengths))
            self.project.snakemake("plan")
            self.planned |= {k: n for k, n in planned(self.project).items() if k != "writer"}
        self.project.snakemake(*TARGETS)
        self.asked = Counter(server.sent)

    def new(self, folder: Path) -> Place:
        """The folder before anything is run; the server goes by its files."""
        folder.mkdir()
        place = Place(folder, self.processes, self.drawn.results)
        place.configure(self.settings)
        if self.drawn.needs_released:
            place.path("released").symlink_to(RELEASED)
        for path, text in self.drawn.files.items():
            write_text(place.path(path), text)
        self.server.serve(folder, self.settings)
        return place


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    with warm(tmp_path_factory.mktemp("warm")) as started:
        yield started


@pytest.fixture(params=SEEDS, scope="module")
def run(request, tmp_path_factory, processes):
    folder = tmp_path_factory.mktemp(f"drawn-{request.param}")
    with running(kind=GoldServer) as server:
        yield Run(folder / "first", request.param, server, processes)
    shutil.rmtree(folder)


def planned(project: Place) -> dict[str, int]:
    """Requests that the plan has for each model over HTTP."""
    found: Counter[str] = Counter()
    with open(project.results / "plan/plan.csv", newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["model"] in HTTP:
                found[row["model"]] += int(row["remaining"])
    return dict(found)


def results(project: Place, *patterns: str) -> dict[str, bytes]:
    """The files of results that match, by path."""
    folder = project.results
    paths = (path for pattern in patterns for path in folder.glob(pattern))
    found = [path for path in paths if path.is_file() and not path.name.startswith(".")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def shown(project: Place) -> dict[str, bytes]:
    """All that a run prints, and what it stands on; no wall times."""
    found = results(project, "tables/*", "*/metrics/*.csv", "*/scores/*/*.jsonl")
    outputs = results(project, "*/outputs/*/*.jsonl", "*/verdicts/*/*/*.jsonl")
    assert found and outputs
    return found | outputs


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def test_gold_has_full_marks(run):
    for name in run.drawn.benchmarks:
        for path in (run.project.results / name / "scores/gold").glob("*.jsonl"):
            found = Counter((one["status"], one["total"]) for one in read_jsonl(path))
            right = found.pop(("ok", 1), 0) + found.pop(("ok", 1.0), 0)
            assert {status for status, _ in found} <= {"overflow"}, (path, found)
            assert right or "narrow window, skip" in run.drawn.features, path


def test_requests_are_as_planned(run):
    planned = {model: count for model, count in run.planned.items() if count}
    # Equal answers are judged once, and a file that is replayed may lack answers.
    if {"repeats", "replayed answers"} & set(run.drawn.features):
        assert run.asked["judge"] <= planned.pop("judge", 0)
    if "decomposition" in run.drawn.features:
        # Two turns with the same instruction are one to the plan, which knows no turns before.
        assert planned.pop("gold") <= run.asked["gold"]
    if "adaptive" in run.drawn.features:  # planned is what is asked at most, and nothing twice
        for name, journals in (("gold", "*/gold/*.jsonl"), ("judge", "verdicts/judge/*.jsonl")):
            answered = (run.project.results / "journal").glob(journals)
            lines = sum(path.read_bytes().count(b"\n") for path in answered)
            assert run.asked[name] == lines <= run.planned.get(name, 0)
            planned.pop(name, None)
    assert planned.items() <= run.asked.items()


def test_a_second_run_asks_nothing_and_changes_no_byte(run):
    before = results(run.project, "**/*")
    sent = run.server.sent.total()
    assert "Nothing to be done" in run.project.snakemake(*TARGETS)
    assert differing(results(run.project, "**/*"), before) == []
    assert run.server.sent.total() == sent


def test_the_journal_alone_gives_the_same(run, tmp_path):
    sent = run.server.sent.total()
    again = run.new(tmp_path / "again")
    shutil.copytree(run.project.results / "journal", again.results / "journal")
    again.snakemake("results/tables")
    assert run.server.sent.total() == sent
    assert differing(shown(again), shown(run.project)) == []


def test_a_bundle_gives_the_same_tables_elsewhere(run, tmp_path):
    sent = run.server.sent.total()
    there = tmp_path / "there"
    unbundle = [
        "steadfast.command.main",
        "unbundle",
        run.project.results / "bundle.zip",
        there,
    ]
    done, said = run.processes.run(unbundle, tmp_path)
    assert done == 0 and "otherwise" not in said, said
    command = [*SNAKEMAKE, "--configfile", "config.yaml", "--", "results/tables"]
    done, said = run.processes.run(command, there)
    assert done == 0, said
    assert run.server.sent.total() == sent
    assert differing(files(there / "results/tables"), files(run.project.results / "tables")) == []


def test_it_does_not_differ_from_itself(run, tmp_path):
    folder = run.project.results
    config = []
    if folder != run.project.path("results"):  # where nothing beside them is what a config names
        config = ["--config", run.project.path("my.yaml")]
    compare = ["steadfast.command.main", "compare", "--fail", *config, folder, folder]
    done, said = run.processes.run(compare, run.project.folder if config else tmp_path)
    assert done == 0, said


def test_noise_is_none(run):
    if "nondeterminism" not in run.drawn.features:
        pytest.skip("it asks for none")
    command = [*SNAKEMAKE, "--keep-going", "--configfile", "my.yaml", "--", "nondeterminism"]
    done, said = run.processes.run(command, run.project.folder)
    unfit = re.findall(
        r"nondeterminism: no prompt of \S+ fits model gold; leave that part out", said
    )
    assert (done == 0) == (not unfit), said
    assert not unfit or "narrow window, skip" in run.drawn.features, said
    found = len(unfit)
    for path in run.project.results.glob("nondeterminism/*/gold/*.csv"):
        with open(path, newline="", encoding="utf-8") as lines:
            found += 1
            assert {float(row["identical"]) for row in csv.DictReader(lines)} == {1.0}, path
    assert found


def test_the_page_is_complete(run):
    held = pieces((run.project.results / "report.html").read_text("utf-8"))
    tables = {table["name"] for group in held["tables"] for table in group["tables"]}
    for name in run.drawn.benchmarks:
        assert {p.stem for p in (run.project.results / name / "tables").glob("*.csv")} <= tables
        for part in held[f"index/{name}"]:
            for path in (run.project.results / name / "outputs").glob(f"*/{part['name']}.jsonl"):
                drawn = sum(1 for _ in read_jsonl(path))
                answers = part["answers"][path.parent.name]
                rows = [row for of in answers for row in of]
                if "adaptive" in run.drawn.features:  # others may have been asked more
                    rows = [row for row in rows if row[0] != "not requested"]
                assert len(rows) == drawn, path


def test_a_killed_run_ends_with_the_same_bytes(run, tmp_path):
    again = run.new(tmp_path / "again")
    first = run.server.sent.total()
    share = random.Random(run.seed).uniform(0.1, 0.9)
    run.server.delay = 0.005
    job = again.start("results/tables")
    enough = first + share * run.asked.total()
    ended = select.poll()
    ended.register(job.connection, select.POLLIN | select.POLLHUP)
    wait_for(lambda: run.server.sent.total() >= enough or ended.poll(0))
    again.kill()
    job.wait()
    run.server.delay = 0.0
    again.snakemake("results/tables")
    assert differing(shown(again), shown(run.project)) == []


def test_the_pairs_of_features_that_were_drawn(capsys):
    with capsys.disabled():
        print("\n" + pairs_covered(DRAWN.values()))
