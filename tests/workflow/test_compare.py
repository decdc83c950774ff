"""Two runs compared: what changed, which cells and which samples differ."""

import os
import subprocess
from collections import Counter

import pandas as pd
import pytest

from project import TINY, Project, command, csv_rows
from steadfast.base.files import file_sha256

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

LENGTHS = {"2k": 2048, "3k": 3072}
LIFBENCH = {"lengths": LENGTHS, "contexts_per_length": 2, "tasks": ["LSI", "MF"]}
BASE = {"lifbench": LIFBENCH, "models": TINY["models"]}
SLIPPING = TINY["models"]["sim-a"] | {"slip": 0.9}
CHANGED_MODELS = TINY["models"] | {"sim-a": SLIPPING, "baseline": {"engine": "baseline"}}


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Project:
    """A small run with two contexts of each length; not to be changed (fork it)."""
    project = Project.new(tmp_path_factory.mktemp("base"), BASE)
    project.snakemake()
    return project


@pytest.fixture(scope="module")
def changed(base, tmp_path_factory) -> Project:
    """The same run with a changed model and a further one."""
    project = base.fork(tmp_path_factory.mktemp("changed"))
    project.configure(BASE | {"models": CHANGED_MODELS})
    project.snakemake()
    return project


def compare(first: Project, second: Project, *options) -> subprocess.CompletedProcess:
    folders = (first.path("results"), second.path("results"))
    return command("compare", *folders, *options, cwd=".")


def totals(project: Project, model: str) -> pd.Series:
    """Totals of a model by sample."""
    scores = []
    for length in LENGTHS:
        scores += project.records(f"lifbench/scores/{model}/{length}.jsonl")
    return pd.DataFrame(scores).set_index("sample_id")["total"]


@pytest.fixture(scope="module")
def compared(base, changed, tmp_path_factory):
    """Output of the comparison, and the folder of its tables."""
    out = tmp_path_factory.mktemp("compared")
    done = compare(base, changed, "--out", out, "--fail")
    assert done.returncode == 3, done.stderr
    return done.stdout, out


def test_run_does_not_differ_from_itself(base):
    done = compare(base, base, "--fail")
    assert done.returncode == 0, done.stderr
    assert "Settings: the same.\n" in done.stdout
    assert "Cells: 0 of " in done.stdout and "Samples: 0 of " in done.stdout


def test_name_of_a_run_is_no_setting(base, tmp_path):
    other = base.fork(tmp_path)
    other.snakemake("results/tables", "--config", "name=another")
    done = compare(base, other, "--fail")
    assert done.returncode == 0 and "Settings: the same.\n" in done.stdout


def test_runs_with_different_rubrics_are_not_compared(base, tmp_path):
    other = base.fork(tmp_path)
    other.configure(BASE | {"lifbench": LIFBENCH | {"rubric": "corrected"}})
    other.snakemake("results/tables")
    done = compare(base, other)
    assert (done.returncode, done.stdout) == (1, "")
    assert "lifbench: the two runs have different scoring settings (" in done.stderr


def test_config_is_written_even_if_the_html_report_fails(base, tmp_path):
    other = base.fork(tmp_path)
    config = other.path("results/config.yaml")
    before = config.read_text()
    config.unlink()
    assert "Nothing to be done" in other.snakemake() and config.read_text() == before
    config.unlink()
    other.snakemake("--dry-run")
    assert not config.exists()
    other.path("results/report.html/no-page").mkdir(parents=True)
    other.snakemake("results/tables", "html_report", ok=False)
    assert config.read_text() == before


def test_changed_settings_and_added_models_are_listed(compared):
    output, out = compared
    for line in (
        "config: models.sim-a.slip: 0.1 → 0.9\n",
        "lifbench sim-a 2k, 3k: answers.settings.slip: 0.1 → 0.9\n",
        "Only in B: model lifbench baseline\n",
        " 0 changed, 0 only in A, 0 only in B.",
    ):
        assert line in output
    added = {"run": "B", "what": "model", "name": "lifbench baseline"}
    assert csv_rows(out / "alone.csv") == [added]


def test_samples_with_different_scores_are_listed(compared, base, changed):
    output, out = compared
    change = totals(changed, "sim-a") - totals(base, "sim-a")
    rows = csv_rows(out / "samples.csv")
    kinds = Counter(row["kind"] for row in rows)
    assert kinds["better"] == (change > 1e-9).sum() > 0
    assert kinds["worse"] == (change < -1e-9).sum() > 0
    assert {row["model"] for row in rows} == {"sim-a"}
    samples = len(change) + len(totals(base, "reference"))
    assert f"Samples: {len(rows):,} of {samples:,}" in output


