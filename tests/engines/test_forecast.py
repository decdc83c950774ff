"""The plan: tokens and time of a run, by measured speed if there is one, else as configured."""

import json
import math
import sys
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts import items
from steadfast.base.files import read_json
from steadfast.base.tokens import load_tokenizer
from steadfast.engines.cost import forecast
from steadfast.engines.cost.expected import Speed, job_minutes, limited_minutes, past_runs, speed
from steadfast.engines.fit import fit
from steadfast.engines.sending.journal import final_tiers
from steadfast.engines.sending.requests import record_path

TOKENIZER = load_tokenizer("o200k_base")
ANSWERS = {"engine": "openai", "model": "echo-1", "template": "chat", "temperature": 0.0}


def requests(some_items=None, window=sys.maxsize, on_overflow="truncate"):
    some_items = items() if some_items is None else some_items
    return fit(some_items, window, on_overflow, TOKENIZER, answers=ANSWERS)


def plan(*some_items, cached_hashes=(), **options):
    return forecast.plan_part(requests(some_items or None), cached_hashes, TOKENIZER, **options)


@given(st.lists(st.lists(st.integers(0, 2), max_size=5)))
def test_shared_tokens_are_the_nodes_of_the_prefix_tree(sequences):
    nodes = set()
    for sequence in sequences:
        nodes |= {tuple(sequence[:length]) for length in range(1, len(sequence) + 1)}
    assert forecast.shared_tokens(sequences) == len(nodes)


def test_context_counts_once_and_each_question_by_itself():
    row = plan(*items(1, 5))
    prefix = TOKENIZER.count(requests(items(1, 1))[0].prefix)
    tails = [TOKENIZER.encode(item.tail) for item in items(1, 5)]
    assert row["prompt_tokens"] == 5 * prefix + sum(map(len, tails))
    assert row["distinct_tokens"] == prefix + forecast.shared_tokens(tails)
    assert row["output_budget"] == 250
    with_templates = plan(*items(1, 5), template_tokens=7)
    assert with_templates["distinct_tokens"] == row["distinct_tokens"] + 5 * 7
    bare = replace(items(1, 1)[0], head="", context="")
    assert plan(bare)["distinct_tokens"] == TOKENIZER.count(bare.tail)


def test_truncated_and_unfit_prompts_are_counted():
    (whole,) = requests(items(1, 1))
    cut = replace(whole, prompt_truncated_tokens=1)
    unfit = replace(whole, overflow="too long")
    row = forecast.plan_part([whole, cut, unfit], (), TOKENIZER)
    assert (row["requests"], row["prompt_truncated"], row["unfit"]) == (3, 1, 1)


def test_equal_requests_count_once():
    first, second = items(1, 2)
    row = plan(first, second, replace(first, sample_id="duplicate"))
    row_without = plan(first, second)
    assert (row["requests"], row["remaining"]) == (3, 2)
    assert row["distinct_tokens"] == row_without["distinct_tokens"]
    assert row["remaining_prompt_tokens"] == row_without["prompt_tokens"] < row["prompt_tokens"]


def test_longer_context_of_a_load_adds_only_its_own_tokens():
    (item,) = items(1, 1)
    short = replace(item, context=item.context * 10)
    long = replace(item, sample_id="long", context_id="long", context=item.context * 20)
    computed: dict[str, int] = {}
    first_row = plan(short, computed=computed)
    second_row = plan(long, computed=computed)
    prefix_tokens = TOKENIZER.count(requests([short])[0].prefix)
    assert first_row["distinct_tokens"] == plan(short)["distinct_tokens"]
    assert second_row["distinct_tokens"] == plan(long)["distinct_tokens"] - prefix_tokens
    assert second_row["remaining_distinct_tokens"] == second_row["distinct_tokens"]
    assert second_row["prompt_tokens"] == plan(long)["prompt_tokens"]


def test_truncated_contexts_share_their_beginning():
    first, second = items(1, 2)
    truncated = requests([replace(first, max_tokens=40), replace(second, max_tokens=50)], 130)
    assert len({request.prefix for request in truncated}) == 2
    prompt_tokens = sum(request.prompt_tokens for request in truncated)
    assert forecast.distinct_tokens(truncated, TOKENIZER) < prompt_tokens - 30


def test_responses_in_the_journal_are_not_requested(part, server):
    part.run(items(2, 3))
    row = plan(cached_hashes=final_tiers(part.journal))
    assert (row["requests"], row["cached"], row["remaining"]) == (10, 6, 4)
    part.run()
    assert plan(cached_hashes=final_tiers(part.journal))["remaining"] == 0


def test_torn_or_missing_journal_is_read_as_far_as_possible(part, server, tmp_path):
    part.run(items(1, 2))
    with open(part.journal, "a") as torn:
        torn.write('{"hash": "x", "status": "ok"')
    assert len(final_tiers(part.journal)) == 2
    assert final_tiers(tmp_path / "none.jsonl") == {}


def test_prompts_beyond_the_window_are_listed():
    rows = pd.DataFrame(forecast.misfits(requests(window=130), "truncate"))
    assert rows["what"].tolist() == ["prompt_truncated"] * 10
    assert rows["prompt_tokens"].between(78, 80).all()
    assert (rows["prompt_truncated_tokens"] > 0).all()
    skipped = requests(window=60, on_overflow="skip")
    assert {row["what"] for row in forecast.misfits(skipped, "skip")} == {"left out"}
    assert {row["what"] for row in forecast.misfits(skipped, "error")} == {"stops the job"}
    assert forecast.plan_part(skipped, (), TOKENIZER)["unfit"] == 10
    assert list(forecast.misfits(requests(), "error")) == []


