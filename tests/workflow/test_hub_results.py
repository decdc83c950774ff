"""Results for model cards of the Hugging Face hub, and for Every Eval Ever: steadfast export."""

import json
import shutil
import subprocess
import sys

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from cached_venv import cached_python
from gold_server import GoldServer
from project import ROOT, Project, command, over_http
from servers import running

pytestmark = [pytest.mark.wide, pytest.mark.workflow]
EXAMPLE = yaml.safe_load((ROOT / "config/datasets.yaml").read_text())


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished run of three data sets; a prompt of one is too long for the model."""
    project = Project.new(tmp_path_factory.mktemp("hub"), {})
    lines = [{"prompt": f"Name a colour.{' Please.' * n}", "answer": "blue"} for n in (1, 2000)]
    project.path("long.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    sets = {name: EXAMPLE["datasets"][name] for name in ("rooms", "why")}
    sets["long"] = {"path": "long.jsonl", "scorer": "exact"}
    with running(kind=GoldServer) as server:
        gold = over_http(server.url, "gold")
        settings = {
            "datasets": sets,
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


def export(project, *datasets):
    words = [word for dataset in datasets for word in ("--hub", dataset)]
    return command("export", "my.yaml", *words, folder=project.folder)


def test_a_real_model_has_an_entry_that_the_hubs_library_reads(run):
    done = export(run, "rooms=me/rooms")
    assert done.returncode == 0, done.stderr
    folder = run.path("results/hub")
    written = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.yaml"))
    assert written == ["gold/.eval_results/rooms.yaml", "rooms/eval.yaml"]  # nothing simulated
    benchmark = yaml.safe_load((folder / "rooms/eval.yaml").read_text())
    content = yaml.safe_load((folder / "gold/.eval_results/rooms.yaml").read_text())
    (entry,) = parse_eval_result_entries(content)
    (task,) = benchmark["tasks"]
    assert task == {"id": "score", "config": "prompts", "split": "all"}
    assert (entry.dataset_id, entry.task_id) == ("me/rooms", task["id"])
    scores = [row["total"] for row in run.records("rooms/scores/gold/all.jsonl")]
    assert entry.value == sum(scores) / len(scores)
    assert f"n = {len(scores)};" in entry.notes and '"max_tokens":64' in entry.notes
    assert "user-supplied data" in entry.notes


def test_what_would_mislead_is_refused(run):
    for dataset, message in (
        ("long=me/long", "long: Score of gold is of 1 of 2 samples; run the workflow again"),
        ("other=me/other", "the run has no benchmark 'other'; name one of rooms, why, long"),
        ("rooms=rooms", "--hub: 'rooms=rooms' names no data set; write BENCHMARK=OWNER/NAME"),
        ("rooms", "--hub: 'rooms' names no data set; write BENCHMARK=OWNER/NAME"),
    ):
        done = export(run, dataset)
        assert done.returncode == 1 and message in done.stderr, dataset


def test_synthetic_data_are_refused(project):
    done = export(project, "lifbench=me/lifbench")
    assert done.returncode == 1
    assert "synthetic data measure no model" in done.stderr
    assert not project.path("results/hub").exists()


@pytest.mark.wide
def test_a_bundles_results_come_from_its_responses_and_not_from_its_tables(run, tmp_path):
    assert export(run, "rooms=me/rooms").returncode == 0
    bundled = command("bundle", "my.yaml", "--cores", "1", folder=run.folder)
    assert bundled.returncode == 0, bundled.stderr
    there = tmp_path / "there"
    steps = [
        ("unbundle", run.path("results/bundle.zip"), there),
        ("run", there / "config.yaml", "--directory", there, "--cores", "1"),
        ("export", there / "config.yaml", "--directory", there, "--hub", "rooms=me/rooms"),
    ]
    for step in steps:
        done = command(*step, folder=run.folder)
        assert done.returncode == 0, done.stderr
    for name in ("rooms/eval.yaml", "gold/.eval_results/rooms.yaml"):
        path = f"results/hub/{name}"
        assert (there / path).read_bytes() == run.path(path).read_bytes()


@pytest.mark.heavy
def test_every_eval_ever_converts_a_real_models_log(run, tmp_path):
    python = cached_python("inspect", "inspect.txt", ["inspect_ai==0.3.285"])
    # It asks for Python 3.12, but its converter runs on 3.11, so that only the wheel is taken.
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--ignore-requires-python"]
    wheel = [*pip, "every_eval_ever==0.3.0", "-d", tmp_path]
    fetched = subprocess.run(wheel, stderr=subprocess.PIPE, text=True, check=False)
    if fetched.returncode:
        pytest.skip(f"pip cannot fetch every_eval_ever: {fetched.stderr.strip()[-200:]}")
    shutil.unpack_archive(next(tmp_path.glob("*.whl")), tmp_path / "package", "zip")
    exported = command("export", "my.yaml", "--inspect", folder=run.folder)
    assert exported.returncode == 0, exported.stderr
    (log,) = run.folder.glob("results/inspect/*_rooms-*_gold.json")
    about = "--source_organization_name us --evaluator_relationship other"
    library = "--eval_library_name steadfast --eval_library_version 1"
    files = ["--log_path", log, "--output_dir", tmp_path / "data"]
    convert = [python, "-m", "every_eval_ever", "convert", "inspect"]
    subprocess.run(
        [*convert, *about.split(), *library.split(), *files],
        env={"PYTHONPATH": str(tmp_path / "package"), "HOME": str(tmp_path)},
        check=True,
    )
    (record,) = tmp_path.glob("data/**/gold/*.json")
    (result,) = json.loads(record.read_text())["evaluation_results"]
    rows = run.records("rooms/scores/gold/all.jsonl")
    totals = [row["total"] for row in rows]
    assert len(totals) > 1
    assert result["score_details"]["score"] == pytest.approx(sum(totals) / len(totals))
    (samples,) = tmp_path.glob("data/**/gold/*.jsonl")
    assert len(samples.read_text().splitlines()) == len(totals)
