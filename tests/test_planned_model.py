"""GPU-hours of a planned model's jobs, their shares of its load, and its tokenizer."""

import json
import math
from dataclasses import replace

import pytest

from steadfast.engines.cost.forecast import Work
from steadfast.plan.model import PlannedModel

PLAN = {
    "throughput": {"prefill": 1e9, "decode": 1.0}, "price": None, "hours": None, "gpus": 4,
    "copies": 1, "parts_per_load": None,
    "how": {"cache": None, "service_tier": None, "batch": False, "base_url": None},
}  # fmt: skip
LOAD = 200
RUN = {
    "wall_seconds": 1000.0, "load_seconds": LOAD, "answered": 100, "prompt_tokens": 1000,
    "computed_tokens": 0, "output_tokens": 800,
}  # fmt: skip
"""A run whose responses took a second a token."""


def planned(max_hours=None, **plan):
    answers = {"engine": "vllm", "model": "a/b"}
    return PlannedModel("large", answers, {**PLAN, **plan}, {"max_hours": max_hours})


def measured(folder, gpus=4, **plan):
    """A model with a run on so many GPUs."""
    runs = {"runs": [RUN | {"machine": f"{gpus} × NVIDIA H100"}]}
    (folder / "4k.run.json").write_text(json.dumps(runs))
    return replace(planned(**plan), folders=[folder])


ONE_HOUR = Work(10, 3600)
THREE_HOURS = Work(10, 3 * 3600)


def test_jobs_request_their_work_and_share_of_the_load(tmp_path):
    rows, remark = measured(tmp_path).requested([ONE_HOUR, THREE_HOURS])
    assert remark == ""
    assert [row["load_gpu_hours"] for row in rows] == [pytest.approx(4 * LOAD / 2 / 3600)] * 2
    minutes = [math.ceil(2 * (60 * hours + LOAD / 2 / 60) + 10 / 2) for hours in (1, 3)]
    assert [row["requested_gpu_hours"] for row in rows] == [4 * m / 60 for m in minutes]


def test_jobs_of_a_load_request_max_hours_in_all():
    rows, remark = planned(max_hours=6).requested([ONE_HOUR, THREE_HOURS])
    # 126 and 366 minutes, in 360.
    assert [row["requested_gpu_hours"] for row in rows] == [4 * 92 / 60, 4 * 267 / 60]
    assert remark.startswith("large: the jobs of one model load need 8.2 hours, more than")
    assert "they request 6," in remark
    assert "parts_per_load" in remark
    assert planned(max_hours=7).requested([THREE_HOURS])[1] == ""


def test_jobs_request_stated_hours_or_four_without_throughput():
    rows, _ = planned(hours=5).requested([ONE_HOUR, THREE_HOURS])
    assert [row["requested_gpu_hours"] for row in rows] == [20, 20]
    rows, _ = planned(throughput=None).requested([ONE_HOUR])
    assert rows == [{"load_gpu_hours": None, "requested_gpu_hours": 16}]


@pytest.mark.parametrize(("gpus", "source"), [(2, "measured"), (4, "stated")])
def test_speed_is_measured_by_runs_on_the_gpus_of_one_copy(gpus, source, tmp_path):
    assert measured(tmp_path, gpus, copies=2).speed.source == source


@pytest.mark.parametrize(
    ("tokenizer", "name"), [("cl100k_base", "cl100k_base"), (None, "o200k_base")]
)
def test_prompts_are_counted_by_the_tokenizer_of_the_config(tokenizer, name):
    model = replace(planned(), answers={"engine": "openai", "tokenizer": tokenizer})
    assert model._tokenizer[:2] == (name, False)  # the latter: whether it is an estimate