def test_difference_of_a_task_is_the_mean_over_paired_samples(compared, base, changed):
    output, out = compared
    first = totals(base, "sim-a").filter(like="MF/")
    difference = (totals(changed, "sim-a").filter(like="MF/") - first).mean()
    tests = pd.read_csv(out / "tests.csv").query("model == 'sim-a' and cell == 'task=MF'")
    (test,) = tests.to_dict("records")
    assert (test["difference"], test["n"]) == (pytest.approx(difference), len(first))
    assert test["low"] <= difference <= test["high"]
    cells = pd.read_csv(out / "cells.csv").query("model == 'sim-a' and cell == 'task=MF'")
    (cell,) = cells.query("metric == 'ars'").to_dict("records")
    assert cell["a"] == pytest.approx(first.mean())
    assert cell["difference"] == pytest.approx(difference)
    assert "Main measures that changed" in output


def test_samples_of_changed_prompts_are_left_out(base, tmp_path):
    other = base.fork(tmp_path)
    prompts = other.path("results/lifbench/prompts/2k.jsonl")
    first, *rest = prompts.read_text().splitlines(keepends=True)
    changed = first.replace('"instruction": "', '"instruction": "Please: ', 1)
    checksum = file_sha256(prompts)
    prompts.write_text("".join([changed, *rest]))
    for provenance in other.path("results").rglob("*.provenance.json"):
        provenance.write_text(provenance.read_text().replace(checksum, file_sha256(prompts)))
    done = compare(base, other, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    parts = {row["part"]: row for row in csv_rows(tmp_path / "out/prompts.csv")}
    assert (parts["2k"]["same"], parts["2k"]["changed"]) == (str(len(rest)), "1")
    samples = pd.read_csv(tmp_path / "out/compared.csv")["samples"].sum()
    assert samples == 2 * (len(totals(base, "sim-a")) - 1)


@pytest.mark.parametrize(
    ("folder", "sentence"),
    [
        ("nowhere", "no such folder; name an existing results folder"),
        (".", "contains no metrics of any benchmark"),
    ],
)
def test_folder_without_results_is_reported(base, tmp_path, folder, sentence):
    done = command("compare", base.path("results"), tmp_path / folder, cwd=".")
    assert done.returncode == 1
    assert sentence in done.stderr and len(done.stderr.splitlines()) == 1


def test_missing_config_has_to_be_named(base, tmp_path):
    other = base.fork(tmp_path)
    other.path("results/config.yaml").unlink()
    done = compare(base, other)
    assert done.returncode == 1 and "or name its config" in done.stderr
    assert compare(base, other, "--config", other.path("my.yaml")).returncode == 0


def test_invalid_config_is_reported_with_its_folder(base, tmp_path):
    other = base.fork(tmp_path)
    with open(other.path("results/config.yaml"), "a") as config:
        config.write("nonsense: 1\n")
    done = compare(base, other)
    assert done.returncode == 1
    assert f"{other.path('results')}: config: unknown key 'nonsense'" in done.stderr


MALFORMED = {
    "results/config.yaml": [b"\xff", b'models: {"\\e[2J": 5}'],
    "results/lifbench/metrics/provenance.json": [b'{"sha256": {"a": []}}'],
    "results/lifbench/outputs/sim-a/2k.provenance.json": [b'["\\u001b[2J"]', b"9" * 6_000],
    "results/lifbench/prompts/2k.jsonl": [b'{"sample_id": []}\n', b"[" * 100_000],
}


@pytest.mark.parametrize("file", MALFORMED)
def test_malformed_file_is_refused_with_one_message(base, tmp_path, file):
    other = base.fork(tmp_path)
    for content in MALFORMED[file]:
        other.path(file).write_bytes(content)
        done = compare(base, other)
        assert (done.returncode, done.stdout) == (1, ""), content[:20]
        assert done.stderr.startswith("error: ") and len(done.stderr.splitlines()) == 1
        assert done.stderr.strip().isprintable(), done.stderr


def test_pipes_and_devices_are_not_read(base, tmp_path):
    other = base.fork(tmp_path)
    for name, make in (("pipe", os.mkfifo), ("zero", lambda path: path.symlink_to("/dev/zero"))):
        path = other.path(f"results/lifbench/prompts/{name}.jsonl")
        make(path)
        done = compare(base, other)
        assert done.returncode == 1 and f"{name}.jsonl: not a regular file" in done.stderr
        assert f"{name}.jsonl: not a regular file" in other.snakemake(ok=False)
        path.unlink()
