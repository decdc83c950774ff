"""How often intervals hold what is true, of readers whose decline with length is known."""

import numpy as np
import pandas as pd
import pytest

from steadfast.benchmarks.ifeval.metrics import drops, length_means
from steadfast.stats.effective_context_length import kept_shares, reaches

LENGTHS = ["0", "4k", "32k", "128k"]
RUNS = 400
PROMPTS = 60
WORDINGS = 2
MEAN = 0.8
KEPT = {"0": 1.0, "4k": 0.95, "32k": 0.85, "128k": 0.6}
"""The share of its chance at length 0 with which a reader still follows a prompt; at 32k just the
share that an effective context length asks for."""


@pytest.fixture(scope="module")
def frame():
    """A model a run; prompts differ in their chance, by a beta distribution."""
    rng = np.random.default_rng(25)
    chance = rng.beta(MEAN * 2.5, (1 - MEAN) * 2.5, (RUNS, PROMPTS))
    rows = []
    for length, kept in KEPT.items():
        wordings = WORDINGS if length != "0" else 1
        held = rng.random((RUNS, PROMPTS, wordings)) < (chance * kept)[..., None]
        run, prompt, wording = (of.ravel() for of in np.indices(held.shape))
        of = {"model": run, "cluster": prompt, "expression_id": wording, "total": held.ravel()}
        rows.append(pd.DataFrame(of).assign(length=length, task="ifeval"))
    found = pd.concat(rows, ignore_index=True).astype({"total": float})
    found["model"] = found["model"].map("m{:03}".format)
    found["cluster"] = "ifeval/" + found["cluster"].astype(str)
    found["length"] = pd.Categorical(found["length"], LENGTHS, ordered=True)
    return found


def test_intervals_of_drop_and_effective_length_hold_what_is_true_in_95_of_100_runs(frame):
    rows = drops(frame)
    truth = rows["length"].map({length: MEAN * (1 - kept) for length, kept in KEPT.items()})
    held = (rows["low"] <= truth) & (truth <= rows["high"])
    assert len(rows) == 3 * RUNS
    assert 0.93 <= held.mean() <= 0.97
    # More often than that, since lengths are few: each end errs in at most 2.5 of 100 runs.
    found = reaches(kept_shares(length_means(frame), LENGTHS)).values()
    place = LENGTHS.index
    held = [place(of.low) <= place("32k") <= place(of.high) for of in found]
    assert len(held) == RUNS
    assert 0.95 <= np.mean(held) < 1
