"""The plan: tokens and time of a run, measured before stated, are what it then takes."""

import json
import math
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts import items
from steadfast.base.files import read_json
from steadfast.base.tokens import load_tokenizer
from steadfast.engines.asking.journal import final_tiers
from steadfast.engines.asking.requests import record_path
from steadfast.engines.cost.expected import Speed, job_minutes, past_runs, speed, within_most
from steadfast.engines.cost.forecast import (
    CachedTokenizer,
    Work,
    distinct_tokens,
    misfits,
    plan_part,
    shared_tokens,
)
from steadfast.engines.fit import fit

TOKENIZER = load_tokenizer("o200k_base")
ANSWERS = {"engine": "openai", "model": "echo-1", "template": "chat", "temperature": 0.0}


def requests(asked=None, window=None, on_overflow="truncate"):
    asked = items() if asked is None else asked
    return fit(asked, window or sys.maxsize, on_overflow, TOKENIZER, answers=ANSWERS)


@given(st.lists(st.lists(st.integers(0, 2), max_size=5)))
def test_shared_tokens_are_the_nodes_of_the_prefix_tree(sequences):
    nodes = {tuple(s[:n]) for s in sequences for n in range(1, len(s) + 1)}
    assert shared_tokens(sequences) == len(nodes)


def test_a_context_counts_once_and_every_question_by_itself():
    row = plan_part(requests(items(1, 5)), (), TOKENIZER)
    prefix = TOKENIZER.count(requests(items(1, 1))[0].prefix)
    tails = [TOKENIZER.encode(item.tail) for item in items(1, 5)]
    assert row["prompt_tokens"] == 5 * prefix + sum(map(len, tails))
    assert row["distinct_tokens"] == prefix + shared_tokens(tails)
    assert row["output_budget"] == 250


def test_equal_requests_are_distinct_once_and_asked_once():
    asked = [*items(1, 2), replace(items(1, 1)[0], sample_id="again")]
    row, once = (plan_part(requests(some), (), TOKENIZER) for some in (asked, asked[:2]))
    assert (row["requests"], row["remaining"]) == (3, 2)
    assert row["distinct_tokens"] == once["distinct_tokens"]
    assert row["remaining_prompt_tokens"] == once["prompt_tokens"] < row["prompt_tokens"]


def test_a_longer_context_of_a_load_adds_only_what_follows_the_shorter_one():
    (short,) = items(1, 1)
    short = replace(short, context=short.context * 10)
    long = replace(short, sample_id="long", context_id="long", context=short.context * 2)
    computed: dict[str, int] = {}
    first, second = (
        plan_part(requests([item]), (), TOKENIZER, computed=computed) for item in (short, long)
    )
    alone = plan_part(requests([long]), (), TOKENIZER)
    prefix = requests([short])[0].prefix
    assert second["distinct_tokens"] == alone["distinct_tokens"] - TOKENIZER.count(prefix)
    assert second["remaining_distinct_tokens"] == second["distinct_tokens"]
    assert second["prompt_tokens"] == alone["prompt_tokens"]
    assert (
        first["distinct_tokens"] == plan_part(requests([short]), (), TOKENIZER)["distinct_tokens"]
    )


def test_cuts_of_one_context_share_all_of_the_shorter_one():
    asked = [replace(item, max_tokens=50 if n else 40) for n, item in enumerate(items(1, 2))]
    cut = requests(asked, window=130)
    assert len({request.prefix for request in cut}) == 2
    assert distinct_tokens(cut, TOKENIZER) < sum(r.prompt_tokens for r in cut) - 30


def test_what_the_journal_holds_is_not_asked(part, server):
    part.run(items(2, 3))
    row = plan_part(requests(), final_tiers(part.journal), TOKENIZER)
    assert (row["requests"], row["cached"], row["remaining"]) == (10, 6, 4)
    part.run()
    assert plan_part(requests(), final_tiers(part.journal), TOKENIZER)["remaining"] == 0


