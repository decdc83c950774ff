"""What a job asks for: from its prompts and the model's speed."""

import json
import logging
import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from steadfast.base.provenance import Provenance
from steadfast.config.load import load_config
from steadfast.config.settings import gpus
from steadfast.engines.cost.forecast import Work, evaluation_work
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job_resources import Scheduling, cpus_per_task, mem_mb, runtime
from steadfast.jobs.loads import Loads
from steadfast.workflow.failures import FailedJobs
from steadfast.workflow.insides import Snakemake

SHARED = {"engine": "vllm", "model": "a/b", "window": 4096, "tensor_parallel_size": 2}
REMOTE = {"engine": "openai", "model": "m"}
SPEED = {"prefill": 1000, "decode": 100}
MODELS = {
    "remote": REMOTE,
    "small": {"engine": "openai", "model": "m", "gpus": 1, "hours": 2},
    "large": {"engine": "openai", "model": "m", "gpus": 4, "mem_gb": 100.5, "hours": 1},
    "unknown": SHARED,
    "timed": {**SHARED, "throughput": SPEED},
    "served": {**REMOTE, "serve": ["serve", "{port}"], "gpus": 2, "throughput": SPEED},
}
CONFIG = load_config({"lifbench": {"lengths": {"4k": 3072, "128k": 122880}}, "models": MODELS})
WORK = Work(distinct=60_000, output=12_000)  # timed: 180 s


def minutes(model, work=WORK, config=CONFIG, **more):
    return runtime(config.models[model], config.hardware, work, **more)


def test_gpus_memory_cores_and_time_follow_from_what_is_stated_and_grow_with_attempts():
    found = {name: (gpus(m), mem_mb(m), cpus_per_task(m)) for name, m in CONFIG.models.items()}
    assert found["remote"] == (0, 4_000, 1)
    assert found["small"] == (1, 48_000, 4)
    assert found["large"] == (4, 100_500, 16)
    assert found["unknown"] == (2, 96_000, 8)
    twice = Work(120_000, 24_000)
    assert minutes("small") == minutes("small", twice) == 120
    assert (minutes("timed"), minutes("timed", twice)) == (2 * 180 / 60 + 10, 2 * 360 / 60 + 10)
    assert minutes("unknown") == minutes("remote") == 240
    assert [minutes("timed", attempt=attempt) for attempt in (1, 2, 3)] == [16, 24, 32]
    assert [mem_mb(CONFIG.models["small"], attempt) for attempt in (1, 2)] == [48_000, 72_000]


def test_no_job_and_no_load_asks_for_more_than_the_most_hours():
    raw = {"models": MODELS, "hardware": {"max_hours": 0.5}}
    config = load_config(raw)
    assert minutes("timed", config=config) == 16
    assert minutes("timed", config=config, attempt=4) == 30
    # Three jobs of one allocation, 15.3 minutes each, share its half hour.
    assert minutes("timed", config=config, others=[WORK, WORK], sharing=3) == 10


NOBODY = Snakemake(SimpleNamespace())
"""A run of which nothing is asked."""


class Wildcards(dict):
    __getattr__ = dict.__getitem__


def write_prompts(results, part, requests):
    path = results / "lifbench" / "prompts" / f"{part}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    prompt = {"context_id": "c", "task": "LSI", "instruction": "Which?", "max_tokens": 120}
    path.write_text("".join(json.dumps(prompt) + "\n" for _ in range(requests)))
    return path


def scheduling_of(run, results):
    failures = FailedJobs(results / "logs", logging.getLogger(__name__))
    return Scheduling(Loads(run, InputDigests(run), results), NOBODY, failures)


def asked(results, name, part="4k", model="timed", config=CONFIG, **wildcards):
    run = Evaluation(config)
    scheduling = scheduling_of(run, results)
    place = Wildcards({"benchmark": "lifbench", "model": model, "part": part} | wildcards)
    attempt = () if name in ("gpu", "cpus_per_task") else (1,)
    return getattr(scheduling, name)(place, *attempt)


def test_a_job_whose_prompts_are_not_made_has_no_time_yet(tmp_path):
    assert asked(tmp_path, "gpu") == 2
    with pytest.raises(FileNotFoundError) as failure:
        asked(tmp_path, "runtime")
    assert failure.value.filename == str(tmp_path / "lifbench/prompts/4k.jsonl")


