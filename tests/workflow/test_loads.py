"""The workflow with models that jobs load: one load for all parts, re-runs as without."""

import shutil
from pathlib import Path

import pytest

from project import ROOT, Project
from started_server import serve_command

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

FAKE = ROOT / "tests/engines/fake_vllm"
LENGTHS = {"2k": 2048, "3k": 3072, "4k": 4000}
MODEL = {"engine": "vllm", "window": 65536}
MODELS = ("one", "two")


class Loading(Project):
    """A project whose models are of a simulator for vLLM that notes its loads."""

    prompts: tuple[str, ...] = tuple(f"results/lifbench/trial/{n}.jsonl" for n in ("2k", "3k"))
    answers: tuple[str, ...] = tuple(
        f"results/lifbench/outputs/{model}/{n}.jsonl" for n in ("2k", "3k") for model in MODELS
    )

    def run(self, *arguments: str, ok: bool = True, **variables: str) -> tuple[str, list[str]]:
        """What Snakemake said of inference, or other targets, and the models that were loaded."""
        notes = self.path("loads")
        notes.unlink(missing_ok=True)
        own = {"PYTHONPATH": str(FAKE), "FAKE_VLLM_LOADS": str(notes)}
        own["FAKE_VLLM_READ"] = str(self.path("read"))
        # The simulator is loaded sooner than prompts are made.
        if not all(self.path(file).exists() for file in self.prompts):
            self.snakemake(*self.prompts)
        said = self.snakemake(*(arguments or self.answers), ok=ok, **own, **variables)
        found = notes.read_text().splitlines() if notes.exists() else []
        return said, [line.split()[0] for line in found]


def config(lengths: list[str], **settings) -> dict:
    models = {name: {**MODEL, "model": name, **settings} for name in MODELS}
    chosen = {name: LENGTHS[name] for name in lengths}
    lifbench = {"lengths": chosen, "tasks": ["LSI", "LBI"]}
    return {"lifbench": lifbench, "limit": 1, "models": models}


def outputs(project: Project) -> dict[str, bytes]:
    folder = project.path("results/lifbench/outputs")
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def finished_loading(tmp_path_factory) -> Loading:
    """Two models at two lengths, answered with one load each; not to be changed (fork it)."""
    project = Loading.new(tmp_path_factory.mktemp("loading"), config(["2k", "3k"]))
    said, loads = project.run()
    assert sorted(loads) == ["one", "two"], said
    return project


def test_one_load_a_model_writes_what_a_load_a_part_does(finished_loading, tmp_path):
    assert len(outputs(finished_loading)) == 8
    # Only the two jobs that loaded read the tokenizer.
    assert finished_loading.path("read").read_text().count("\n") == 2

    project = Loading.new(tmp_path, config(["2k", "3k"], parts_per_load=1))
    _, loads = project.run()
    assert sorted(loads) == ["one", "one", "two", "two"]
    assert outputs(project) == outputs(finished_loading)


def test_re_runs_are_those_of_each_part_and_load_where_something_is_asked(
    finished_loading, tmp_path
):
    project = Loading(finished_loading.fork(tmp_path).folder)
    lost = [f"results/lifbench/outputs/{model}/3k.jsonl" for model in MODELS]
    for path in lost:
        project.path(path).unlink()
    _, loads = project.run(*lost)
    assert loads == []
    assert outputs(project) == outputs(finished_loading)

    before = {
        path: path.stat().st_mtime_ns for path in project.path("results").rglob("outputs/*/*")
    }
    project.configure(config(["2k", "3k", "4k"]))
    assert project.planned("results/tables")["inference"] == 2
    _, loads = project.run("results/tables")
    assert sorted(loads) == ["one", "two"]
    assert before == {path: path.stat().st_mtime_ns for path in before}


def test_a_server_that_jobs_start_is_started_once_a_model(tmp_path):
    project = Loading.new(tmp_path, {})
    served = {
        "engine": "openai",
        "model": "echo-1",
        "serve": serve_command(tmp_path),
        "max_concurrency": 8,
    }

    def configure(**settings):
        models = {name: {**served, "seed": n, **settings} for n, name in enumerate(MODELS)}
        project.configure({**config(["2k", "3k"]), "models": models})

    configure()
    project.run()
    starts = project.path("pid").read_text().splitlines()
    assert len(starts) == 2
    assert all(not Path(f"/proc/{pid}").exists() for pid in starts)
    once = outputs(project)
    assert len(once) == 8

    shutil.rmtree(project.path("results/journal"))
    shutil.rmtree(project.path("results/lifbench/outputs"))
    configure(parts_per_load=1)
    project.run(*(f"results/lifbench/outputs/{path}" for path in once if "provenance" not in path))
    assert len(project.path("pid").read_text().splitlines()) == 2 + 4
    assert outputs(project) == once


def test_a_judge_is_loaded_once_for_all_models_of_all_benchmarks(tmp_path):
    raw = config([]) | {
        "benchmarks": ["cfbench", "followbench"],
        "judges": {"judge": {**MODEL, "model": "judge"}},
    }
    del raw["lifbench"]
    project = Loading.new(tmp_path, raw)
    asked = {"cfbench": ["zh"], "followbench": ["en", "zh"]}
    parts = [(name, part) for name, found in asked.items() for part in found]
    project.prompts = tuple(f"results/{name}/trial/{part}.jsonl" for name, part in parts)
    judging = [
        f"results/{name}/judging/{model}/{part}.jsonl" for name, part in parts for model in MODELS
    ]
    _, loads = project.run(*judging)
    assert sorted(loads) == ["one", "two"]
    _, loads = project.run(*(path.replace("judging", "verdicts/judge") for path in judging))
    assert loads == ["judge"]
    verdicts = project.path("results").glob("*/verdicts/judge/*/*.provenance.json")
    assert len(list(verdicts)) == 6
