"""Resources of a job, from its prompts and the speed of its model."""

import json
import math
from itertools import product
from types import SimpleNamespace

import pytest

from job_scheduling import Wildcards, scheduling
from steadfast.base.provenance import Provenance
from steadfast.config.load import load_config
from steadfast.config.settings import gpus
from steadfast.engines.cost.forecast import Work, evaluation_work
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job_resources import cpus_per_task, mem_mb, runtime, slurm_resources

VLLM = {"engine": "vllm", "model": "a/b", "window": 4096, "tensor_parallel_size": 2}
REMOTE = {"engine": "openai", "model": "m"}
SPEED = {"prefill": 1000, "decode": 100}
MODELS = {
    "remote": REMOTE,
    "small": {"engine": "openai", "model": "m", "gpus": 1, "hours": 2},
    "large": {"engine": "openai", "model": "m", "gpus": 4, "mem_gb": 100.5, "hours": 1},
    "unknown": VLLM,
    "timed": {**VLLM, "throughput": SPEED},
    "served": {**REMOTE, "serve": ["serve", "{port}"], "gpus": 2, "throughput": SPEED},
}
CONFIG = load_config({"lifbench": {"lengths": {"4k": 3072, "128k": 122880}}, "models": MODELS})
WORK = Work(distinct=60_000, output=12_000)  # 180 s at SPEED


def minutes(model, work=WORK, config=CONFIG, **context):
    return runtime(config.models[model], config.hardware, work, **context)


def test_gpus_memory_and_cores_follow_from_the_model():
    expected = {
        "remote": (0, 4_000, 1),
        "small": (1, 48_000, 4),
        "large": (4, 100_500, 16),
        "unknown": (2, 96_000, 8),
    }
    for name, resources in expected.items():
        model = CONFIG.models[name]
        assert (gpus(model), mem_mb(model), cpus_per_task(model)) == resources, name


def test_time_follows_from_work_and_speed_unless_stated():
    double = Work(120_000, 24_000)
    assert minutes("small") == minutes("small", double) == 120
    assert minutes("timed") == 2 * 180 / 60 + 10
    assert minutes("timed", double) == 2 * 360 / 60 + 10
    assert minutes("unknown") == minutes("remote") == 240


def test_time_and_memory_grow_with_attempts():
    assert [minutes("timed", attempt=attempt) for attempt in (1, 2, 3)] == [16, 24, 32]
    assert [mem_mb(CONFIG.models["small"], attempt) for attempt in (1, 2)] == [48_000, 72_000]


def test_jobs_and_loads_are_limited_to_max_hours():
    config = load_config({"models": MODELS, "hardware": {"max_hours": 0.5}})
    assert minutes("timed", config=config) == 16
    assert minutes("timed", config=config, attempt=4) == 30
    # Three jobs of one allocation, 15.3 minutes each, share its half hour.
    assert minutes("timed", config=config, others=[WORK, WORK], sharing=3) == 10


def write_prompts(results, part, count):
    path = results / "lifbench" / "prompts" / f"{part}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    prompt = {"context_id": "c", "task": "LSI", "instruction": "Which?", "max_tokens": 120}
    path.write_text(f"{json.dumps(prompt)}\n" * count)
    return path


def judge_prompt(requests, max_tokens):
    request = {"id": "a", "tail": "Is it so?", "expected": {}, "reminder": ""}
    requests = [{**request, "max_tokens": max_tokens}] * requests
    prompt = {"answer_id": "a", "template": "t", "head": "h" * 30, "answer": "w" * 60}
    return json.dumps({**prompt, "requests": requests}) + "\n"


def job_runtime(results, part="4k", model="timed", config=CONFIG, **wildcards):
    job = Wildcards({"benchmark": "lifbench", "model": model, "part": part} | wildcards)
    return scheduling(config, results).runtime(job, 1)


def test_job_without_prompts_has_gpus_and_no_time_yet(tmp_path):
    job = Wildcards(benchmark="lifbench", model="timed", part="4k")
    assert scheduling(CONFIG, tmp_path).gpu(job) == 2
    with pytest.raises(FileNotFoundError) as error:
        job_runtime(tmp_path)
    assert error.value.filename == str(tmp_path / "lifbench/prompts/4k.jsonl")


# With a margin of 2: 12,000 tokens of responses at 100 a second, 3,272 of prompts at 1,000.
PART_MINUTES = 2 * (12_000 / 100 + 3_272 / 1_000) / 60


def test_time_of_a_part_includes_its_contexts(tmp_path):
    write_prompts(tmp_path, "4k", 1)
    slow = {"slow": {**VLLM, "throughput": {"prefill": 10, "decode": 1000}}}
    config = load_config({"lifbench": {"lengths": {"4k": 3072}}, "models": slow})
    seconds = (3072 + 2) / 10 + 120 / 1000
    assert job_runtime(tmp_path, model="slow", config=config) == math.ceil(2 * seconds / 60 + 10)


@pytest.mark.parametrize("model", ["timed", "served"])
def test_load_is_shared_by_the_parts_without_outputs(tmp_path, model):
    write_prompts(tmp_path, "4k", 100)
    write_prompts(tmp_path, "128k", 100)
    assert job_runtime(tmp_path, model=model) == math.ceil(PART_MINUTES + 5)
    outputs = tmp_path / "lifbench" / "outputs" / model / "128k.jsonl"
    outputs.parent.mkdir(parents=True)
    outputs.touch()
    Provenance.beside(outputs, "of another config").write()
    assert job_runtime(tmp_path, model=model) == math.ceil(PART_MINUTES + 5)  # it is made again
    step = InputDigests(Evaluation(CONFIG)).outputs("lifbench", model, "128k")
    Provenance.beside(outputs, step.input_digest).write()
    assert job_runtime(tmp_path, model=model) == math.ceil(PART_MINUTES + 10)


