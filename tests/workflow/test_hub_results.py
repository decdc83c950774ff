"""Results for model cards of the Hugging Face hub: steadfast export --hub."""

import json

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

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
        ("rooms=rooms", "--hub: 'rooms' is no id on the hub; write OWNER/NAME"),
        ("rooms", "--hub: 'rooms' has no =; write BENCHMARK=OWNER/NAME"),
    ):
        done = export(run, dataset)
        assert done.returncode == 1 and message in done.stderr, dataset


def test_synthetic_data_are_refused(project):
    done = export(project, "lifbench=me/lifbench")
    assert done.returncode == 1
    assert "synthetic data measure no model" in done.stderr
    assert not project.path("results/hub").exists()