@pytest.mark.parametrize("model", ["timed", "served"])
def test_the_load_is_shared_by_the_parts_that_are_still_to_be_answered(tmp_path, model):
    write_prompts(tmp_path, "4k", 100)  # 12,000 tokens of answers, at 100 a second
    write_prompts(tmp_path, "128k", 100)
    alone = 2 * (12_000 / 100 + 3_272 / 1_000) / 60
    assert asked(tmp_path, "runtime", model=model) == -(-(alone + 5) // 1)
    outputs = tmp_path / "lifbench" / "outputs" / model / "128k.jsonl"
    outputs.parent.mkdir(parents=True)
    outputs.touch()
    steps = InputDigests(Evaluation(CONFIG))
    provenance = Provenance.beside(outputs, steps.outputs("lifbench", model, "128k").input_digest)
    replace(provenance, input_digest="of another config").write()
    assert asked(tmp_path, "runtime", model=model) == -(-(alone + 5) // 1)  # it is made again
    provenance.write()
    assert asked(tmp_path, "runtime", model=model) == -(-(alone + 10) // 1)


def test_loads_are_shared_by_as_many_parts_as_they_have_within_the_most_hours(tmp_path):
    for part in ("4k", "128k"):
        write_prompts(tmp_path, part, 100)
    models = {"timed": {**MODELS["timed"], "parts_per_load": 1}}
    config = load_config({"lifbench": CONFIG.lifbench.model_dump(), "models": models})
    alone = 2 * (12_000 / 100 + 3_272 / 1_000) / 60
    assert asked(tmp_path, "runtime", config=config) == math.ceil(alone + 10)
    for part in ("4k", "128k"):
        write_prompts(tmp_path, part, 100)
    raw = {"lifbench": CONFIG.lifbench.model_dump(), "models": MODELS}
    config = load_config({**raw, "hardware": {"max_hours": 6}})
    assert asked(tmp_path, "runtime", model="remote", config=config) == 240
    assert asked(tmp_path, "runtime", model="unknown", config=config) == 180


def test_all_benchmarks_and_models_of_a_load_share_it_and_the_most_hours(tmp_path):
    write_prompts(tmp_path, "4k", 100)
    raw = {
        "benchmarks": ["lifbench", "cfbench", "complexbench"],
        "lifbench": {"lengths": {"4k": 3072}},
        "complexbench": {"languages": ["zh"]},
        "models": {
            "one": {**SHARED, "throughput": {"prefill": 1000, "decode": 100}},
            "api": MODELS["remote"],
        },
        "judges": {"judge": {**SHARED, "throughput": {"prefill": 1000, "decode": 10}}},
    }
    config = load_config(raw)
    # 2 × 123.3 s of work and ten minutes for lifbench, cfbench and complexbench: a third of them.
    assert asked(tmp_path, "runtime", model="one", config=config) == math.ceil(4.11 + 10 / 3)
    limited = load_config({**raw, "hardware": {"max_hours": 1}})
    request = {"id": "a", "tail": "Is it so?", "expected": {}, "reminder": "", "max_tokens": 9000}
    prompt = {"answer_id": "a", "template": "t", "head": "h" * 30, "answer": "w" * 60}
    jobs = [(name, model) for name in ("cfbench", "complexbench") for model in ("one", "api")]
    for benchmark, model in jobs:
        path = tmp_path / benchmark / "judging" / model / "zh.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({**prompt, "requests": [request] * 5}) + "\n")
    # Four jobs of 5 × 9,000 tokens, 4,500 s each, ten hours with the margin, in one hour.
    asks = [
        asked(tmp_path, "runtime", "zh", config=limited, benchmark=name, model=model, judge="judge")
        for name, model in jobs
    ]
    assert asks == [15, 15, 15, 15]


def test_jobs_without_a_model_run_here_unless_slurm_is_to_give_them_something(tmp_path):
    reference = {"engine": "reference"}
    models = {
        "plain": reference,
        "gpus": {**reference, "gpus": 1},
        "stated": {**reference, "slurm": {"partition": "cpu"}},
        "remote": REMOTE,
    }
    config = load_config({"lifbench": {"lengths": {"4k": 3072}}, "models": models})
    run = Evaluation(config)
    scheduling = scheduling_of(run, tmp_path)

    def runs_here(model, rule="inference"):
        wildcards = Wildcards({"benchmark": "lifbench", "model": model, "part": "4k"})
        return scheduling.runs_here(
            SimpleNamespace(rule=SimpleNamespace(name=rule), wildcards=wildcards)
        )

    assert {name: runs_here(name) for name in models} == {
        "plain": True, "gpus": False, "stated": False, "remote": False,
    }  # fmt: skip
    assert runs_here("plain", "other_inference") and not runs_here("plain", "scores")


def test_work_is_counted_without_a_tokenizer(tmp_path):
    path = write_prompts(tmp_path, "4k", 10)
    assert evaluation_work(path, 3_000, {}) == Work(3_020, 1_200)
    assert evaluation_work(path, 3_000, {"window": 1_000}).distinct == 1_020  # the context is cut
    own = {"max_tokens": {"LSI": 50}, "reasoning": {"tokens": 1_000}, "repeats": 2}
    assert evaluation_work(path, 3_000, own).output == 10 * 2 * 1_050
    judging = tmp_path / "judging.jsonl"
    request = {"id": "a", "tail": "Is it so?", "expected": {}, "reminder": "", "max_tokens": 8}
    prompt = {"answer_id": "a", "template": "t", "head": "h" * 30, "answer": "w" * 60}
    judging.write_text(json.dumps({**prompt, "requests": [request, request]}) + "\n")
    assert evaluation_work(judging, 0, {}) == Work(30 + 6, 16)


@pytest.mark.parametrize(
    ("machine", "counts"), [("2 × NVIDIA H100", True), ("4 × NVIDIA H100", False)]
)
def test_past_runs_of_a_model_with_copies_are_those_on_the_gpus_of_one(tmp_path, machine, counts):
    models = {"copied": {**SHARED, "data_parallel_size": 2, "throughput": SPEED}}
    config = load_config({"models": models})
    assert gpus(config.models["copied"]) == 4
    run = {
        "wall_seconds": 2000.0,
        "load_seconds": 200.0,
        "answered": 100,
        "prompt_tokens": 400_000,
        "computed_tokens": 60_000,
        "output_tokens": 12_000,
        "machine": machine,
    }
    (tmp_path / "4k.run.json").write_text(json.dumps({"runs": [run]}))
    # 1,800 s of work and 200 s of load, twice, and ten minutes; as stated 180 s.
    measured = math.ceil(2 * 2000 / 60 + 10)
    assert minutes("copied", config=config, folders=[tmp_path]) == (measured if counts else 16)