def test_a_torn_or_missing_journal_is_read_as_far_as_it_goes(part, server, tmp_path):
    part.run(items(1, 2))
    with open(part.journal, "a") as torn:
        torn.write('{"hash": "x", "status": "ok"')
    assert len(final_tiers(part.journal)) == 2
    assert final_tiers(tmp_path / "none.jsonl") == {}


def test_prompts_that_do_not_fit_are_named():
    cut = list(misfits(requests(window=130), "truncate"))
    assert len(cut) == 10
    assert {row["what"] for row in cut} == {"prompt_truncated"}
    assert all(row["prompt_tokens"] <= 80 and row["prompt_truncated_tokens"] > 0 for row in cut)
    over = requests(window=60, on_overflow="skip")
    assert {row["what"] for row in misfits(over, "skip")} == {"left out"}
    assert {row["what"] for row in misfits(over, "error")} == {"stops the job"}
    assert plan_part(over, (), TOKENIZER)["unfit"] == 10
    assert list(misfits(requests(), "error")) == []


def test_a_cached_tokenizer_counts_as_its_own_does():
    cached = CachedTokenizer(TOKENIZER)
    assert cached.count("one two") == cached.count("one two") == TOKENIZER.count("one two")


# --- time -------------------------------------------------------------------------------------

STATED = {"throughput": {"prefill": 1_000.0, "decode": 100.0}}
WORK = Work(distinct=40_000, output=10_000)
RUN = {
    "wall_seconds": 100.0,
    "load_seconds": 40.0,
    "answered": 100,
    "prompt_tokens": 400_000,
    "computed_tokens": 40_000,
    "output_tokens": 10_000,
    "machine": "vllm 0.32.0, torch 2.13.0, 1 × NVIDIA H100 80GB HBM3",
}


UNSTATED = {"throughput": None}
SPEEDS = {
    "stated": (STATED, [], WORK, 40 + 100),
    "measured": (STATED, [RUN], WORK, 60),
    # By the stated throughput twice the prompts take 80 + 100 seconds, in place of 40 + 100.
    "measured, in the stated proportions": (
        STATED, [RUN], Work(80_000, 10_000), 60 * 180 / 140),
    "measured, nothing stated": (UNSTATED, [RUN], WORK, 60),
    # A token of an answer takes as long as 20 of a prompt: 2,000 and 10,000 in place of 12,000.
    "measured, in the usual proportions": (
        UNSTATED, [RUN], Work(80_000, 10_000), 60 * 14_000 / 12_000),
    "twenty answers measure": (STATED, [{**RUN, "answered": 20}], WORK, 60),
    "nineteen do not": (STATED, [{**RUN, "answered": 19}], WORK, 140),
}  # fmt: skip


@pytest.mark.parametrize(("settings", "runs", "work", "seconds"), SPEEDS.values(), ids=SPEEDS)
def test_what_past_runs_measured_wins_over_a_stated_throughput(settings, runs, work, seconds):
    estimate = speed(settings, runs)
    assert estimate.seconds(work) == pytest.approx(seconds)
    is_measured = bool(runs) and runs[0]["answered"] >= 20
    assert estimate.source == ("measured" if is_measured else "stated")
    assert estimate.load == (40.0 if runs else 0.0)


def test_without_either_nothing_is_known():
    assert speed(UNSTATED) is None


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
    speed_ = Speed(300.0, prefill=math.inf, decode=10.0, source="stated")
    work = Work(900, 6_000)
    # 2 × (600 + 300 / 6) s are 21.7 minutes, and a sixth of ten is 1.7: 23.3.
    assert job_minutes(work, speed_, 6, None) == 24
    assert job_minutes(work, speed_, 6, None, attempt=2) == 35
    assert job_minutes(work, speed_, 6, hours=3) == 180
    assert job_minutes(work, None, 1, None) == 240


def test_the_jobs_of_a_load_ask_for_no_more_than_the_most_hours_in_all():
    assert within_most([900, 600, 600], None) == [900, 600, 600]
    assert within_most([900, 600, 600], 24) == [617, 411, 411]
    assert within_most([900, 500], 24) == [900, 500]
    assert within_most([1, 600], 1) == [1, 59]  # a minute at least
