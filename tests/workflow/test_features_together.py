"""Features of the config together: sampled configs, and what has to hold of each run.

``FEATURES_SAMPLED=FIRST:COUNT`` in the environment gives the seeds.
"""

import os
import random
import re
import shutil
import subprocess
from collections import Counter
from itertools import chain, islice
from pathlib import Path

import pytest

from features import RELEASED, configs, pairs_covered
from html_report_project import pieces
from project import ROOT, Project, csv_rows, wait_for
from reference_server import ReferenceServer
from servers import running
from steadfast.base.files import read_jsonl, write_text
from test_bundle import files
from warm_python import warm_python

pytestmark = [pytest.mark.heavy, pytest.mark.workflow, pytest.mark.timeout(1800)]

FIRST, COUNT = map(int, os.environ.get("FEATURES_SAMPLED", "0:30").split(":"))
SEEDS = range(FIRST, FIRST + COUNT)
SAMPLED = dict(zip(SEEDS, islice(configs(), FIRST, FIRST + COUNT), strict=True))
TARGETS = ("results/tables", "html_report", "bundle")
HTTP = ("gold", "judge", "writer")
COMMAND = "steadfast.command.main"
SNAKEMAKE = ("snakemake", "--snakefile", ROOT / "Snakefile", "--cores", "2")


