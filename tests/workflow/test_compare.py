"""Two runs side by side: what changed, which cells moved, which samples flipped."""

import os
import statistics
import subprocess
from collections import Counter

import pytest

from project import TINY, Project, command, csv_rows
from steadfast.base.files import file_sha256

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

LENGTHS = ("2k", "3k")
BASE = {
    "lifbench": {
        "lengths": {"2k": 2048, "3k": 3072},
        "contexts_per_length": 2,
        "tasks": ["LSI", "MF"],
    },
    "models": TINY["models"],
}
CHANGED = {
    **BASE,
    "models": {
        "reference": {"engine": "reference", "label": "Reference"},
        "sim-a": {"engine": "simulated", "span": 3000, "slip": 0.9},
        "baseline": {"engine": "baseline"},
    },
}


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Project:
    """A small run with two contexts of each length; not to be changed (fork it)."""
    project = Project.new(tmp_path_factory.mktemp("base"), BASE)
    project.snakemake()
    return project


@pytest.fixture(scope="module")
def changed(base, tmp_path_factory) -> Project:
    """The same with another reader, and one more."""
    project = base.fork(tmp_path_factory.mktemp("changed"))
    project.configure(CHANGED)
    project.snakemake()
    return project


def compare(*arguments) -> subprocess.CompletedProcess:
    return command("compare", *arguments, cwd=".")


def totals(project: Project, model: str) -> dict[str, float]:
    return {
        record["sample_id"]: record["total"]
        for length in LENGTHS
        for record in project.records(f"lifbench/scores/{model}/{length}.jsonl")
    }


@pytest.fixture(scope="module")
def compared(base, changed, tmp_path_factory):
    out = tmp_path_factory.mktemp("compared")
    done = compare(base.path("results"), changed.path("results"), "--out", out, "--fail")
    assert done.returncode == 3, done.stderr
    return done.stdout, out


def test_a_run_does_not_differ_from_itself(base):
    results = base.path("results")
    done = compare(results, results, "--fail")
    assert done.returncode == 0, done.stderr
    assert "Settings: the same.\n" in done.stdout
    assert "Cells: 0 of " in done.stdout and "Samples: 0 of " in done.stdout


def test_what_a_run_is_called_is_no_setting(base, tmp_path):
    other = base.fork(tmp_path)
    other.snakemake("results/tables", "--config", "name=another")
    done = compare(base.path("results"), other.path("results"), "--fail")
    assert (done.returncode, "Settings: the same.\n" in done.stdout) == (0, True)


