"""Features of the config together: drawn configs, and what has to hold of each run.

``FEATURES_DRAWN=FIRST:COUNT`` in the environment says which seeds are drawn from.
"""

import os
import random
import re
import shutil
import subprocess
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from features import RELEASED, configs, pairs_covered
from gold_server import GoldServer
from html_report_project import pieces
from project import ROOT, Project, csv_rows, wait_for
from servers import running
from steadfast.base.files import read_jsonl, write_text
from test_bundle import files
from warm_python import warm_python

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.workflow,
    pytest.mark.timeout(1800),
]

FIRST, COUNT = (int(text) for text in os.environ.get("FEATURES_DRAWN", "0:30").split(":"))
SEEDS = range(FIRST, FIRST + COUNT)
DRAWN = dict(zip(SEEDS, islice(configs(), FIRST, FIRST + COUNT), strict=True))
TARGETS = ("results/tables", "html_report", "bundle")
HTTP = ("gold", "judge", "writer")
COMMAND = "steadfast.command.main"
SNAKEMAKE = ("snakemake", "--snakefile", ROOT / "Snakefile", "--cores", "2")


def start(folder: Path, *words: str | Path) -> subprocess.Popen:
    """Starts a module in a folder, by its name and with arguments."""
    return subprocess.Popen(
        [warm_python(), "-m", *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run_module(folder: Path, *words: str | Path) -> tuple[int, str]:
    """Its exit code, and what it has printed."""
    process = start(folder, *words)
    said, _ = process.communicate()
    return process.returncode, said


class Place(Project):
    """A folder in which the workflow runs, with a config of its own.

    Attributes:
        results: the folder of its results.
    """

    def __init__(self, folder: Path, results: str):
        super().__init__(folder)
        self.results = self.path(results)

    def start(self, *targets: str) -> subprocess.Popen:
        """Starts Snakemake; targets below ``results`` are where the config has the results."""
        there = str(self.results.relative_to(self.folder))
        targets = tuple(re.sub("^results(?=/)", there, target) for target in targets)
        return start(self.folder, *SNAKEMAKE, "--configfile", "my.yaml", "--", *targets)

    def snakemake(self, *targets: str) -> str:
        """Runs Snakemake to its end; what it prints."""
        process = self.start(*targets)
        said, _ = process.communicate()
        assert process.returncode == 0, said
        return said


class Run:
    """A drawn config, planned and then run to its end, and the server that it asks.

    Attributes:
        planned: requests that the plan has for each model over HTTP.
        asked: requests that the server answered each.
    """

    def __init__(self, folder: Path, seed: int, server: GoldServer):
        self.drawn = DRAWN[seed]
        self.server = server
        self.seed = seed
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
        place = Place(folder, self.drawn.results)
        place.configure(self.settings)
        if self.drawn.needs_released:
            place.path("released").symlink_to(RELEASED)
        for path, text in self.drawn.files.items():
            write_text(place.path(path), text)
        self.server.serve(folder, self.settings)
        return place


@pytest.fixture(params=SEEDS, scope="module")
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"drawn-{request.param}")
    with running(kind=GoldServer) as server:
        yield Run(folder / "first", request.param, server)
    shutil.rmtree(folder)


def planned(project: Place) -> dict[str, int]:
    """Requests that the plan has for each model over HTTP."""
    found: Counter[str] = Counter()
    for row in csv_rows(project.results / "plan/plan.csv"):
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
    bundle = run.project.results / "bundle.zip"
    done, said = run_module(tmp_path, COMMAND, "unbundle", bundle, there)
    assert done == 0 and "otherwise" not in said, said
    words = ("--configfile", "config.yaml", "--", "results/tables")
    done, said = run_module(there, *SNAKEMAKE, *words)
    assert done == 0, said
    assert run.server.sent.total() == sent
    assert differing(files(there / "results/tables"), files(run.project.results / "tables")) == []


def test_it_does_not_differ_from_itself(run, tmp_path):
    folder = run.project.results
    config = []
    if folder != run.project.path("results"):  # where nothing beside them is what a config names
        config = ["--config", run.project.path("my.yaml")]
    where = run.project.folder if config else tmp_path
    done, said = run_module(where, COMMAND, "compare", "--fail", *config, folder, folder)
    assert done == 0, said


def test_noise_is_none(run):
    if "nondeterminism" not in run.drawn.features:
        pytest.skip("it asks for none")
    words = ("--keep-going", "--configfile", "my.yaml", "--", "nondeterminism")
    done, said = run_module(run.project.folder, *SNAKEMAKE, *words)
    unfit = re.findall(
        r"nondeterminism: no prompt of \S+ fits model gold; leave that part out", said
    )
    assert (done == 0) == (not unfit), said
    assert not unfit or "narrow window, skip" in run.drawn.features, said
    found = len(unfit)
    for path in run.project.results.glob("nondeterminism/*/gold/*.csv"):
        found += 1
        assert {float(row["identical"]) for row in csv_rows(path)} == {1.0}, path
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
    wait_for(lambda: run.server.sent.total() >= enough or job.poll() is not None)
    again.kill()
    job.communicate()
    run.server.delay = 0.0
    again.snakemake("results/tables")
    assert differing(shown(again), shown(run.project)) == []


def test_the_pairs_of_features_that_were_drawn(capsys):
    with capsys.disabled():
        print("\n" + pairs_covered(DRAWN.values()))