def test_load_of_a_single_part_is_not_shared(tmp_path):
    write_prompts(tmp_path, "4k", 100)
    write_prompts(tmp_path, "128k", 100)
    models = {"timed": {**MODELS["timed"], "parts_per_load": 1}}
    config = load_config({"lifbench": CONFIG.lifbench.model_dump(), "models": models})
    assert job_runtime(tmp_path, config=config) == math.ceil(PART_MINUTES + 10)


def test_parts_of_a_load_share_max_hours(tmp_path):
    write_prompts(tmp_path, "4k", 100)
    write_prompts(tmp_path, "128k", 100)
    raw = {"lifbench": CONFIG.lifbench.model_dump(), "models": MODELS}
    config = load_config({**raw, "hardware": {"max_hours": 6}})
    assert job_runtime(tmp_path, model="remote", config=config) == 240
    assert job_runtime(tmp_path, model="unknown", config=config) == 180


def test_all_benchmarks_and_models_of_a_load_share_it_and_max_hours(tmp_path):
    write_prompts(tmp_path, "4k", 100)
    benchmarks = ("cfbench", "complexbench")
    models = ("one", "api")
    raw = {
        "benchmarks": ["lifbench", *benchmarks],
        "lifbench": {"lengths": {"4k": 3072}},
        "complexbench": {"languages": ["zh"]},
        "models": {"one": {**VLLM, "throughput": SPEED}, "api": REMOTE},
        "judges": {"judge": {**VLLM, "throughput": {"prefill": 1000, "decode": 10}}},
    }
    # 2 × 123.3 s of work and ten minutes for lifbench, cfbench and complexbench: a third of them.
    runtime = job_runtime(tmp_path, model="one", config=load_config(raw))
    assert runtime == math.ceil(4.11 + 10 / 3)
    limited = load_config({**raw, "hardware": {"max_hours": 1}})
    for benchmark, model in product(benchmarks, models):
        path = tmp_path / benchmark / "judging" / model / "zh.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text(judge_prompt(requests=5, max_tokens=9000))
    # Four jobs of 5 × 9,000 tokens, 4,500 s each, ten hours with the margin, in one hour.
    for benchmark, model in product(benchmarks, models):
        job = {"benchmark": benchmark, "part": "zh", "model": model, "judge": "judge"}
        assert job_runtime(tmp_path, config=limited, **job) == 15


def test_options_of_sbatch_become_resources_of_the_plugin():
    options = {"partition": "large", "exclusive": True, "requeue": False, "nice": 10}
    config = load_config(
        {"models": {"m": {**REMOTE, "slurm": options | {"reservation": "my run"}}}}
    )
    assert slurm_resources(config.models["m"]) == {
        "slurm_partition": "large",
        "slurm_extra": "--exclusive --nice=10 '--reservation=my run'",
    }


def test_jobs_without_a_model_run_here_unless_they_request_slurm_resources(tmp_path):
    reference = {"engine": "reference"}
    models = {
        "plain": reference,
        "gpus": {**reference, "gpus": 1},
        "stated": {**reference, "slurm": {"partition": "cpu"}},
        "remote": REMOTE,
    }
    config = load_config({"lifbench": {"lengths": {"4k": 3072}}, "models": models})

    def runs_here(model, rule="inference"):
        wildcards = Wildcards(benchmark="lifbench", model=model, part="4k")
        job = SimpleNamespace(rule=SimpleNamespace(name=rule), wildcards=wildcards)
        return scheduling(config, tmp_path).runs_here(job)

    assert [name for name in models if runs_here(name)] == ["plain"]
    assert runs_here("plain", "other_inference") and not runs_here("plain", "scores")


def test_work_is_counted_without_a_tokenizer(tmp_path):
    path = write_prompts(tmp_path, "4k", 10)
    assert evaluation_work(path, 3_000, {}) == Work(3_020, 1_200)
    truncated = evaluation_work(path, 3_000, {"window": 1_000})
    assert truncated.distinct == 1_020
    settings = {"max_tokens": {"LSI": 50}, "reasoning": {"tokens": 1_000}, "repeats": 2}
    assert evaluation_work(path, 3_000, settings).output == 10 * 2 * 1_050
    judging = tmp_path / "judging.jsonl"
    judging.write_text(judge_prompt(requests=2, max_tokens=8))
    assert evaluation_work(judging, 0, {}) == Work(30 + 6, 16)


# 1,800 s of work and 200 s of load, twice, and ten minutes; as stated 180 s.
@pytest.mark.parametrize(("run_gpus", "runtime"), [(2, math.ceil(4000 / 60 + 10)), (4, 16)])
def test_speed_is_measured_by_runs_on_the_gpus_of_one_copy(tmp_path, run_gpus, runtime):
    models = {"copied": {**VLLM, "data_parallel_size": 2, "throughput": SPEED}}
    config = load_config({"models": models})
    assert gpus(config.models["copied"]) == 4
    run = {
        "wall_seconds": 2000.0, "load_seconds": 200.0, "answered": 100, "prompt_tokens": 400_000,
        "computed_tokens": 60_000, "output_tokens": 12_000, "machine": f"{run_gpus} × NVIDIA H100",
    }  # fmt: skip
    (tmp_path / "4k.run.json").write_text(json.dumps({"runs": [run]}))
    assert minutes("copied", config=config, folders=[tmp_path]) == runtime
