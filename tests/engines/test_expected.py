"""What a model is expected to take: measured before stated before estimated."""

import json

import pytest

from parts import items
from steadfast.base.files import read_json
from steadfast.engines.asking.requests import record_path
from steadfast.engines.cost.expected import (
    Speed,
    job_minutes,
    past_runs,
    size_of,
    speed,
    within_most,
)
from steadfast.engines.cost.roofline import Work

VLLM = {"engine": "vllm", "model": "a/b"}
H100 = {"gpu": "h100", "load_gb_per_second": None, "max_hours": None, "margin": 2.0}
PLAN = {"gpus": 1, "at_once": 128, "size": {"parameters": 8.0}, "throughput": None}
WORK = Work(requests=100, prompt=400_000, distinct=40_000, output=10_000, contexts=4)
RUN = {
    "wall_seconds": 100.0,
    "load_seconds": 40.0,
    "answered": 100,
    "prompt_tokens": 400_000,
    "computed_tokens": 40_000,
    "output_tokens": 10_000,
    "machine": "vllm 0.32.0, torch 2.13.0, 1 × NVIDIA H100 80GB HBM3",
}


def test_size_and_hardware_give_an_estimate():
    found = speed(VLLM, PLAN, H100)
    assert found.source == "estimated"
    assert found.load == pytest.approx(60 + 16)
    assert 0 < found.seconds(WORK) < 60


def test_two_copies_take_half_the_time_and_load_as_long():
    one, two = (speed(VLLM, {**PLAN, "gpus": n, "copies": n}, H100) for n in (1, 2))
    assert two.seconds(WORK) == pytest.approx(one.seconds(WORK) / 2)
    assert two.load == one.load


def test_a_stated_throughput_wins_over_it():
    stated = {**PLAN, "throughput": {"prefill": 1_000.0, "decode": 100.0, "gpus": 1}}
    found = speed(VLLM, stated, H100)
    assert (found.source, found.seconds(WORK)) == ("stated", 40 + 100)


def test_what_past_runs_measured_wins_over_both_and_keeps_the_proportions():
    for plan in (PLAN, {**PLAN, "throughput": {"prefill": 1_000.0, "decode": 100.0, "gpus": 1}}):
        found = speed(VLLM, plan, H100, [RUN])
        assert (found.source, found.load) == ("measured", 40.0)
        # 60 s of work for what was asked then, whose contexts are not known any more
        then = Work(100, 400_000, 40_000, 10_000, 1)
        assert found.seconds(then) == pytest.approx(60.0)
        ratio = found.seconds(WORK) / speed(VLLM, plan, H100).seconds(WORK)
        assert ratio == pytest.approx(60.0 / speed(VLLM, plan, H100).seconds(then))


def test_a_few_answers_measure_nothing():
    assert speed(VLLM, PLAN, H100, [{**RUN, "answered": 5}]).source == "estimated"


def test_twenty_answers_measure():
    assert speed(VLLM, PLAN, H100, [{**RUN, "answered": 19}]).source == "estimated"
    assert speed(VLLM, PLAN, H100, [{**RUN, "answered": 20}]).source == "measured"


def test_the_shortest_job_of_a_load_asks_for_a_minute():
    assert within_most([1, 600], {"max_hours": 1.0}) == [1, 59]


def test_without_size_or_hardware_nothing_is_known():
    assert speed(VLLM, {**PLAN, "size": None}, H100) is None
    assert speed(VLLM, PLAN, {"gpu": None}) is None


def test_a_server_is_assumed_to_answer_as_servers_do():
    found = speed({"engine": "openai", "model": "m"}, {**PLAN, "gpus": 0, "at_once": 8}, H100)
    assert (found.source, found.load) == ("assumed", 0.0)
    assert found.seconds(WORK) == (100 * 1.0 + 10_000 / 50) / 8


@pytest.mark.parametrize(
    ("changed", "counts"),
    [
        ({}, True),
        ({"machine": "vllm 0.32.0, torch 2.13.0, 1 × NVIDIA A100-SXM4-80GB"}, False),
        ({"machine": "vllm 0.32.0, torch 2.13.0, 4 × NVIDIA H100 80GB HBM3"}, False),
        ({"machine": None}, False),
        ({"prompt_tokens": 0}, False),
    ],
)
def test_runs_count_that_were_on_the_same_gpus(tmp_path, changed, counts):
    (tmp_path / "4k.run.json").write_text(json.dumps({"runs": [{**RUN, **changed}]}))
    (tmp_path / "8k.run.json").write_text("{")
    older = {"wall_seconds": 3.0, "answered": 5, "failed": 0, "retries": {}}
    (tmp_path / "16k.run.json").write_text(json.dumps({"runs": [older]}))
    assert bool(past_runs([tmp_path, tmp_path / "none"], H100, 1)) is counts


def test_a_run_records_its_tokens_and_what_answered(part, server):
    part.run(items(2, 3))
    (run,) = read_json(record_path(part.journal))["runs"]
    records = part.records()
    assert run["answered"] == 6
    assert run["prompt_tokens"] == sum(r["prompt_tokens"] for r in records)
    assert run["computed_tokens"] == sum(r["prompt_tokens"] - r["cached_tokens"] for r in records)
    assert run["output_tokens"] == sum(r["completion_tokens"] for r in records)
    assert run["machine"] == "fp_1"


def test_a_job_asks_for_its_work_and_its_share_of_the_load_with_a_margin():
    found = Speed(300.0, lambda work: work.output / 10, "stated")
    work = Work(60, 9_000, 900, 6_000, 1)
    # 2 × (600 + 300 / 6) s are 21.7 minutes, and a sixth of ten is 1.7: 23.3.
    assert job_minutes(work, found, 6, H100, None) == 24
    assert job_minutes(work, found, 6, H100, None, attempt=2) == 35
    assert job_minutes(work, found, 6, H100, hours=3) == 180
    assert job_minutes(work, None, 1, H100, None) == 240


def test_the_jobs_of_a_load_ask_for_no_more_than_the_most_hours_in_all():
    assert within_most([900, 600, 600], H100) == [900, 600, 600]
    assert within_most([900, 600, 600], {**H100, "max_hours": 24}) == [617, 411, 411]
    assert within_most([900, 500], {**H100, "max_hours": 24}) == [900, 500]


def test_a_model_on_this_machine_says_its_size(tmp_path):
    config = {
        "num_hidden_layers": 2,
        "hidden_size": 64,
        "num_attention_heads": 4,
        "vocab_size": 100,
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    plan = {**PLAN, "size": None}
    assert size_of({"model": str(tmp_path)}, plan).layers == 2
    assert (
        size_of({"model": str(tmp_path)}, {**plan, "size": {"parameters": 1, "layers": 3}}).layers
        == 3
    )
    assert size_of({"model": "nobody/nothing-of-this-name"}, plan) is None
    assert size_of({"model": "nobody/nothing/at all"}, plan) is None
