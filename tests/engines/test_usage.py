"""What a job took: recorded over all its runs, without a trace in the result."""

import csv
import json
from dataclasses import replace

import pytest

from parts import items
from servers import error
from steadfast.engines.record import record_path
from steadfast.errors import UserError
from steadfast.journals import journal_path
from steadfast.stages.count_usage import write_usage


def runs(part):
    return json.loads(record_path(part.journal).read_text("utf-8"))["runs"]


def test_runs_accumulate_with_their_retries_and_failures(part, server):
    server.faults["Ask 2.0!"].extend([error(500)] * 4)
    with pytest.raises(UserError):
        part.run()
    part.run()
    first, second = runs(part)
    assert (first["answered"], first["failed"], first["retries"]) == (9, 1, {"HTTP 500": 4})
    assert (second["answered"], second["failed"], second["retries"]) == (1, 0, {})
    assert first["wall_seconds"] > 0


def test_a_run_that_asks_nothing_is_none(part, server):
    part.run()
    part.run()
    assert len(runs(part)) == 1


def test_a_run_that_is_stopped_is_recorded(part, server):
    server.faults["Ask 4.0!"].extend([error(401)] * 10)
    with pytest.raises(UserError):
        part.run(concurrency=1)
    assert runs(part)[0]["answered"] == 4


def usage_of(part, asked):
    """The usage of a part whose journal lies where the workflow has it."""
    part.journal = journal_path(part.directory, "lifbench", "echo", "4k")
    part.run(asked)
    out = part.directory / "inference.csv"
    journal = str(part.journal.relative_to(part.directory))
    job = ("lifbench", "echo", "4k", "", part.out.name, journal)
    write_usage([job], [part.out], part.directory, out)
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


def test_what_is_not_known_is_empty_and_not_zero(part):
    part.answers = {"engine": "reference"}
    row = usage_of(part, items())
    assert (row["logical_tokens"], row["hit_rate"], row["requests"]) == ("", "", "10")
