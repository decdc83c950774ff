"""What a job notes beside its journal, damaged in 300 ways: each is read as it is or refused."""

import json
import random

import pytest

from steadfast.base.errors import UserError
from steadfast.contract.records import read_runs
from steadfast.engines.api.batch_files import Batch, BatchState
from steadfast.engines.base import Latencies
from steadfast.engines.cost.expected import past_runs

OPEN = [
    {"key": "k1", "hashes": ["a", "b"], "file_id": "file-1", "batch_id": "batch-1"},
    {"key": "k2", "hashes": ["c"], "file_id": None, "batch_id": None},
]
BATCHES = {
    "open": OPEN,
    "attempts": {"d": 2},
    "ended": [{"batch_id": "batch-0", "status": "completed", "answered": 3}],
}
RUN = {
    "wall_seconds": 3.25, "load_seconds": 0.0, "answered": 9, "failed": 1,
    "retries": {"HTTP 500": 4}, "latencies": {"-12": 3, "4": 1}, "prompt_tokens": 10,
    "computed_tokens": 5, "output_tokens": 3, "machine": None, "option": "live",
}  # fmt: skip
EARLIER_RUN = {"wall_seconds": 1, "answered": 2, "failed": 0, "retries": {}}
VALUES = [None, True, -1, 2**70, 1.5, "", "x", [], {}, [None], [1], {"a": "b"}, [[]]]


def places(value, place=()):
    """The places of all values within one, as keys and numbers."""
    yield place
    if isinstance(value, list):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*place, key))


def damaged(record, seed):
    """The text of a record that is cut, has another character, or another value somewhere."""
    rng = random.Random(seed)
    text = json.dumps(record)
    where = rng.randrange(len(text))
    if seed % 4 == 0:
        return text[:where]
    if seed % 4 == 1:
        return text[:where] + rng.choice('x0"[]{},:\x00') + text[where + 1 :]
    whole = {"record": json.loads(text)}
    *outer, last = rng.choice(list(places(whole))[1:])
    inner = whole
    for key in outer:
        inner = inner[key]
    inner[last] = rng.choice(VALUES)
    return json.dumps(whole["record"])


def use_batches(path):
    state = BatchState.load(path)
    assert all(isinstance(name, str) for name in state.under_way)
    assert {type(number) for number in state.attempts.values()} <= {int}
    assert all(isinstance(batch.batch_id, str | None) for batch in state.open)


def use_runs(path):
    runs = read_runs(path)
    Latencies(*(run.get("latencies", {}) for run in runs)).quantile(0.5)
    sum(run["wall_seconds"] - run.get("load_seconds", 0) + run["answered"] for run in runs)
    sum(sum(run.get("retries", {}).values()) for run in runs)
    past_runs([path.parent], 0)


@pytest.mark.parametrize(
    ("record", "use"),
    [(BATCHES, use_batches), ({"runs": [RUN, EARLIER_RUN]}, use_runs)],
    ids=["batches", "runs"],
)
def test_a_damaged_record_is_used_or_refused_in_a_sentence(tmp_path, record, use):
    path = tmp_path / "4k.run.json"
    refused = 0
    for seed in range(300):
        path.write_text(damaged(record, seed), "utf-8")
        try:
            use(path)
        except UserError as error:
            refused += 1
            assert str(path) in str(error)
    assert refused > 150


def test_a_sound_record_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "4k.run.json"
    path.write_text(json.dumps(BATCHES))
    state = BatchState.load(path)
    assert state.open == [Batch(**batch) for batch in OPEN]
    assert state.under_way == {"a", "b"}
    state.save()
    assert json.loads(path.read_text()) == BATCHES
    path.write_text(json.dumps({"runs": [RUN, EARLIER_RUN]}))
    assert read_runs(path) == [RUN, EARLIER_RUN]
