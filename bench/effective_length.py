"""Coverage of the ranges of effective context lengths, for simulated models with a known decline.

Runs are simulated as in ``intervals.py``, a run a model, and evaluated by the project's own
function. A range errs below if it counts a lost length as kept, and above if it counts a kept
length as lost; each may happen in at most 2.5 of 100 runs. Between a run's lengths
nothing is measured, so that a range of a curve far from the line nearly always covers the truth.

Run: ``PYTHONPATH=scripts:bench python bench/effective_length.py [CURVE ...]``
"""

import sys
from itertools import product

import numpy as np
import pandas as pd
from intervals import LENGTHS, RUNS, Effects, normal, print_row, runs, shares, skewed

from steadfast.benchmarks.lifbench.analyses import effective
from steadfast.stats.effective_context_length import effective_lengths

SHARE = 0.85
START = 0.8
CURVES = {
    "steady": (1, 1, 1, 1, 1, 1),
    "just kept": (1, 0.97, 0.94, 0.91, 0.88, 0.85),
    "falls": (1, 0.97, 0.93, 0.88, 0.81, 0.70),
    "falls steeply": (1, 1, 1, 0.97, 0.6, 0.3),
    "kept, then just lost": (1, 1, 1, 1, 0.8499, 0.5),
    "just kept, then lost": (1, 1, 1, 1, 0.85, 0.5),
    "along the line": (1, 0.85, 0.85, 0.85, 0.85, 0.8499),
    "dips": (1, 0.95, 0.80, 0.95, 0.90, 0.70),
}
"""Scores at each length, over that at the shortest."""


def simulated(effects: Effects | None, contexts: int, curve: tuple[float, ...]) -> pd.DataFrame:
    """Runs along a curve; without effects samples are right or wrong."""
    if effects:
        frame = runs(effects, contexts, LENGTHS, RUNS, mean=START)
        return frame.assign(total=frame["total"] + START * _fall(frame, curve))
    parts = []
    for seed, length in enumerate(LENGTHS):
        effects = shares(START * curve[seed])
        part = runs(effects, contexts, [length], RUNS, mean=0.0, seed=seed)
        parts.append(part.astype({"length": str, "cluster": str}))
    frame = pd.concat(parts)
    return frame.astype({"length": pd.CategoricalDtype(LENGTHS, ordered=True)})


def _fall(frame: pd.DataFrame, curve: tuple[float, ...]) -> np.ndarray:
    return (np.array(curve) - 1)[frame["length"].cat.codes]


def true_length(curve: tuple[float, ...]) -> int:
    """The index of the greatest length up to which the share is kept."""
    lost = [index for index, retention in enumerate(curve) if retention < SHARE]
    return min(lost, default=len(curve)) - 1


def main() -> None:
    """Prints a line for each curve, kind of contexts, and number of contexts."""
    print("curve                    contexts   effects        cover   below   above   steps   hit")
    kinds: dict[str, Effects | None] = {"normal": normal, "skewed": skewed, "right or wrong": None}
    names = sys.argv[1:] or CURVES
    for name, kind, contexts in product(names, kinds, (2, 4, 10, 20)):
        curve = CURVES[name]
        truth = true_length(curve)
        indices = []
        for reach in effective_lengths(effective(simulated(kinds[kind], contexts, curve))).values():
            indices.append([LENGTHS.index(end) for end in (reach.low, reach.high, reach.value)])
        low, high, value = np.array(indices).T
        below = np.mean(low > truth)
        above = np.mean(high < truth)
        values = (1 - below - above, below, above, np.mean(high - low), np.mean(value == truth))
        print_row(name, contexts, kind, [f"{value:.3f}" for value in values])


if __name__ == "__main__":
    main()
