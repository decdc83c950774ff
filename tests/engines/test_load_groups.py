"""Shared model loads: the jobs of a load, their priority, and the assignments of siblings."""

import pickle
from pathlib import Path

import pytest

from steadfast.base.errors import UserError
from steadfast.base.provenance import Provenance
from steadfast.config.load import load_config
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job import Assignment, Job
from steadfast.jobs.loads import DeferredList, Loads, allocated_jobs

VLLM = {"engine": "vllm", "model": "x", "window": 65536}
API = {"engine": "openai", "model": "y"}
SERVE = ["vllm", "serve", "y", "--port", "{port}"]


def loads_of(results: Path, **settings) -> Loads:
    raw = {
        "benchmarks": ["lifbench", "cfbench"],
        "lifbench": {"lengths": {"2k": 2048, "3k": 3072, "4k": 4096}},
        "models": {"tiny": {**VLLM, **settings}, "api": API, "served": {**API, "serve": SERVE}},
        "judges": {"judge": VLLM},
    }
    run = Evaluation(load_config(raw))
    return Loads(run, InputDigests(run), results)


def wildcards(benchmark: str, part: str, model="tiny", **judge: str) -> dict[str, str]:
    return {"benchmark": benchmark, "part": part, "model": model, **judge}


def job(*names: str, **options: str) -> Job:
    return Job.of(wildcards(*names, **options))


def test_models_parts_share_a_load_and_judges_verdicts_another(tmp_path):
    loads = loads_of(tmp_path)
    for part in (("lifbench", "2k"), ("lifbench", "4k"), ("cfbench", "zh")):
        assert loads.of(job(*part)) == "models.tiny"
        assert loads.of(job(*part, model="served")) == "models.served"
        assert loads.of(job(*part, model="api")) is None
    for model in ("tiny", "api"):
        assert loads.of(job("cfbench", "zh", model, judge="judge")) == "judges.judge"


def test_parts_per_load_is_the_number_of_parts(tmp_path):
    loads = loads_of(tmp_path, parts_per_load=2)
    parts = [("lifbench", "2k"), ("lifbench", "3k"), ("lifbench", "4k"), ("cfbench", "zh")]
    names = [loads.of(job(*part)) for part in parts]
    assert names == ["models.tiny+0", "models.tiny+0", "models.tiny+1", "models.tiny+1"]


def test_priority_is_by_prompts_models_judges_and_config(tmp_path):
    loads = loads_of(tmp_path)
    first = job("lifbench", "2k")
    second = job("lifbench", "3k")
    jobs = [job("lifbench", "2k", "api"), first, second, job("cfbench", "zh", judge="judge")]
    priorities = [loads.priority(job) for job in jobs]
    assert priorities[0] == 0
    assert priorities == sorted(set(priorities), reverse=True)

    outputs = tmp_path / "lifbench/outputs/tiny/2k.jsonl"
    outputs.parent.mkdir(parents=True)
    outputs.touch()  # without provenance
    loads = loads_of(tmp_path)  # as the next run has it
    assert loads.priority(first) > loads.priority(second)
    digest = InputDigests(loads.run).outputs("lifbench", "tiny", "2k").input_digest
    Provenance.beside(outputs, digest).write()
    loads = loads_of(tmp_path)
    assert loads.priority(second) > loads.priority(first)


def test_assignments_are_those_of_pending_jobs_with_a_load(tmp_path):
    results = tmp_path / "results"
    pending_jobs = [
        ("prompts", {"benchmark": "lifbench", "part": "3k"}),
        ("evaluation_inference", wildcards("lifbench", "3k")),
        ("evaluation_inference", wildcards("lifbench", "2k")),
        ("inference", wildcards("lifbench", "2k", "api")),
        ("scores", wildcards("lifbench", "4k")),
        ("verdicts", wildcards("cfbench", "zh", judge="judge")),
    ]
    loads = loads_of(results)
    first, second, verdicts = loads.assignments(pending_jobs)
    assert (second["load"], verdicts["load"]) == ("models.tiny", "judges.judge")
    assert [first["job"]["part"], second["job"]["part"]] == ["2k", "3k"]
    assignment = Assignment.plain(first)
    assert assignment.path(assignment.job.outputs) == results / "lifbench/outputs/tiny/2k.jsonl"
    assert assignment.path(assignment.job.log) == results / "logs/lifbench/inference/tiny/2k.log"
    # It is ready as soon as its inputs are there, made by this config.
    assert not assignment.ready
    assert list(assignment.made_from) == [assignment.prompts, *assignment.sources]
    prompts_digest = InputDigests(loads.run).prompts("lifbench", "2k").input_digest
    assert assignment.made_from[assignment.prompts] == prompts_digest
    for path, input_digest in assignment.made_from.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("{}\n")
        Provenance.beside(Path(path), input_digest).write()
    assert assignment.ready


def test_jobs_of_an_allocation_are_inherited(monkeypatch):
    jobs = [("inference", wildcards("lifbench", part)) for part in ("2k", "3k")]
    monkeypatch.setenv("STEADFAST_ALLOCATION", "")  # so that it is removed after the test
    monkeypatch.delenv("STEADFAST_ALLOCATION")
    assert allocated_jobs([]) == []
    # The process of one job inherits the jobs of the first.
    for own_jobs in (jobs, jobs[:1]):
        assert list(map(tuple, allocated_jobs(own_jobs))) == jobs


def test_deferred_list_is_computed_once_and_pickled_plain():
    numbers = iter(range(1, 10))
    value = DeferredList(lambda: [{"number": next(numbers)}])
    for _ in range(2):
        assert pickle.loads(pickle.dumps(value)) == [{"number": 1}]


@pytest.mark.parametrize("name", ["parts_per_load", "data_parallel_size"])
def test_number_below_one_is_refused(name, tmp_path):
    with pytest.raises(UserError, match=name):
        loads_of(tmp_path, **{name: 0})