def test_runs_that_were_scored_by_two_rubrics_are_not_compared(base, tmp_path):
    other = base.fork(tmp_path)
    other.configure({**BASE, "lifbench": {**BASE["lifbench"], "rubric": "corrected"}})
    other.snakemake("results/tables")
    done = compare(base.path("results"), other.path("results"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "lifbench: the two runs have different scoring settings (" in done.stderr


def test_a_run_s_config_stands_beside_its_tables_also_where_its_page_failed(base, tmp_path):
    other = base.fork(tmp_path)
    config = other.path("results/config.yaml")
    page = other.path("results/report.html")
    before = config.read_text()
    config.unlink()
    assert "Nothing to be done" in other.snakemake() and config.read_text() == before
    config.unlink()
    other.snakemake("--dry-run")
    assert not config.exists()
    (page / "no-page").mkdir(parents=True)
    other.snakemake("results/tables", "html_report", ok=False)
    assert config.read_text() == before


def test_what_changed_and_what_is_in_one_alone(compared):
    shown, out = compared
    assert "config: models.sim-a.slip: 0.1 → 0.9\n" in shown
    assert "lifbench sim-a 2k, 3k: answers.settings.slip: 0.1 → 0.9\n" in shown
    assert "Only in B: model lifbench baseline\n" in shown
    assert " 0 changed, 0 only in A, 0 only in B." in shown
    assert csv_rows(out / "alone.csv") == [
        {"run": "B", "what": "model", "name": "lifbench baseline"}
    ]


def test_the_samples_that_flipped_are_those_whose_scores_differ(compared, base, changed):
    shown, out = compared
    a = totals(base, "sim-a")
    b = totals(changed, "sim-a")
    flipped = csv_rows(out / "samples.csv")
    kinds = Counter(row["kind"] for row in flipped)
    assert kinds["better"] == sum(b[key] > a[key] + 1e-9 for key in a) > 0
    assert kinds["worse"] == sum(b[key] < a[key] - 1e-9 for key in a) > 0
    assert {row["model"] for row in flipped} == {"sim-a"}
    assert f"Samples: {len(flipped):,} of {len(a) + len(totals(base, 'reference')):,}" in shown


def test_a_test_is_of_the_mean_difference_of_the_samples_of_both(compared, base, changed):
    shown, out = compared
    a = totals(base, "sim-a")
    b = totals(changed, "sim-a")
    of_task = [key for key in a if key.startswith("MF/")]
    difference = statistics.fmean(b[key] - a[key] for key in of_task)
    (test,) = (
        row
        for row in csv_rows(out / "tests.csv")
        if (row["model"], row["cell"]) == ("sim-a", "task=MF")
    )
    assert float(test["difference"]) == pytest.approx(difference)
    assert int(test["n"]) == len(of_task)
    assert float(test["low"]) <= difference <= float(test["high"])
    (cell,) = (
        row
        for row in csv_rows(out / "cells.csv")
        if (row["metric"], row["model"], row["cell"]) == ("ars", "sim-a", "task=MF")
    )
    assert float(cell["a"]) == pytest.approx(statistics.fmean(a[key] for key in of_task))
    assert float(cell["difference"]) == pytest.approx(difference)
    assert "Main measures that changed" in shown


def test_prompts_that_changed_are_counted_and_their_samples_left_out(base, tmp_path):
    other = base.fork(tmp_path)
    prompts = other.path("results/lifbench/prompts/2k.jsonl")
    first, *rest = prompts.read_text().splitlines(keepends=True)
    changed = first.replace('"instruction": "', '"instruction": "Please: ', 1)
    before = file_sha256(prompts)
    prompts.write_text("".join([changed, *rest]))
    for provenance in other.path("results").rglob("*.provenance.json"):  # as if it had been so
        provenance.write_text(provenance.read_text().replace(before, file_sha256(prompts)))
    done = compare(base.path("results"), other.path("results"), "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    (part,) = (row for row in csv_rows(tmp_path / "out/prompts.csv") if row["part"] == "2k")
    assert (part["same"], part["changed"]) == (str(len(rest)), "1")
    counted = sum(int(row["samples"]) for row in csv_rows(tmp_path / "out/compared.csv"))
    assert counted == 2 * (len(totals(base, "sim-a")) - 1)


def test_what_is_no_results_folder_is_one_sentence(base, tmp_path):
    for folder, sentence in (
        ("nowhere", "no such folder; name an existing results folder"),
        (".", "contains no metrics of any benchmark"),
    ):
        done = compare(base.path("results"), tmp_path / folder)
        assert done.returncode == 1, folder
        assert sentence in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_folder_without_its_config_wants_it_named(base, tmp_path):
    other = base.fork(tmp_path)
    other.path("results/config.yaml").unlink()
    a = base.path("results")
    b = other.path("results")
    done = compare(a, b)
    assert done.returncode == 1 and "or name its config" in done.stderr
    assert compare("--config", other.path("my.yaml"), a, b).returncode == 0


def test_a_config_that_cannot_be_read_is_named_with_its_folder(base, tmp_path):
    other = base.fork(tmp_path)
    with open(other.path("results/config.yaml"), "a") as config:
        config.write("nonsense: 1\n")
    done = compare(base.path("results"), other.path("results"))
    assert done.returncode == 1
    assert f"{other.path('results')}: config: unknown key 'nonsense'" in done.stderr


DAMAGES = {
    "results/config.yaml": [b"\xff", b'models: {"\\e[2J": 5}'],
    "results/lifbench/metrics/provenance.json": [b'{"sha256": {"a": []}}'],
    "results/lifbench/outputs/sim-a/2k.provenance.json": [b'["\\u001b[2J"]', b"9" * 6_000],
    "results/lifbench/prompts/2k.jsonl": [b'{"sample_id": []}\n', b"[" * 100_000],
}


@pytest.mark.parametrize("file", DAMAGES)
def test_a_stranger_s_folder_is_read_or_refused_in_one_sentence(base, tmp_path, file):
    other = base.fork(tmp_path)
    for content in DAMAGES[file]:
        other.path(file).write_bytes(content)
        done = compare(base.path("results"), other.path("results"))
        assert (done.returncode, done.stdout) == (1, ""), content[:20]
        assert done.stderr.startswith("error: ") and len(done.stderr.splitlines()) == 1
        assert done.stderr.strip().isprintable(), done.stderr


def test_what_is_no_file_is_not_read(base, tmp_path):
    other = base.fork(tmp_path)
    for name, make in (("pipe", os.mkfifo), ("zero", lambda path: path.symlink_to("/dev/zero"))):
        path = other.path(f"results/lifbench/prompts/{name}.jsonl")
        make(path)
        done = compare(base.path("results"), other.path("results"))
        said = other.snakemake(ok=False)
        assert done.returncode == 1 and f"{name}.jsonl: not a regular file" in done.stderr
        assert f"{name}.jsonl: not a regular file" in said
        path.unlink()
