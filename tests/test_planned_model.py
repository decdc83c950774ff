"""What a plan says of the jobs of a model: their shares of the load, and what does not fit."""

import json
import math
from dataclasses import replace

import pytest

from steadfast.engines.cost.roofline import Work
from steadfast.plan.model import PlannedModel

HARDWARE = {"gpu": "h100", "load_gb_per_second": None, "max_hours": None, "margin": 2.0}
PLAN = {
    "throughput": {"prefill": 1e9, "decode": 1.0, "gpus": 1},
    "size": {"parameters": 72.7, "layers": 80, "hidden": 8192, "kv": 1024},
    "price": None,
    "hours": None,
    "gpus": 4,
    "copies": 1,
    "at_once": 128,
    "parts_per_load": None,
    "path": {"path": None, "cache": None, "service_tier": None, "batch": False},
}
LOAD = 60 + 145.4
"""Seconds: the weights at 1 GB a second."""


def model(hardware=(), **plan):
    answers = {"engine": "vllm", "model": "a/b"}
    return PlannedModel("large", answers, {**PLAN, **plan}, {**HARDWARE, **dict(hardware)})


def works(*hours):
    return [Work(10, 100, 10, 3600 * one, 1) for one in hours]


def test_the_jobs_of_a_load_share_it_and_each_asks_for_whole_minutes():
    asked, remark = model().requested(works(1, 3))
    assert remark == ""
    assert [row["load_gpu_hours"] for row in asked] == [pytest.approx(4 * LOAD / 2 / 3600)] * 2
    minutes = [math.ceil(2 * (60 * hours + LOAD / 2 / 60) + 10 / 2) for hours in (1, 3)]
    assert [row["requested_gpu_hours"] for row in asked] == [4 * one / 60 for one in minutes]


def test_stated_hours_are_what_is_requested():
    asked, _ = model(hours=5).requested(works(1, 3))
    assert [row["requested_gpu_hours"] for row in asked] == [20, 20]


def test_four_hours_are_requested_where_nothing_is_known():
    asked, _ = model(throughput=None, size=None).requested(works(1))
    assert asked == [{"load_gpu_hours": None, "requested_gpu_hours": 16}]


def test_the_jobs_of_a_load_ask_for_the_most_hours_in_all_and_the_plan_says_so():
    asked, remark = model({"max_hours": 6}).requested(works(1, 3))
    # 129 and 369 minutes, in 360.
    assert [row["requested_gpu_hours"] for row in asked] == [4 * 93 / 60, 4 * 266 / 60]
    assert remark.startswith("large: the jobs of one load would ask for 8.3 hours, more than")
    assert "they ask for 6," in remark
    assert "parts_per_load" in remark
    assert model({"max_hours": 7}).requested(works(3))[1] == ""


def test_the_gpus_of_a_job_count_and_those_of_a_server_where_it_has_none():
    assert model().gpus == 4
    assert model(gpus=0, throughput={"prefill": 1.0, "decode": 1.0, "gpus": 8}).gpus == 8


def test_gpus_that_do_not_hold_the_model_are_named():
    asked = [{"to_ask": 10, "ask_prompt_tokens": 1_200_000}]
    assert model(gpus=2).too_small(asked) == (
        "large: 2 × h100 do not hold the model with a prompt of 120,000 tokens; set "
        "tensor_parallel_size: 4"
    )
    assert model().too_small(asked) == ""


@pytest.mark.parametrize(("gpus", "source"), [(2, "measured"), (4, "stated")])
def test_past_runs_count_that_had_the_gpus_of_one_copy(gpus, source, tmp_path):
    run = {"wall_seconds": 2000.0, "load_seconds": 200.0, "answered": 100}
    run |= {"prompt_tokens": 400_000, "computed_tokens": 60_000, "output_tokens": 12_000}
    runs = {"runs": [run | {"machine": f"{gpus} × NVIDIA H100"}]}
    (tmp_path / "4k.run.json").write_text(json.dumps(runs))
    copied = replace(model(copies=2), folders=[tmp_path])
    assert copied.speed.source == source
