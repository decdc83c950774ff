"""Coverage of intervals for simulated models with a known decline by length."""

import numpy as np
import pandas as pd
import pytest

from steadfast.benchmarks.ifeval.metrics import drops, length_means
from steadfast.stats.effective_context_length import effective_lengths, retention_by_length

LENGTHS = ["0", "4k", "32k", "128k"]
RUNS = 400
PROMPTS = 60
EXPRESSIONS = 2
MEAN = 0.8
RETENTION = {"0": 1.0, "4k": 0.95, "32k": 0.85, "128k": 0.6}
"""At 32k exactly the retention that an effective context length requires."""


@pytest.fixture(scope="module")
def frame():
    """A model per run; the chance to follow a prompt has a beta distribution."""
    rng = np.random.default_rng(25)
    chance = rng.beta(MEAN * 2.5, (1 - MEAN) * 2.5, (RUNS, PROMPTS))
    frames = []
    for length, retention in RETENTION.items():
        expressions = EXPRESSIONS if length != "0" else 1
        follows = rng.random((RUNS, PROMPTS, expressions)) < (chance * retention)[..., None]
        run, prompt, expression = np.indices(follows.shape).reshape(3, -1)
        columns = {"model": run, "cluster": prompt, "expression_id": expression}
        frame = pd.DataFrame(columns).assign(total=follows.ravel())
        frames.append(frame.assign(length=length, task="ifeval"))
    frame = pd.concat(frames, ignore_index=True).astype({"total": float})
    frame["model"] = frame["model"].map("m{:03}".format)
    frame["cluster"] = "ifeval/" + frame["cluster"].astype(str)
    frame["length"] = pd.Categorical(frame["length"], LENGTHS, ordered=True)
    return frame


def test_intervals_of_drops_cover_the_truth_in_95_percent_of_runs(frame):
    rows = drops(frame)
    truth = MEAN * (1 - rows["length"].map(RETENTION).astype(float))
    covered = (rows["low"] <= truth) & (truth <= rows["high"])
    assert len(rows) == 3 * RUNS
    assert 0.93 <= covered.mean() <= 0.97


def test_intervals_of_effective_lengths_cover_the_truth_more_often(frame):
    """There are few lengths, so that each end errs in at most 2.5 % of runs."""
    index = LENGTHS.index
    covered = []
    for length in effective_lengths(retention_by_length(length_means(frame), LENGTHS)).values():
        covered.append(index(length.low) <= index("32k") <= index(length.high))
    assert len(covered) == RUNS
    assert 0.95 <= np.mean(covered) < 1
