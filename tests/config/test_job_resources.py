"""What a job asks for: from the model list, more for longer contexts and further attempts."""

import pytest

from steadfast.config.job_resources import pooled_resources, resources
from steadfast.config.load import load_config

CONFIG = load_config(
    {
        "models": {
            "remote": {"engine": "openai", "model": "m"},
            "small": {"engine": "openai", "model": "m", "gpus": 1, "hours": 2},
            "large": {"engine": "openai", "model": "m", "gpus": 4, "mem_gb": 100.5, "hours": 1},
        },
    }
)


def request(model, tokens=3072, attempt=1):
    return resources(CONFIG.models[model], tokens, attempt)


def test_an_engine_without_a_model_in_the_job_asks_for_no_gpu():
    expected = {"gpu": 0, "mem_mb": 4000, "runtime": 240, "cpus_per_task": 1}
    assert request("remote") == expected


def test_the_model_list_says_what_a_job_asks_for():
    assert request("large") == {"gpu": 4, "mem_mb": 100500, "runtime": 60, "cpus_per_task": 16}


def test_memory_and_cores_follow_from_the_gpus_where_the_list_names_none():
    assert request("small") == {"gpu": 1, "mem_mb": 48000, "runtime": 120, "cpus_per_task": 4}


@pytest.mark.parametrize(("tokens", "minutes"), [(512, 120), (32768, 120), (122880, 450)])
def test_contexts_beyond_32k_get_time_in_proportion(tokens, minutes):
    assert request("small", tokens)["runtime"] == minutes


def test_each_attempt_gets_more_time_and_memory_and_the_same_gpus():
    attempts = [request("small", attempt=attempt) for attempt in (1, 2, 3)]
    assert [each["runtime"] for each in attempts] == [120, 180, 240]
    assert [each["mem_mb"] for each in attempts] == [48000, 72000, 96000]
    assert {each["gpu"] for each in attempts} == {1}


def test_jobs_that_share_a_request_ask_for_the_most_of_each():
    jobs = [(CONFIG.models["small"], 65536), (CONFIG.models["large"], 3072)]
    expected = {"gpu": 4, "mem_mb": 100500, "runtime": 240, "cpus_per_task": 16}
    assert pooled_resources(jobs) == expected


def test_a_model_whose_engine_shares_it_among_gpus_asks_for_those():
    shared = {"engine": "vllm", "model": "m", "window": 4096, "tensor_parallel_size": 2}
    config = load_config({"models": {"shared": shared}})
    assert resources(config.models["shared"], 3072)["gpu"] == 2
