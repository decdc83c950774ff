"""What a plan says of the jobs of a model: their shares of the load, and what does not fit."""

import json
import math
from dataclasses import replace

import pytest

from steadfast.engines.cost.forecast import Work
from steadfast.plan.model import PlannedModel

PLAN = {
    "throughput": {"prefill": 1e9, "decode": 1.0},
    "price": None,
    "hours": None,
    "gpus": 4,
    "copies": 1,
    "parts_per_load": None,
    "how": {"cache": None, "service_tier": None, "batch": False, "base_url": None},
}
LOAD = 200
RUN = {"wall_seconds": 1000.0, "load_seconds": LOAD, "answered": 100, "prompt_tokens": 1000}
RUN |= {"computed_tokens": 0, "output_tokens": 800}  # a second a token of an answer


def model(max_hours=None, **plan):
    answers = {"engine": "vllm", "model": "a/b"}
    return PlannedModel("large", answers, {**PLAN, **plan}, {"max_hours": max_hours})


def measured(folder, gpus=4, **more):
    runs = {"runs": [RUN | {"machine": f"{gpus} × NVIDIA H100"}]}
    (folder / "4k.run.json").write_text(json.dumps(runs))
    return replace(model(**more), folders=[folder])


def works(*hours):
    return [Work(10, 3600 * one) for one in hours]


def test_jobs_of_a_load_ask_for_their_shares_and_for_the_most_hours_in_all(tmp_path):
    asked, remark = measured(tmp_path).requested(works(1, 3))
    assert remark == ""
    assert [row["load_gpu_hours"] for row in asked] == [pytest.approx(4 * LOAD / 2 / 3600)] * 2
    minutes = [math.ceil(2 * (60 * hours + LOAD / 2 / 60) + 10 / 2) for hours in (1, 3)]
    assert [row["requested_gpu_hours"] for row in asked] == [4 * one / 60 for one in minutes]
    asked, remark = model(6).requested(works(1, 3))
    # 126 and 366 minutes, in 360.
    assert [row["requested_gpu_hours"] for row in asked] == [4 * 92 / 60, 4 * 267 / 60]
    assert remark.startswith("large: the jobs of one model load need 8.2 hours, more than")
    assert "they request 6," in remark
    assert "parts_per_load" in remark
    assert model(7).requested(works(3))[1] == ""


def test_requested_hours_are_stated_or_four_where_nothing_is_known():
    asked, _ = model(hours=5).requested(works(1, 3))
    assert [row["requested_gpu_hours"] for row in asked] == [20, 20]
    asked, _ = model(throughput=None).requested(works(1))
    assert asked == [{"load_gpu_hours": None, "requested_gpu_hours": 16}]


@pytest.mark.parametrize(("gpus", "source"), [(2, "measured"), (4, "stated")])
def test_past_runs_count_that_had_the_gpus_of_one_copy(gpus, source, tmp_path):
    assert measured(tmp_path, gpus, copies=2).speed.source == source
