"""Which jobs share a load, in which order they come, and what each is told of the others."""

import pickle
from pathlib import Path

import pytest

from steadfast.base.errors import UserError
from steadfast.base.provenance import Provenance
from steadfast.config.load import load_config
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job import Assignment, Job
from steadfast.jobs.loads import HandedOver, Loads, allocated

VLLM = {"engine": "vllm", "model": "x", "window": 65536}
API = {"engine": "openai", "model": "y"}
SERVE = ["vllm", "serve", "y", "--port", "{port}"]


def loads(results: Path, **settings) -> Loads:
    raw = {
        "benchmarks": ["lifbench", "cfbench"],
        "lifbench": {"lengths": {"2k": 2048, "3k": 3072, "4k": 4096}},
        "models": {"tiny": {**VLLM, **settings}, "api": API, "served": {**API, "serve": SERVE}},
        "judges": {"judge": VLLM},
    }
    run = Evaluation(load_config(raw))
    return Loads(run, InputDigests(run), results)


def job(benchmark: str, part: str, **others: str) -> dict[str, str]:
    """A job's wildcards."""
    return {"benchmark": benchmark, "part": part, "model": "tiny", **others}


def load_of(groups: Loads, wildcards: dict[str, str]) -> str | None:
    return groups.of(Job.of(wildcards))


def test_a_models_parts_of_all_benchmarks_share_a_load_and_a_judges_verdicts_another(tmp_path):
    groups = loads(tmp_path)
    for wildcards in (job("lifbench", "2k"), job("lifbench", "4k"), job("cfbench", "zh")):
        assert load_of(groups, wildcards) == "models.tiny"
        assert load_of(groups, {**wildcards, "model": "served"}) == "models.served"
        assert load_of(groups, {**wildcards, "model": "api"}) is None
    for model in ("tiny", "api"):
        assert load_of(groups, job("cfbench", "zh", judge="judge", model=model)) == "judges.judge"


def test_parts_per_load_gives_so_many_parts_a_load(tmp_path):
    groups = loads(tmp_path, parts_per_load=2)
    parts = [("lifbench", "2k"), ("lifbench", "3k"), ("lifbench", "4k"), ("cfbench", "zh")]
    names = [load_of(groups, job(*part)) for part in parts]
    assert names == ["models.tiny+0", "models.tiny+0", "models.tiny+1", "models.tiny+1"]


def test_prompts_come_before_models_and_models_before_judges_and_first_jobs_first(tmp_path):
    groups = loads(tmp_path)
    judge = job("cfbench", "zh", judge="judge")
    api = job("lifbench", "2k", model="api")
    first = job("lifbench", "2k")
    second = job("lifbench", "3k")
    order = [groups.priority(Job.of(wildcards)) for wildcards in (api, first, second, judge)]
    assert order[0] == 0
    assert order == sorted(set(order), reverse=True)

    done = tmp_path / "lifbench/outputs/tiny/2k.jsonl"
    done.parent.mkdir(parents=True)
    done.touch()
    groups = loads(tmp_path)  # as the next run sees it
    assert groups.priority(Job.of(first)) > groups.priority(
        Job.of(second)
    )  # made from nobody knows what
    Provenance.beside(
        done, InputDigests(groups.run).outputs("lifbench", "tiny", "2k").input_digest
    ).write()
    groups = loads(tmp_path)
    assert groups.priority(Job.of(second)) > groups.priority(Job.of(first))


def test_jobs_are_told_of_those_that_the_run_is_to_do_and_of_no_others(tmp_path):
    results = tmp_path / "results"
    jobs = [
        ("prompts", {"benchmark": "lifbench", "part": "3k"}),
        ("evaluation_inference", job("lifbench", "3k")),
        ("evaluation_inference", job("lifbench", "2k")),
        ("inference", job("lifbench", "2k", model="api")),
        ("scores", job("lifbench", "4k")),
        ("verdicts", job("cfbench", "zh", judge="judge")),
    ]
    groups = loads(results)
    first, second, verdicts = groups.assignments(jobs)
    assert (second["load"], verdicts["load"]) == ("models.tiny", "judges.judge")
    assert [first["job"]["part"], second["job"]["part"]] == ["2k", "3k"]
    assignment = Assignment.plain(first)
    assert assignment.path(assignment.job.outputs) == results / "lifbench/outputs/tiny/2k.jsonl"
    assert assignment.path(assignment.job.log) == results / "logs/lifbench/inference/tiny/2k.log"
    # What it needs counts once it is there, made by this config.
    assert not assignment.ready
    assert list(assignment.made_from) == [assignment.prompts, *assignment.sources]
    steps = InputDigests(groups.run)
    prompts = steps.prompts("lifbench", "2k").input_digest
    assert assignment.made_from[assignment.prompts] == prompts
    for path, input_digest in assignment.made_from.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("{}\n")
        Provenance.beside(Path(path), input_digest).write()
    assert assignment.ready


def test_a_clusters_job_knows_the_jobs_that_it_was_given(monkeypatch):
    jobs = [("inference", job("lifbench", part)) for part in ("2k", "3k")]
    monkeypatch.setenv("STEADFAST_ALLOCATION", "")
    monkeypatch.delenv("STEADFAST_ALLOCATION")
    assert allocated([]) == []
    # The process of one job inherits what the first was told.
    for told in (jobs, jobs[:1]):
        assert [tuple(one) for one in allocated(told)] == jobs


def test_what_is_handed_over_is_found_once_and_plain():
    times = iter(range(1, 10))
    handed = HandedOver(lambda: [{"times": next(times)}])
    first, second = [pickle.loads(pickle.dumps(handed)) for _ in range(2)]
    assert first == second == [{"times": 1}]


@pytest.mark.parametrize("settings", [{"parts_per_load": 0}, {"data_parallel_size": 0}])
def test_numbers_below_one_are_errors(settings, tmp_path):
    with pytest.raises(UserError, match=next(iter(settings))):
        loads(tmp_path, **settings)
