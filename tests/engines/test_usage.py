"""Usage of a job over all its runs: tokens, retries, failures, costs and latencies."""

import csv
import json
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import Mock

import numpy
import pytest

from parts import items, rated
from servers import error, replied
from steadfast.base.errors import UserError
from steadfast.base.files import write_rows
from steadfast.contract.records import read_runs
from steadfast.contract.request import Response
from steadfast.engines.base import Latencies
from steadfast.engines.sending.requests import RunRecorder, record_path
from steadfast.jobs.job import Job
from steadfast.show.terminal_summary import server_lines
from steadfast.stages.count_usage import write_usage


def recorded_runs(part):
    return json.loads(record_path(part.journal).read_text("utf-8"))["runs"]


def test_each_run_is_recorded_with_retries_and_failures(part, server):
    server.faults["Ask 2.0!"].extend([error(500)] * 4)
    with pytest.raises(UserError):
        part.run()
    part.run()
    part.run()  # requests nothing, and is not recorded
    first, second = recorded_runs(part)
    assert (first["answered"], first["failed"], first["retries"]) == (9, 1, {"HTTP 500": 4})
    assert (second["answered"], second["failed"], second["retries"]) == (1, 0, {})
    assert first["wall_seconds"] > 0
    assert first["load_seconds"] == 0


def test_run_is_written_after_more_than_five_seconds(tmp_path, monkeypatch):
    clock = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr("time.monotonic", lambda: clock.seconds)
    engine = Mock(retries=Counter(), latencies=Latencies(), load_seconds=1.0004, option=None)
    path = tmp_path / "4k.run.json"
    written = []
    with RunRecorder(path, engine, True) as recorder:
        for clock.seconds in (105.0, 105.2504):
            recorder.update(Response("ok"))
            written.append(read_runs(path)[0])
        for _ in range(2):
            recorder.spend(0.75)
    assert [(run["answered"], run["load_seconds"]) for run in written] == [(0, 1.0), (2, 1.0)]
    assert [run["wall_seconds"] for run in (*written, *read_runs(path))] == [0, 5.25, 1.5]


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 2}, (7, 7, 2)),
        (None, (0, 0, 0)),
    ],
    ids=["no cached ones", "none at all"],
)
def test_tokens_that_the_server_does_not_count_are_recorded_as_0(part, server, usage, counts):
    server.faults[""].append(replied("Hi", usage=usage))
    part.run(items(1, 1))
    (run,) = recorded_runs(part)
    assert (run["prompt_tokens"], run["computed_tokens"], run["output_tokens"]) == counts


def test_stopped_run_is_recorded(part, server):
    server.faults["Ask 4.0!"].extend([error(401)] * 10)
    with pytest.raises(UserError):
        part.run(max_concurrency=1)
    assert recorded_runs(part)[0]["answered"] == 4


def usage_of(part, some_items, price=None):
    """The usage of a part whose journal is where the workflow has it."""
    job = Job("inference", "lifbench", "echo", "4k")
    part.journal = part.directory / job.journal
    part.run(some_items)
    out = part.directory / "inference.csv"
    prices = {"models": {"echo": rated(price)} if price else {}}
    write_usage([job], [part.out], prices, part.directory, out)
    (row,) = csv.DictReader(out.read_text("utf-8").splitlines())
    return row


def test_usage_has_the_sums_of_tokens(part, server):
    server.faults["Ask 1.0!"].append(error(500))
    row = usage_of(part, [*items(), replace(items()[0], sample_id="duplicate")])
    records = part.records()[:-1]
    prompt_tokens = sum(record["prompt_tokens"] for record in records)
    output_tokens = sum(record["completion_tokens"] for record in records)
    assert (row["requests"], row["logical_tokens"]) == ("10", str(prompt_tokens))
    assert (row["cached_tokens"], row["computed_tokens"]) == ("20", str(prompt_tokens - 20))
    assert float(row["hit_rate"]) == pytest.approx(20 / prompt_tokens, abs=1e-4)
    assert row["output_tokens"] == str(output_tokens)
    assert (row["runs"], row["retries"], row["failures"]) == ("1", "1", "0")


PRICE = {
    "input": 2.0, "cached": 0.5, "written": 2.5, "output": 8.0,
    "above": [{"tokens": 100, "input": 4.0, "cached": 1.0, "written": 5.0, "output": 12.0}],
    "flex": 0.5, "batch": 0.25,
}  # fmt: skip


def reply_of(prompt_tokens, cached=0, written=0, finish_reason="stop"):
    """A reply of ten tokens with those counts in its usage."""
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written},
    }
    return replied("Hi", finish_reason, usage=usage)


