"""Files beside a journal, damaged in 300 ways: each is read as it is or refused."""

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


def key_paths(value, path=()):
    """The keys and indices that lead to each value within one, and to itself."""
    yield path
    if isinstance(value, list):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from key_paths(inner, (*path, key))


def damaged(record, seed):
    """The JSON of a record, cut short or with another character or value."""
    rng = random.Random(seed)
    text = json.dumps(record)
    position = rng.randrange(len(text))
    if seed % 4 == 0:
        return text[:position]
    if seed % 4 == 1:
        return text[:position] + rng.choice('x0"[]{},:\x00') + text[position + 1 :]
    root = {"record": json.loads(text)}
    *outer, last = rng.choice(list(key_paths(root))[1:])
    inner = root
    for key in outer:
        inner = inner[key]
    inner[last] = rng.choice(VALUES)
    return json.dumps(root["record"])


def use_batches(path):
    state = BatchState.load(path)
    assert all(isinstance(name, str) for name in state.open_hashes)
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
def test_damaged_file_is_used_or_refused_by_name(tmp_path, record, use):
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


def test_intact_files_are_read_unchanged(tmp_path):
    path = tmp_path / "4k.run.json"
    path.write_text(json.dumps(BATCHES))
    state = BatchState.load(path)
    assert state.open == [Batch(**batch) for batch in OPEN]
    assert state.open_hashes == {"a", "b"}
    state.save()
    assert json.loads(path.read_text()) == BATCHES
    path.write_text(json.dumps({"runs": [RUN, EARLIER_RUN]}))
    assert read_runs(path) == [RUN, EARLIER_RUN]
