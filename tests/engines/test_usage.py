"""What a job took: recorded over all its runs, without a trace in the result."""

import csv
import json
import random
from dataclasses import replace

import numpy
import pytest

from parts import items, rated
from servers import error, replied
from steadfast.base.errors import UserError
from steadfast.base.files import write_rows
from steadfast.engines.asking.requests import record_path
from steadfast.engines.base import Latencies
from steadfast.jobs.job import Job
from steadfast.show.ending import server_lines
from steadfast.stages.count_usage import write_usage


def runs(part):
    return json.loads(record_path(part.journal).read_text("utf-8"))["runs"]


def test_runs_accumulate_with_their_retries_and_failures(part, server):
    server.faults["Ask 2.0!"].extend([error(500)] * 4)
    with pytest.raises(UserError):
        part.run()
    part.run()
    part.run()  # has nothing to request, and is no run
    first, second = runs(part)
    assert (first["answered"], first["failed"], first["retries"]) == (9, 1, {"HTTP 500": 4})
    assert (second["answered"], second["failed"], second["retries"]) == (1, 0, {})
    assert first["wall_seconds"] > 0


def test_a_run_that_is_stopped_is_recorded(part, server):
    server.faults["Ask 4.0!"].extend([error(401)] * 10)
    with pytest.raises(UserError):
        part.run(max_concurrency=1)
    assert runs(part)[0]["answered"] == 4


def usage_of(part, asked, price=None):
    """The usage of a part whose journal lies where the workflow has it."""
    job = Job("inference", "lifbench", "echo", "4k")
    part.journal = part.directory / job.journal
    part.run(asked)
    out = part.directory / "inference.csv"
    prices = {"models": {"echo": rated(price)} if price else {}}
    write_usage([job], [part.out], prices, part.directory, out)
    (row,) = csv.DictReader(out.read_text("utf-8").splitlines())
    return row


def test_the_usage_adds_up(part, server):
    server.faults["Ask 1.0!"].append(error(500))
    row = usage_of(part, [*items(), replace(items()[0], sample_id="again")])
    records = part.records()[:-1]
    logical = sum(record["prompt_tokens"] for record in records)
    assert (row["requests"], row["logical_tokens"]) == ("10", str(logical))
    assert (row["cached_tokens"], row["computed_tokens"]) == ("20", str(logical - 20))
    assert float(row["hit_rate"]) == pytest.approx(20 / logical, abs=1e-4)
    assert row["output_tokens"] == str(sum(record["completion_tokens"] for record in records))
    assert (row["runs"], row["retries"], row["failures"]) == ("1", "1", "0")


WRITES = {
    "input": 2.0, "cached": 0.5, "written": 2.5, "output": 8.0,
    "above": [{"tokens": 100, "input": 4.0, "cached": 1.0, "written": 5.0, "output": 12.0}],
    "flex": 0.5, "batch": 0.25,
}  # fmt: skip


def counted(prompt, cached=0, written=0, ends="stop"):
    """A reply of ten tokens with the counts that a provider's usage has."""
    details = {"cached_tokens": cached, "cache_write_tokens": written}
    counts = {"prompt_tokens": prompt, "completion_tokens": 10, "prompt_tokens_details": details}
    return replied("Hi", ends, usage=counts)


def test_the_usage_says_what_was_billed_with_writes_and_long_prompts(part, server):
    server.faults["Ask 0.0!"].append(counted(100, written=60))  # 40 × 2 + 60 × 2.5 + 10 × 8
    server.faults["Ask 1.0!"].append(counted(100, cached=60))  # 40 × 2 + 60 × .5 + 10 × 8
    # A reply that ends no answer is paid for too: 40 × 2 + 10 × 8.
    server.faults["Ask 2.0!"].append(counted(40, ends="error"))
    server.faults["Ask 2.0!"].append(counted(101))  # 101 × 4 + 10 × 12
    row = usage_of(part, items(1, 3), WRITES)
    assert (row["cached_tokens"], row["written_tokens"]) == ("60", "60")
    assert row["billed"] == f"{(310 + 190 + 524 + 160) / 1e6:.6f}"


