"""What a model is expected to take: measured before stated."""

import json

import pytest

from parts import items
from steadfast.base.files import read_json
from steadfast.engines.asking.requests import record_path
from steadfast.engines.cost.expected import Speed, job_minutes, past_runs, speed, within_most
from steadfast.engines.cost.forecast import Work

STATED = {"throughput": {"prefill": 1_000.0, "decode": 100.0}}
WORK = Work(requests=100, prompt=400_000, distinct=40_000, output=10_000)
RUN = {
    "wall_seconds": 100.0,
    "load_seconds": 40.0,
    "answered": 100,
    "prompt_tokens": 400_000,
    "computed_tokens": 40_000,
    "output_tokens": 10_000,
    "machine": "vllm 0.32.0, torch 2.13.0, 1 × NVIDIA H100 80GB HBM3",
}


def test_a_stated_throughput_is_taken_where_nothing_is_measured():
    found = speed(STATED)
    assert (found.source, found.load, found.seconds(WORK)) == ("stated", 0.0, 40 + 100)


def test_what_past_runs_measured_wins_over_it_and_keeps_the_proportions():
    found = speed(STATED, [RUN])
    assert (found.source, found.load) == ("measured", 40.0)
    assert found.seconds(WORK) == pytest.approx(60.0)
    # By the stated throughput twice the prompts take 80 + 100 seconds, in place of 40 + 100.
    longer = Work(100, 800_000, 80_000, 10_000)
    assert found.seconds(longer) == pytest.approx(60.0 * 180 / 140)


def test_past_runs_tell_where_no_throughput_is_stated():
    found = speed({"throughput": None}, [RUN])
    assert found.seconds(WORK) == pytest.approx(60.0)
    # A token of an answer takes as long as 20 of a prompt: 2,000 and 10,000 in place of 12,000.
    assert found.seconds(Work(1, 0, 80_000, 10_000)) == pytest.approx(60.0 * 14_000 / 12_000)


def test_twenty_answers_measure():
    assert speed(STATED, [{**RUN, "answered": 19}]).source == "stated"
    assert speed(STATED, [{**RUN, "answered": 20}]).source == "measured"


def test_without_either_nothing_is_known():
    assert speed({"throughput": None}) is None


@pytest.mark.parametrize(
    ("changed", "counts"),
    [
        ({}, True),
        ({"machine": "vllm 0.32.0, torch 2.13.0, 4 × NVIDIA H100 80GB HBM3"}, False),
        ({"machine": None}, False),
        ({"prompt_tokens": 0}, False),
    ],
)
def test_runs_count_that_were_on_as_many_gpus(tmp_path, changed, counts):
    (tmp_path / "4k.run.json").write_text(json.dumps({"runs": [{**RUN, **changed}]}))
    (tmp_path / "8k.run.json").write_text("{")
    older = {"wall_seconds": 3.0, "answered": 5, "failed": 0, "retries": {}}
    (tmp_path / "16k.run.json").write_text(json.dumps({"runs": [older]}))
    assert bool(past_runs([tmp_path, tmp_path / "none"], 1)) is counts


def test_a_run_records_its_tokens_and_what_answered(part, server):
    part.run(items(2, 3))
    (run,) = read_json(record_path(part.journal))["runs"]
    records = part.records()
    assert run["answered"] == 6
    assert run["prompt_tokens"] == sum(r["prompt_tokens"] for r in records)
    assert run["computed_tokens"] == sum(r["prompt_tokens"] - r["cached_tokens"] for r in records)
    assert run["output_tokens"] == sum(r["completion_tokens"] for r in records)
    assert run["machine"] == "fp_1"


def test_a_job_asks_for_its_work_and_its_share_of_the_load_twice():
    found = Speed(300.0, lambda work: work.output / 10, "stated")
    work = Work(60, 9_000, 900, 6_000)
    # 2 × (600 + 300 / 6) s are 21.7 minutes, and a sixth of ten is 1.7: 23.3.
    assert job_minutes(work, found, 6, None) == 24
    assert job_minutes(work, found, 6, None, attempt=2) == 35
    assert job_minutes(work, found, 6, hours=3) == 180
    assert job_minutes(work, None, 1, None) == 240


def test_the_jobs_of_a_load_ask_for_no_more_than_the_most_hours_in_all():
    assert within_most([900, 600, 600], None) == [900, 600, 600]
    assert within_most([900, 600, 600], 24) == [617, 411, 411]
    assert within_most([900, 500], 24) == [900, 500]
    assert within_most([1, 600], 1) == [1, 59]  # a minute at least
