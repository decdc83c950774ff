"""What a job took: recorded over all its runs, without a trace in the result."""

import csv
import json
from dataclasses import replace

import pytest

from parts import Part, items
from servers import error
from steadfast import usage
from steadfast.engines.record import record_path
from steadfast.errors import UserError


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


def test_no_result_holds_a_fact_of_the_run(part, server, tmp_path):
    server.faults["Ask 2.0!"].append(error(500))
    part.run()
    other = Part(tmp_path / "other", server.url)
    other.run()
    assert part.out.read_bytes() == other.out.read_bytes()
    assert part.identity_out.read_bytes() == other.identity_out.read_bytes()


@pytest.fixture
def usage_of(part, monkeypatch):
    def rows():
        monkeypatch.setattr(usage, "journal_path", lambda *job: part.journal)
        out = part.directory / "inference.csv"
        usage.write_usage([("lifbench", "echo", "4k", "")], [part.out], out)
        (row,) = csv.DictReader(out.read_text("utf-8").splitlines())
        return row

    return rows


def test_the_usage_adds_up(part, server, usage_of):
    server.faults["Ask 1.0!"].append(error(500))
    records = part.run([*items(), replace(items()[0], sample_id="again")])[:-1]
    row = usage_of()
    logical = sum(record["prompt_tokens"] for record in records)
    assert (row["requests"], row["logical_tokens"]) == ("10", str(logical))
    assert (row["cached_tokens"], row["computed_tokens"]) == ("20", str(logical - 20))
    assert float(row["hit_rate"]) == pytest.approx(20 / logical, abs=1e-4)
    assert row["output_tokens"] == str(sum(record["completion_tokens"] for record in records))
    assert (row["runs"], row["retries"], row["failures"]) == ("1", "1", "0")


def test_what_is_not_known_is_empty_and_not_zero(part, usage_of):
    part.answers = {"engine": "reference"}
    part.run()
    row = usage_of()
    assert (row["logical_tokens"], row["hit_rate"], row["requests"]) == ("", "", "10")
