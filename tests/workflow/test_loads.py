"""Models that jobs load: one load for all parts, and re-runs as of other models."""

import shutil
from pathlib import Path

import pytest

from project import ROOT, Project
from started_server import serve_command

pytestmark = [pytest.mark.wide, pytest.mark.workflow]

FAKE = ROOT / "tests/engines/fake_vllm"
LENGTHS = {"2k": 2048, "3k": 3072}
MODEL = {"engine": "vllm", "window": 65536}
MODELS = ("one", "two")


class LoadingProject(Project):
    """A project whose models are of a simulator for vLLM that records its loads."""

    def loads(self, *targets: str) -> list[str]:
        """Runs Snakemake; the models that were loaded, sorted."""
        log = self.path("loads")
        log.write_text("")
        fake = {"PYTHONPATH": str(FAKE), "FAKE_VLLM_LOADS": str(log)}
        self.snakemake(*targets, **fake, FAKE_VLLM_READ=str(self.path("read")))
        return sorted(line.split()[0] for line in log.read_text().splitlines())


def paths(kind: str, benchmark: str = "lifbench", parts: tuple[str, ...] = ("2k", "3k")):
    """Results of that kind for all models and parts."""
    files = []
    for model in MODELS:
        files += [f"results/{benchmark}/{kind}/{model}/{part}.jsonl" for part in parts]
    return files


def trials(benchmark: str = "lifbench", parts: tuple[str, ...] = ("2k", "3k")) -> list[str]:
    """The prompts, which are made first: the simulator is loaded sooner than they are."""
    return [f"results/{benchmark}/trial/{part}.jsonl" for part in parts]


def config(lengths: dict[str, int] = LENGTHS, **settings) -> dict:
    models = {name: {**MODEL, "model": name, **settings} for name in MODELS}
    lifbench = {"lengths": lengths, "tasks": ["LSI", "LBI"]}
    return {"lifbench": lifbench, "limit": 1, "models": models}


def outputs(project: Project) -> dict[str, bytes]:
    folder = project.path("results/lifbench/outputs")
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def finished_loading(tmp_path_factory) -> LoadingProject:
    """Two models at two lengths, answered with one load each; not to be changed (fork it)."""
    project = LoadingProject.new(tmp_path_factory.mktemp("loading"), config())
    project.snakemake(*trials())
    assert project.loads(*paths("outputs")) == ["one", "two"]
    return project


def test_outputs_of_one_load_are_those_of_a_load_for_each_part(finished_loading, tmp_path):
    assert len(outputs(finished_loading)) == 8
    # Only the two jobs that loaded read the tokenizer.
    assert finished_loading.path("read").read_text().count("\n") == 2

    project = LoadingProject.new(tmp_path, config(parts_per_load=1))
    project.snakemake(*trials())
    assert project.loads(*paths("outputs")) == ["one", "one", "two", "two"]
    assert outputs(project) == outputs(finished_loading)


def test_rerun_loads_only_where_requests_are_new(finished_loading, tmp_path):
    project = LoadingProject(finished_loading.fork(tmp_path).folder)
    deleted = paths("outputs", parts=("3k",))
    for path in deleted:
        project.path(path).unlink()
    assert project.loads(*deleted) == []
    assert outputs(project) == outputs(finished_loading)

    files = list(project.path("results").rglob("outputs/*/*"))
    before = [path.stat().st_mtime_ns for path in files]
    project.configure(config({**LENGTHS, "4k": 4000}))
    assert project.planned("results/tables")["inference"] == 2
    assert project.loads("results/tables") == ["one", "two"]
    assert [path.stat().st_mtime_ns for path in files] == before


def test_server_started_by_jobs_is_started_once_for_each_model(tmp_path):
    project = LoadingProject.new(tmp_path, {})
    served = {"engine": "openai", "model": "echo-1", "serve": serve_command(tmp_path)}
    served |= {"max_concurrency": 8}

    def configure(**settings):
        models = {name: {**served, "seed": n, **settings} for n, name in enumerate(MODELS)}
        project.configure(config() | {"models": models})

    configure()
    project.snakemake(*trials())
    project.snakemake(*paths("outputs"))
    processes = project.path("pid").read_text().splitlines()
    assert len(processes) == 2
    assert not any(Path(f"/proc/{pid}").exists() for pid in processes)
    before = outputs(project)
    assert len(before) == 8

    shutil.rmtree(project.path("results/journal"))
    shutil.rmtree(project.path("results/lifbench/outputs"))
    configure(parts_per_load=1)
    project.snakemake(*paths("outputs"))
    assert len(project.path("pid").read_text().splitlines()) == 2 + 4
    assert outputs(project) == before


def test_judge_is_loaded_once_for_all_models_and_benchmarks(tmp_path):
    parts = {"cfbench": ("zh",), "followbench": ("en", "zh")}
    raw = config() | {"benchmarks": list(parts), "judges": {"judge": {**MODEL, "model": "judge"}}}
    del raw["lifbench"]
    project = LoadingProject.new(tmp_path, raw)
    prompts = []
    judging = []
    verdicts = []
    for benchmark in parts:
        prompts += trials(benchmark, parts[benchmark])
        judging += paths("judging", benchmark, parts[benchmark])
        verdicts += paths("verdicts/judge", benchmark, parts[benchmark])
    project.snakemake(*prompts)
    assert project.loads(*judging) == ["one", "two"]
    assert project.loads(*verdicts) == ["judge"]
    written = project.path("results").glob("*/verdicts/judge/*/*.provenance.json")
    assert len(list(written)) == 6
