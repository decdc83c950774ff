"""What a plan says of the jobs of a model: their shares of the load, and what does not fit."""

import pytest

from steadfast.plan.model import PlannedModel

HARDWARE = {"gpu": "h100", "load_gb_per_second": None, "max_hours": None, "margin": 2.0}
PLAN = {
    "throughput": None,
    "size": {"parameters": 72.7, "layers": 80, "hidden": 8192, "kv": 1024},
    "price": None,
    "hours": None,
    "gpus": 4,
    "copies": 1,
    "at_once": 128,
    "parts_per_load": None,
}


def model(hardware=(), **plan):
    answers = {"engine": "vllm", "model": "a/b"}
    return PlannedModel("large", answers, {**PLAN, **plan}, {**HARDWARE, **dict(hardware)})


def rows(*hours, tokens=1000):
    return [
        {"hours": one, "to_ask": 10 if one else 0, "ask_prompt_tokens": 10 * tokens}
        for one in hours
    ]


def test_the_parts_that_are_still_to_be_asked_share_one_load():
    asked = rows(1.0, 3.0, 0.0)
    assert list(model().add_requested(asked)) == []
    load = (60 + 145.4) / 3600  # hours: the weights at 1 GB a second
    assert [row.get("load_gpu_hours") for row in asked] == [
        pytest.approx(4 * load / 2),
        pytest.approx(4 * load / 2),
        None,
    ]
    assert sum(row["requested_gpu_hours"] for row in asked[:2]) == pytest.approx(
        4 * (2 * (4 + load) + 10 / 60)
    )


def test_parts_per_load_makes_a_load_each():
    asked = rows(1.0, 3.0)
    list(model(parts_per_load=1).add_requested(asked))
    assert asked[0]["load_gpu_hours"] == pytest.approx(4 * (60 + 145.4) / 3600)


def test_jobs_of_other_benchmarks_and_each_judged_model_take_their_shares_of_one_load():
    asked = rows(3.0)
    # A judge of three models' answers, and six more such jobs in two other benchmarks.
    assert list(model().add_requested(asked, jobs=3, elsewhere=6)) == []
    load = (60 + 145.4) / 3600
    assert asked[0]["load_gpu_hours"] == pytest.approx(4 * load * 3 / 9)
    wanted = 4 * (2 * (3 + load / 3) + 10 / 60 / 3)
    assert asked[0]["requested_gpu_hours"] == pytest.approx(wanted)


def test_stated_hours_are_what_is_requested():
    asked = rows(1.0, 3.0)
    list(model(hours=5).add_requested(asked))
    assert [row["requested_gpu_hours"] for row in asked] == [20, 20]


def test_a_load_that_takes_longer_than_the_most_hours_is_named():
    (said,) = model({"max_hours": 6}).add_requested(rows(1.0, 3.0))
    assert said.startswith("large: the jobs of one load would ask for 8.3 hours, more than")
    assert "they ask for 6," in said
    assert "parts_per_load" in said
    assert list(model({"max_hours": 7}, parts_per_load=1).add_requested(rows(1.0, 3.0))) == []


def test_gpus_that_do_not_hold_the_model_are_named():
    (said,) = model(gpus=2).add_requested(rows(1.0, tokens=120_000))
    assert said == (
        "large: 2 × h100 do not hold the model with a prompt of 120,000 tokens; set "
        "tensor_parallel_size: 4"
    )
