"""How often the range of effective context lengths holds the true one, of readers whose decline is
known.

Runs are drawn as in ``intervals.py``, a run a model, and go through the project's own function. A
range errs below where it surely keeps what truly falls, and above where it surely loses what is
truly kept; each is to happen in at most 2.5 of 100 runs. Between the lengths of a run nothing is
known, so that a range of a curve far from the line holds the truth nearly always.

Run: ``PYTHONPATH=scripts:bench python bench/effective_length.py [CURVE ...]``
"""

import sys
from itertools import product

import numpy as np
import pandas as pd
from intervals import LENGTHS, RUNS, Effects, normal, print_row, runs, shares, skewed

from steadfast.benchmarks.lifbench.analyses import effective
from steadfast.stats.effective_context_length import reaches

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


def drawn(effects: Effects | None, contexts: int, curve: tuple[float, ...]) -> pd.DataFrame:
    """Runs along a curve; without effects samples are right or wrong."""
    if effects:
        frame = runs(effects, contexts, LENGTHS, RUNS, mean=START)
        return frame.assign(total=frame["total"] + START * _fall(frame, curve))
    parts = [
        runs(shares(START * kept), contexts, [length], RUNS, mean=0.0, seed=seed)
        for seed, (length, kept) in enumerate(zip(LENGTHS, curve, strict=True))
    ]
    frame = pd.concat([part.astype({"length": str, "cluster": str}) for part in parts])
    return frame.astype({"length": pd.CategoricalDtype(LENGTHS, ordered=True)})


def _fall(frame: pd.DataFrame, curve: tuple[float, ...]) -> np.ndarray:
    return (np.array(curve) - 1)[frame["length"].cat.codes]


def true_length(curve: tuple[float, ...]) -> int:
    """The place of the greatest length up to which the share is kept."""
    return next((i for i, kept in enumerate(curve) if kept < SHARE), len(curve)) - 1


def main() -> None:
    """A line a curve, kind of contexts, and number of contexts."""
    print("curve                    contexts   effects        cover   below   above   steps   hit")
    kinds: dict[str, Effects | None] = {"normal": normal, "skewed": skewed, "right or wrong": None}
    wanted = {name: CURVES[name] for name in sys.argv[1:] or CURVES}
    for (name, curve), (kind, effects), contexts in product(
        wanted.items(), kinds.items(), (2, 4, 10, 20)
    ):
        rows = effective(drawn(effects, contexts, curve))
        truth = true_length(curve)
        low, high, hit = (
            np.array([LENGTHS.index(getattr(reach, end)) for reach in reaches(rows).values()])
            for end in ("low", "high", "value")
        )
        below = np.mean(low > truth)
        above = np.mean(high < truth)
        values = (1 - below - above, below, above, np.mean(high - low), np.mean(hit == truth))
        print_row(name, contexts, kind, [f"{value:.3f}" for value in values])


if __name__ == "__main__":
    main()