def start(folder: Path, *arguments: str | Path) -> subprocess.Popen:
    """Starts a module with its arguments in a folder."""
    return subprocess.Popen(
        [warm_python(), "-m", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def run_module(folder: Path, *arguments: str | Path) -> tuple[int, str]:
    """A module's exit code and output."""
    process = start(folder, *arguments)
    output, _ = process.communicate()
    return process.returncode, output


class Directory(Project):
    """A working directory with a config of its own; Snakefile and code are the checkout's.

    Attributes:
        results: the folder of its results.
    """

    def __init__(self, folder: Path, results: str):
        super().__init__(folder)
        self.results = self.path(results)

    def start(self, *targets: str) -> subprocess.Popen:
        """Starts Snakemake; targets below ``results`` are in the config's folder of results."""
        results = str(self.results.relative_to(self.folder))
        targets = [re.sub("^results(?=/)", results, target) for target in targets]
        return start(self.folder, *SNAKEMAKE, "--configfile", "my.yaml", "--", *targets)

    def snakemake(self, *targets: str) -> str:
        """Runs Snakemake and returns its output."""
        process = self.start(*targets)
        output, _ = process.communicate()
        assert process.returncode == 0, output
        return output


class Run:
    """A sampled config after its plan and run, with the server that it uses.

    Attributes:
        planned: planned requests by model over HTTP.
        answered: requests that the server answered, by model.
    """

    def __init__(self, folder: Path, seed: int, server: ReferenceServer):
        self.sampled = SAMPLED[seed]
        self.server = server
        self.seed = seed
        if self.sampled.needs_released and not RELEASED.is_dir():
            pytest.skip("the released files are absent (LIFEVAL_CASES)")
        server.faulty = "server faults" in self.sampled.features
        self.settings = self.sampled.config(server.url)
        print(f"seed {seed}: {self.sampled.features} of {self.sampled.benchmarks}")
        self.project = self.new(folder)
        self.project.snakemake("plan")
        assert not server.sent
        self.planned = planned_requests(self.project)
        if "writer" in self.planned:  # LIFBench's prompts need its paraphrases
            lengths = self.settings["lifbench"]["lengths"]
            prompts = [f"results/lifbench/prompts/{length}.jsonl" for length in lengths]
            self.project.snakemake(*prompts)
            self.project.snakemake("plan")
            rewrites = self.planned["writer"]
            self.planned |= planned_requests(self.project) | {"writer": rewrites}
        self.project.snakemake(*TARGETS)
        self.answered = Counter(server.sent)

    def new(self, folder: Path) -> Directory:
        """A new directory with the config and its files, which the server answers from."""
        folder.mkdir()
        project = Directory(folder, self.sampled.results)
        project.configure(self.settings)
        if self.sampled.needs_released:
            project.path("released").symlink_to(RELEASED)
        for path, text in self.sampled.files.items():
            write_text(project.path(path), text)
        self.server.serve(folder, self.settings)
        return project


@pytest.fixture(params=SEEDS, scope="module")
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"seed-{request.param}")
    with running(kind=ReferenceServer) as server:
        yield Run(folder / "first", request.param, server)
    shutil.rmtree(folder)


def planned_requests(project: Directory) -> dict[str, int]:
    """The plan's requests by model over HTTP."""
    requests: Counter[str] = Counter()
    for row in csv_rows(project.results / "plan/plan.csv"):
        if row["model"] in HTTP:
            requests[row["model"]] += int(row["remaining"])
    return dict(requests)


def results(project: Directory, *patterns: str) -> dict[str, bytes]:
    """The files of results that match, by path."""
    contents = {}
    for pattern in patterns:
        for path in project.results.glob(pattern):
            if path.is_file() and not path.name.startswith("."):
                contents[str(path.relative_to(project.results))] = path.read_bytes()
    return contents


def reproducible_results(project: Directory) -> dict[str, bytes]:
    """Tables with all that they follow from, without wall times."""
    scores = results(project, "tables/*", "*/metrics/*.csv", "*/scores/*/*.jsonl")
    outputs = results(project, "*/outputs/*/*.jsonl", "*/verdicts/*/*/*.jsonl")
    assert scores and outputs
    return scores | outputs


def differing(first: dict[str, bytes], second: dict[str, bytes]) -> list[str]:
    """The paths of files that are not in both, or not the same."""
    paths = sorted(first.keys() | second.keys())
    return [path for path in paths if first.get(path) != second.get(path)]


def test_reference_answers_have_full_marks(run):
    for name in run.sampled.benchmarks:
        for path in (run.project.results / name / "scores/gold").glob("*.jsonl"):
            scores = Counter((score["status"], score["total"]) for score in read_jsonl(path))
            full_marks = scores.pop(("ok", 1), 0)
            assert {status for status, _ in scores} <= {"overflow"}, (path, scores)
            assert full_marks or "narrow window, skip" in run.sampled.features, path


def test_requests_are_as_planned(run):
    planned = {model: count for model, count in run.planned.items() if count}
    # Equal answers are judged once, and a replayed file may lack answers.
    if {"repeats", "replayed responses"} & set(run.sampled.features):
        assert run.answered["judge"] <= planned.pop("judge", 0)
    if "decomposition" in run.sampled.features:
        # The plan does not know earlier turns: it counts two with the same instruction once.
        assert planned.pop("gold") <= run.answered["gold"]
    if "adaptive" in run.sampled.features:  # the plan is an upper bound; nothing is sent twice
        for name, journals in (("gold", "*/gold/*.jsonl"), ("judge", "verdicts/judge/*.jsonl")):
            paths = (run.project.results / "journal").glob(journals)
            journaled = sum(path.read_bytes().count(b"\n") for path in paths)
            assert run.answered[name] == journaled <= run.planned.get(name, 0)
            planned.pop(name, None)
    assert planned.items() <= run.answered.items()


def test_second_run_requests_and_changes_nothing(run):
    before = results(run.project, "**/*")
    sent = run.server.sent.total()
    assert "Nothing to be done" in run.project.snakemake(*TARGETS)
    assert differing(results(run.project, "**/*"), before) == []
    assert run.server.sent.total() == sent


def test_results_follow_from_the_journal(run, tmp_path):
    sent = run.server.sent.total()
    copy = run.new(tmp_path / "copy")
    shutil.copytree(run.project.results / "journal", copy.results / "journal")
    copy.snakemake("results/tables")
    assert run.server.sent.total() == sent
    assert differing(reproducible_results(copy), reproducible_results(run.project)) == []


def test_bundle_gives_the_same_tables(run, tmp_path):
    sent = run.server.sent.total()
    folder = tmp_path / "unbundled"
    bundle = run.project.results / "bundle.zip"
    code, output = run_module(tmp_path, COMMAND, "unbundle", bundle, folder)
    assert code == 0 and "otherwise" not in output, output
    arguments = ("--configfile", "config.yaml", "--", "results/tables")
    code, output = run_module(folder, *SNAKEMAKE, *arguments)
    assert code == 0, output
    assert run.server.sent.total() == sent
    assert differing(files(folder / "results/tables"), files(run.project.results / "tables")) == []


def test_compare_finds_no_difference_from_itself(run, tmp_path):
    compared = [run.project.results, run.project.results]
    folder = tmp_path
    if compared[0] != run.project.path("results"):  # the config is not found beside the results
        folder = run.project.folder
        compared = ["--config", run.project.path("my.yaml"), *compared]
    code, output = run_module(folder, COMMAND, "compare", "--fail", *compared)
    assert code == 0, output


def test_reference_answers_show_no_nondeterminism(run):
    if "nondeterminism" not in run.sampled.features:
        pytest.skip("the config has no nondeterminism")
    arguments = ("--keep-going", "--configfile", "my.yaml", "--", "nondeterminism")
    code, output = run_module(run.project.folder, *SNAKEMAKE, *arguments)
    message = r"nondeterminism: no prompt of \S+ fits model gold; leave that part out"
    unfit = re.findall(message, output)
    assert (code == 0) == (not unfit), output
    assert not unfit or "narrow window, skip" in run.sampled.features, output
    paths = list(run.project.results.glob("nondeterminism/*/gold/*.csv"))
    assert paths or unfit
    for path in paths:
        assert {float(row["identical"]) for row in csv_rows(path)} == {1.0}, path


def test_html_report_is_complete(run):
    contents = pieces((run.project.results / "report.html").read_text("utf-8"))
    tables = {table["name"] for group in contents["tables"] for table in group["tables"]}
    for name in run.sampled.benchmarks:
        folder = run.project.results / name
        assert {path.stem for path in (folder / "tables").glob("*.csv")} <= tables
        for part in contents[f"index/{name}"]:
            for path in (folder / "outputs").glob(f"*/{part['name']}.jsonl"):
                rows = list(chain.from_iterable(part["answers"][path.parent.name]))
                if "adaptive" in run.sampled.features:  # other models may have more responses
                    rows = [row for row in rows if row[0] != "not requested"]
                assert len(rows) == len(list(read_jsonl(path))), path


def test_killed_run_ends_with_the_same_results(run, tmp_path):
    copy = run.new(tmp_path / "copy")
    share = random.Random(run.seed).uniform(0.1, 0.9)
    limit = run.server.sent.total() + share * run.answered.total()
    run.server.delay = 0.005
    job = copy.start("results/tables")
    wait_for(lambda: run.server.sent.total() >= limit or job.poll() is not None)
    copy.kill()
    job.communicate()
    run.server.delay = 0.0
    copy.snakemake("results/tables")
    assert differing(reproducible_results(copy), reproducible_results(run.project)) == []


def test_pairs_of_features_are_printed(capsys):
    with capsys.disabled():
        print("\n" + pairs_covered(SAMPLED.values()))