def test_usage_bills_cache_writes_long_prompts_and_invalid_replies(part, server):
    server.faults["Ask 0.0!"].append(reply_of(100, written=60))  # 40 × 2 + 60 × 2.5 + 10 × 8
    server.faults["Ask 1.0!"].append(reply_of(100, cached=60))  # 40 × 2 + 60 × .5 + 10 × 8
    server.faults["Ask 2.0!"].append(reply_of(40, finish_reason="error"))  # 40 × 2 + 10 × 8
    server.faults["Ask 2.0!"].append(reply_of(101))  # 101 × 4 + 10 × 12
    row = usage_of(part, items(1, 3), PRICE)
    assert (row["cached_tokens"], row["written_tokens"]) == ("60", "60")
    assert row["billed"] == f"{(310 + 190 + 524 + 160) / 1e6:.6f}"


def test_billed_and_planned_costs_are_compared(part, server):
    plan_row = {"benchmark": "lifbench", "model": "echo", "part": "4k"}
    plan_row |= {"role": "models", "prompts_cost": 0.3}
    judge_row = plan_row | {"role": "judges", "prompts_cost": 9.0}
    (part.directory / "plan").mkdir()
    write_rows(part.directory / "plan/plan.csv", tuple(plan_row), [judge_row, plan_row])
    server.faults["Ask 0.0!"].append(reply_of(100, written=60))
    row = usage_of(part, items(1, 1), PRICE)
    assert row["planned"] == f"{0.3 + 10 * 8 / 1e6:.6f}"  # with answers of their actual length
    (line,) = server_lines(part.directory / "inference.csv")
    assert line.endswith("; billed 0.00031 USD, 0.3001 planned")


def test_usage_has_latencies_and_counts_of_incomplete_answers(part, server):
    server.delay = 0.05
    server.faults["Ask 2.0!"].append(replied("cu", "length"))
    server.faults["Ask 3.0!"].append(replied(" "))
    server.faults["Ask 4.0!"].append(replied("half", "content_filter"))
    server.faults["Ask 0.1!"].append(replied("", "length"))  # all tokens spent on reasoning
    server.faults["Ask 1.0!"] += [error(429, Retry_After="0"), error(500)]
    row = usage_of(part, items())
    counts = [row[name] for name in ("refused", "response_truncated", "unfinished", "empty")]
    assert counts == ["1", "1", "1", "1"]
    assert (row["retries"], row["rejected"]) == ("2", "1")
    assert 0.045 <= float(row["latency_median"]) <= float(row["latency_95"])
    seconds = sum(run["wall_seconds"] for run in recorded_runs(part))
    assert float(row["answers_per_second"]) == pytest.approx(10 / seconds, rel=0.01)
    (line,) = server_lines(part.directory / "inference.csv")
    assert line.startswith("echo: 10 requests, ")
    assert line.endswith("; 2 retries, 1 rejected by the server; 1 refused, 1 truncated, 1 empty")


def test_times_of_parts_are_summarized_by_model_and_judge(tmp_path):
    row = dict.fromkeys(("refused", "response_truncated", "empty", "retries", "rejected"), 0)
    row |= {"benchmark": "b", "model": "m", "judge": "", "requests": 10, "wall_seconds": 10}
    row |= {"answers_per_second": 1, "latency_median": 2, "latency_95": 5}
    slow = {"wall_seconds": 30, "answers_per_second": 2, "latency_median": 3, "latency_95": 4}
    rows = [row, row | {"latency_median": ""}, row | slow, row | {"judge": "j"}]
    write_rows(tmp_path / "u.csv", tuple(row), rows)
    assert list(server_lines(tmp_path / "u.csv")) == [
        "m: 20 requests, 1.75 responses/s; latency 2 to 3 s (median), 5 s (95 %); 0 retries",
        "j: 10 requests, 1 responses/s; latency 2 s (median), 5 s (95 %); 0 retries",
    ]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_quantiles_of_latencies_are_near_those_of_the_sample(share):
    sample = numpy.random.default_rng(1).lognormal(0, 1, 999)
    counts = []
    for seconds in (sample[::2], sample[1::2]):
        latencies = Latencies()
        for second in seconds:
            latencies.add(second)
        counts.append(json.loads(json.dumps(latencies.counts)))
    quantile = Latencies(*counts).quantile(share)
    assert quantile == pytest.approx(float(numpy.quantile(sample, share)), rel=0.03)


def test_median_of_two_latencies_is_the_shorter_one():
    latencies = Latencies()
    for seconds in (1.0, 4.0):
        latencies.add(seconds)
    assert latencies.counts == {"0": 1, "28": 1}  # log 4 / log 1.05 is 28.4
    assert latencies.quantile(0.5) == pytest.approx(1.0, rel=0.025)


def test_latency_without_answers_is_none():
    assert Latencies().quantile(0.5) is None


def test_unknown_counts_are_empty_and_not_zero(part):
    part.answers = {"engine": "reference"}
    row = usage_of(part, items())
    assert (row["logical_tokens"], row["hit_rate"], row["requests"]) == ("", "", "10")