def test_cached_tokenizer_counts_like_its_own():
    cached = forecast.CachedTokenizer(TOKENIZER)
    assert cached.count("one two") == cached.count("one two") == TOKENIZER.count("one two")


# --- time ---------------------------------------------------------------------------------------

CONFIGURED = {"throughput": {"prefill": 1_000.0, "decode": 100.0}}
NOT_CONFIGURED = {"throughput": None}
WORK = forecast.Work(distinct=40_000, output=10_000)
RUN = {
    "wall_seconds": 100.0, "load_seconds": 40.0, "answered": 100,
    "prompt_tokens": 400_000, "computed_tokens": 40_000, "output_tokens": 10_000,
    "machine": "vllm 0.32.0, torch 2.13.0, 1 × NVIDIA H100 80GB HBM3",
}  # fmt: skip
SPEEDS = {
    "configured": (CONFIGURED, [], WORK, 40 + 100),
    "measured": (CONFIGURED, [RUN], WORK, 60),
    # By the configured throughput, twice the prompts take 80 + 100 seconds instead of 40 + 100.
    "measured, in the configured proportions": (
        CONFIGURED, [RUN], forecast.Work(80_000, 10_000), 60 * 180 / 140),
    "measured, none configured": (NOT_CONFIGURED, [RUN], WORK, 60),
    # An output token takes as long as 20 of a prompt: 2,000 and 10,000 instead of 12,000.
    "measured, in the default proportions": (
        NOT_CONFIGURED, [RUN], forecast.Work(80_000, 10_000), 60 * 14_000 / 12_000),
    "20 answers are enough": (CONFIGURED, [{**RUN, "answered": 20}], WORK, 60),
    "19 are too few": (CONFIGURED, [{**RUN, "answered": 19}], WORK, 140),
    "a second is enough": (CONFIGURED, [{**RUN, "wall_seconds": 41.0}], WORK, 1),
    "no time is too little": (CONFIGURED, [{**RUN, "wall_seconds": 40.0}], WORK, 140),
}  # fmt: skip


@pytest.mark.parametrize(("settings", "runs", "work", "seconds"), SPEEDS.values(), ids=SPEEDS)
def test_measured_speed_precedes_the_configured_one(settings, runs, work, seconds):
    estimate = speed(settings, runs)
    assert estimate.seconds(work) == pytest.approx(seconds)
    assert estimate.source == ("stated" if seconds == 140 else "measured")
    assert estimate.load == (40.0 if runs else 0.0)


def test_speed_is_the_mean_of_past_runs():
    slower = {**RUN, "wall_seconds": 160.0, "load_seconds": 80.0}
    shared_load = {**RUN, "wall_seconds": 70.0, "load_seconds": 0.0}
    estimate = speed(CONFIGURED, [RUN, slower, shared_load])
    assert (estimate.load, estimate.seconds(WORK)) == (60, pytest.approx((60 + 80 + 70) / 3))


def test_speed_is_unknown_without_runs_and_config():
    assert speed(NOT_CONFIGURED) is None


@pytest.mark.parametrize(
    ("fields", "counts"),
    [
        ({}, True),
        ({"machine": "vllm 0.32.0, torch 2.13.0, 4 × NVIDIA H100 80GB HBM3"}, False),
        ({"machine": "vllm 0.32.0, torch 2.13.0, 11 × NVIDIA H100 80GB HBM3"}, False),
        ({"machine": None}, False),
        ({"prompt_tokens": 0}, False),
    ],
)
def test_past_runs_on_the_same_number_of_gpus_count(tmp_path, fields, counts):
    (tmp_path / "4k.run.json").write_text(json.dumps({"runs": [{**RUN, **fields}]}))
    (tmp_path / "8k.run.json").write_text("{")
    without_tokens = {"wall_seconds": 3.0, "answered": 5, "failed": 0, "retries": {}}
    (tmp_path / "16k.run.json").write_text(json.dumps({"runs": [without_tokens]}))
    assert bool(past_runs([tmp_path, tmp_path / "none"], 1)) is counts


def test_run_records_its_tokens_and_machine(part, server):
    records = pd.DataFrame(part.run(items(2, 3)))
    (run,) = read_json(record_path(part.journal))["runs"]
    assert run["answered"] == 6
    assert run["prompt_tokens"] == records.prompt_tokens.sum()
    assert run["computed_tokens"] == (records.prompt_tokens - records.cached_tokens).sum()
    assert run["output_tokens"] == records.completion_tokens.sum()
    assert run["machine"] == "fp_1"


def test_job_requests_twice_its_work_and_share_of_the_load():
    estimate = Speed(300.0, prefill=math.inf, decode=10.0, source="stated")
    work = forecast.Work(900, 6_000)
    # 2 × (600 + 300 / 6) s are 21.7 minutes, and a sixth of ten is 1.7: 23.3.
    assert job_minutes(work, estimate, 6, None) == 24
    assert job_minutes(work, estimate, 6, None, attempt=2) == 35
    assert job_minutes(work, estimate, 6, hours=3) == 180
    assert job_minutes(work, None, 1, None) == 240


def test_jobs_of_a_load_request_the_maximum_hours_in_total():
    assert limited_minutes([900, 600, 600], None) == [900, 600, 600]
    assert limited_minutes([900, 600, 600], 24) == [617, 411, 411]
    assert limited_minutes([900, 500], 24) == [900, 500]
    assert limited_minutes([900, 541], 24) == [899, 540]  # 24 hours are 1,440 minutes
    assert limited_minutes([1, 600], 1) == [1, 59]  # a minute at least
