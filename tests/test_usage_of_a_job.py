"""A job's row of the usage, by hand: unknown tokens, runs that ended early, their sums."""

import csv

import pytest

from steadfast.base.files import write_json, write_jsonl
from steadfast.engines.sending.requests import record_path
from steadfast.jobs.job import Job
from steadfast.stages.count_usage import write_usage

JOB = Job("inference", "lifbench", "m", "4k")
REPLY = {"request_hash": "1", "status": "ok", "response": "Hi"}
EMPTY = REPLY | {"request_hash": "2", "response": " \n"}
TOKENS = ("logical_tokens", "cached_tokens", "computed_tokens", "hit_rate", "output_tokens")


@pytest.fixture
def usage(tmp_path):
    def usage(replies, runs=()):
        write_jsonl(tmp_path / "4k.jsonl", replies)
        write_json(record_path(tmp_path / JOB.journal), {"runs": list(runs)})
        out = tmp_path / "inference.csv"
        write_usage([JOB], [tmp_path / "4k.jsonl"], {"models": {}}, tmp_path, out)
        (row,) = csv.DictReader(out.read_text("utf-8").splitlines())
        return row

    return usage


@pytest.mark.parametrize(
    ("prompt", "cached", "tokens"),
    [
        (7, 5, ["7", "5", "2", "0.7143", "3"]),  # 5 ÷ 7
        (7, 0, ["7", "0", "7", "0.0000", "3"]),
        (7, None, ["7", "", "", "", "3"]),
        (None, 5, ["", "5", "", "", "3"]),
        (0, 0, ["0", "0", "0", "", "3"]),
    ],
)
def test_tokens_follow_from_those_that_are_known(usage, prompt, cached, tokens):
    counts = {"prompt_tokens": prompt, "cached_tokens": cached, "completion_tokens": 3}
    row = usage([REPLY | counts, EMPTY])
    assert [row[name] for name in TOKENS] == tokens
    columns = ("requests", "empty", "runs", "wall_seconds")
    assert [row[name] for name in columns] == ["2", "1", "0", ""]


def test_runs_of_a_job_are_summed(usage):
    first = {"wall_seconds": 4.5, "load_seconds": 2.0, "answered": 4, "failed": 2, "option": "flex"}
    first |= {"retries": {"HTTP 429": 3, "HTTP 500": 1}}
    second = {"wall_seconds": 5.54, "answered": 1, "option": "flex"}
    row = usage([REPLY], [first, second, second | {"answered": 0, "option": None}])
    # 5 responses ÷ (4.5 − 2 + 2 · 5.54) s
    assert (row["wall_seconds"], row["answers_per_second"]) == ("15.6", "0.368")
    assert (row["runs"], row["retries"], row["rejected"], row["failures"]) == ("3", "4", "3", "2")
    assert row["option"] == "flex; "


@pytest.mark.parametrize(
    ("seconds", "answered", "throughput"), [(2.0, 1, ""), (3.0, 0, ""), (2.5, 1, "2")]
)
def test_run_without_seconds_or_responses_has_no_throughput(usage, seconds, answered, throughput):
    row = usage([REPLY], [{"wall_seconds": seconds, "load_seconds": 2.0, "answered": answered}])
    assert row["answers_per_second"] == throughput