def test_what_was_billed_stands_beside_what_was_planned(part, server):
    place = {"benchmark": "lifbench", "role": "models", "model": "echo", "part": "4k"}
    planned = place | {"prompts_cost": 0.3}
    judged = planned | {"role": "judges", "prompts_cost": 9.0}
    (part.directory / "plan").mkdir()
    write_rows(part.directory / "plan/plan.csv", tuple(planned), [judged, planned])
    server.faults["Ask 0.0!"].append(counted(100, written=60))
    row = usage_of(part, items(1, 1), WRITES)
    assert row["planned"] == f"{0.3 + 10 * 8 / 1e6:.6f}"  # answers as long as they came out
    (line,) = server_lines(part.directory / "inference.csv")
    assert line.endswith("; billed 0.00031 USD, 0.3001 planned")


def test_the_usage_says_what_the_server_took_and_what_became_of_the_answers(part, server):
    server.delay = 0.05
    server.faults["Ask 2.0!"].append(replied("cu", "length"))
    server.faults["Ask 3.0!"].append(replied(" "))
    server.faults["Ask 4.0!"].append(replied("half", "content_filter"))
    server.faults["Ask 0.1!"].append(replied("", "length"))  # all of it spent on reasoning
    server.faults["Ask 1.0!"] += [error(429, Retry_After="0"), error(500)]
    row = usage_of(part, items())
    counts = [row[name] for name in ("refused", "response_truncated", "unfinished", "empty")]
    assert counts == ["1", "1", "1", "1"]
    assert (row["retries"], row["rejected"]) == ("2", "1")
    assert 0.045 <= float(row["latency_median"]) <= float(row["latency_95"])
    seconds = sum(run["wall_seconds"] for run in runs(part))
    assert float(row["answers_per_second"]) == pytest.approx(10 / seconds, rel=0.01)
    (line,) = server_lines(part.directory / "inference.csv")
    assert line.startswith("echo: 10 requests, ")
    assert line.endswith("; 2 retries, 1 rejected by the server; 1 refused, 1 truncated, 1 empty")


def test_times_of_several_runs_and_parts_are_put_together(tmp_path):
    columns = dict.fromkeys(("refused", "response_truncated", "empty", "retries", "rejected"), 0)
    columns |= {"benchmark": "b", "model": "m", "judge": "", "requests": 10, "wall_seconds": 10}
    columns |= {"answers_per_second": 1, "latency_median": 2, "latency_95": 5}
    slow = {"wall_seconds": 30, "answers_per_second": 2, "latency_median": 3, "latency_95": 4}
    others = [{"latency_median": ""}, slow, {"judge": "j"}]
    write_rows(tmp_path / "u.csv", tuple(columns), [columns, *(columns | one for one in others)])
    assert list(server_lines(tmp_path / "u.csv")) == [
        "m: 20 requests, 1.75 responses/s; latency 2 to 3 s (median), 5 s (95 %); 0 retries",
        "j: 10 requests, 1 responses/s; latency 2 s (median), 5 s (95 %); 0 retries",
    ]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_quantiles_of_latencies_are_near_those_of_the_sample(share):
    rng = random.Random(1)
    sample = [rng.lognormvariate(0, 1) for _ in range(999)]
    halves = Latencies(), Latencies()
    for number, seconds in enumerate(sample):
        halves[number % 2].add(seconds)
    found = Latencies(*(json.loads(json.dumps(half.counts)) for half in halves)).quantile(share)
    assert found == pytest.approx(float(numpy.quantile(sample, share)), rel=0.03)


def test_without_answers_there_is_no_latency():
    assert Latencies().quantile(0.5) is None


def test_what_is_not_known_is_empty_and_not_zero(part):
    part.answers = {"engine": "reference"}
    row = usage_of(part, items())
    assert (row["logical_tokens"], row["hit_rate"], row["requests"]) == ("", "", "10")
