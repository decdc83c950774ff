"""Results for model cards of the Hugging Face hub, and for Every Eval Ever: steadfast export."""

import json
import shutil
import subprocess
import sys
from statistics import fmean

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from cached_venv import cached_python
from project import ROOT, Project, command, over_http
from reference_server import ReferenceServer
from servers import running
from steadfast.base.files import write_jsonl

pytestmark = [pytest.mark.wide, pytest.mark.workflow]
EXAMPLE = yaml.safe_load((ROOT / "config/datasets.yaml").read_text())
FILES = ["gold/.eval_results/rooms.yaml", "rooms/eval.yaml"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished run of three data sets; a prompt of one is too long for the model."""
    project = Project.new(tmp_path_factory.mktemp("hub"), {})
    prompts = ["Name a colour. Please.", f"Name a colour.{' Please.' * 2000}"]
    write_jsonl(project.path("long.jsonl"), [{"prompt": p, "answer": "blue"} for p in prompts])
    datasets = {name: EXAMPLE["datasets"][name] for name in ("rooms", "why")}
    datasets["long"] = {"path": "long.jsonl", "scorer": "exact"}
    with running(kind=ReferenceServer) as server:
        gold = over_http(server.url, "gold")
        settings = {
            "datasets": datasets,
            "judges": {**EXAMPLE["judges"], "judge": {**gold, "model": "judge"}},
            "models": {
                "gold": {**gold, "max_tokens": 64, "window": 1024, "on_overflow": "skip"},
                "sim-a": {"engine": "simulated"},
            },
        }
        project.configure(settings)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(project.folder)
            server.serve(project.folder, settings)
            project.snakemake("results/tables")
    return project


def export(project, dataset):
    return command("export", "my.yaml", "--hub", dataset, folder=project.folder)


def totals(run) -> list[float]:
    return [row["total"] for row in run.records("rooms/scores/gold/all.jsonl")]


def test_hub_library_reads_the_entry_of_a_real_model(run):
    done = export(run, "rooms=me/rooms")
    assert done.returncode == 0, done.stderr
    folder = run.path("results/hub")
    written = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.yaml"))
    assert written == FILES  # nothing of the simulated model
    (task,) = yaml.safe_load((folder / "rooms/eval.yaml").read_text())["tasks"]
    assert task == {"id": "score", "config": "prompts", "split": "all"}
    content = yaml.safe_load((folder / "gold/.eval_results/rooms.yaml").read_text())
    (entry,) = parse_eval_result_entries(content)
    assert (entry.dataset_id, entry.task_id) == ("me/rooms", task["id"])
    scores = totals(run)
    assert entry.value == sum(scores) / len(scores)
    assert f"n = {len(scores)};" in entry.notes and '"max_tokens":64' in entry.notes
    assert "user-supplied data" in entry.notes


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        ("long=me/long", "long: Score of gold is of 1 of 2 samples; run the workflow again"),
        ("other=me/other", "the run has no benchmark 'other'; name one of rooms, why, long"),
        ("rooms=rooms", "--hub: 'rooms=rooms' names no data set; write BENCHMARK=OWNER/NAME"),
        ("rooms", "--hub: 'rooms' names no data set; write BENCHMARK=OWNER/NAME"),
    ],
)
def test_misleading_export_is_refused(run, dataset, message):
    done = export(run, dataset)
    assert done.returncode == 1 and message in done.stderr


def test_synthetic_data_are_refused(project):
    done = export(project, "lifbench=me/lifbench")
    assert done.returncode == 1
    assert "synthetic data measure no model" in done.stderr
    assert not project.path("results/hub").exists()


@pytest.mark.wide
def test_results_of_a_bundle_are_those_of_its_responses(run, tmp_path):
    assert export(run, "rooms=me/rooms").returncode == 0
    folder = tmp_path / "unbundled"
    unbundled = (folder / "config.yaml", "--directory", folder)
    for step in (
        ("bundle", "my.yaml", "--cores", "1"),
        ("unbundle", run.path("results/bundle.zip"), folder),
        ("run", *unbundled, "--cores", "1"),
        ("export", *unbundled, "--hub", "rooms=me/rooms"),
    ):
        done = command(*step, folder=run.folder)
        assert done.returncode == 0, done.stderr
    for name in FILES:
        path = f"results/hub/{name}"
        assert (folder / path).read_bytes() == run.path(path).read_bytes()


@pytest.mark.heavy
def test_every_eval_ever_converts_the_log_of_a_real_model(run, tmp_path):
    python = cached_python("inspect", "inspect.txt", ["inspect_ai==0.3.285"])
    # It requires Python 3.12, but its converter runs on 3.11, so only the wheel is taken.
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--ignore-requires-python"]
    wheel = [*pip, "every_eval_ever==0.3.0", "-d", tmp_path]
    download = subprocess.run(wheel, stderr=subprocess.PIPE, text=True, check=False)
    if download.returncode:
        pytest.skip(f"pip cannot fetch every_eval_ever: {download.stderr.strip()[-200:]}")
    shutil.unpack_archive(next(tmp_path.glob("*.whl")), tmp_path / "package", "zip")
    done = command("export", "my.yaml", "--inspect", folder=run.folder)
    assert done.returncode == 0, done.stderr
    (log,) = run.folder.glob("results/inspect/*_rooms-*_gold.json")
    source = "--source_organization_name us --evaluator_relationship other"
    library = "--eval_library_name steadfast --eval_library_version 1"
    files = ["--log_path", log, "--output_dir", tmp_path / "data"]
    convert = [python, "-m", "every_eval_ever", "convert", "inspect"]
    subprocess.run(
        [*convert, *source.split(), *library.split(), *files],
        env={"PYTHONPATH": str(tmp_path / "package"), "HOME": str(tmp_path)},
        check=True,
    )
    (record,) = tmp_path.glob("data/**/gold/*.json")
    (result,) = json.loads(record.read_text())["evaluation_results"]
    scores = totals(run)
    assert len(scores) > 1
    assert result["score_details"]["score"] == pytest.approx(fmean(scores))
    (samples,) = tmp_path.glob("data/**/gold/*.jsonl")
    assert len(samples.read_text().splitlines()) == len(scores)
