"""How often a gate errs: passes a run that is worse by the margin, or calls an equal one worse.

Both runs' scores are drawn, 500 times a line, and go through the project's own test and gate.
A version differs from the other evenly over contexts (normal), much in a few (skewed), or fails
some contexts or records and no others. Pass is how often a run passes, worse how often it is called
so, where the new version is worse by the margin, equal, and better by the margin.

Run: ``PYTHONPATH=scripts:bench python bench/gate.py``
"""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import cast

import numpy as np
import pandas as pd
from coverage import normal, skewed

from steadfast.compare.gate import PASS, WORSE, gate
from steadfast.compare.results import MEASURED, TESTS, Comparison
from steadfast.stats.intervals import Clusters

RUNS, MARGIN, SAMPLES = 500, 0.05, 5
Version = Callable[[np.random.Generator, tuple[int, int], float], np.ndarray]
"""Gives what each cluster's score changes by: of a generator, the runs and clusters, the mean."""


def failing(rng: np.random.Generator, size: tuple[int, int], mean: float) -> np.ndarray:
    """Some contexts lose .5, and, where the mean is more than that, as many gain it."""
    lost, gained = (0.05 - min(mean, 0.0), 0.05 + max(mean, 0.0))
    drawn = rng.random(size)
    return np.where(drawn < 2 * lost, -0.5, np.where(drawn > 1 - 2 * gained, 0.5, 0.0))


VERSIONS: dict[str, Version] = {
    "normal": lambda rng, size, mean: mean + normal(rng, size),
    "skewed": lambda rng, size, mean: mean + skewed(rng, size),
    "failing": failing,
}


def contexts(kind: str, number: int, mean: float) -> tuple[np.ndarray, np.ndarray]:
    """Totals of both versions, by run, context and sample; contexts differ for both alike."""
    rng = np.random.default_rng([number, int(1000 * abs(mean)), len(kind)])
    shape = (RUNS, number, SAMPLES)
    level = 0.5 + rng.normal(0, 0.06, (RUNS, number, 1))
    change = VERSIONS[kind](rng, (RUNS, number), mean)[..., None]
    return level + rng.normal(0, 0.05, shape), level + change + rng.normal(0, 0.05, shape)


def records(other: float, number: int, mean: float) -> tuple[np.ndarray, np.ndarray]:
    """The same of records right (nine in ten) or wrong, of which ``other`` flip each way anyhow."""
    rng = np.random.default_rng([number, int(1000 * abs(mean)), int(1000 * other)])
    shape = (RUNS, number, 1)
    before, drawn = rng.random(shape) < 0.9, rng.random(shape)
    falls = before & (drawn < (other + max(-mean, 0)) / 0.9)
    rises = ~before & (drawn < (other + max(mean, 0)) / 0.1)
    return before.astype(float), np.where(falls, 0.0, np.where(rises, 1.0, before))


def verdicts(before: np.ndarray, after: np.ndarray) -> Iterator[str]:
    """What the gate says of each run; all are tested at once, as models are (``stats.pairs``)."""
    run, cluster, _ = (axis.ravel() for axis in np.indices(before.shape))
    frame = pd.DataFrame({"run": run, "cluster": cluster.astype(str)})
    frame["total"] = (after - before).ravel()
    of = Clusters(frame, []).means(frame, ["run"], limits=(-1, 1))
    error, freedom = of.errors()[:2]
    rows = of.rows("difference").assign(p=of.p_values(), error=error, freedom=freedom)
    rows = rows.assign(benchmark="b", model="m", cell="", measure="S", p_holm=np.nan)[[*TESTS]]
    measured = pd.DataFrame([("b", "m", "S", "", 1.0, before[0].size, 0)], columns=[*MEASURED])
    for number, equal in enumerate((before == after).all(axis=(1, 2))):
        # Of equal scores there is no test (``compare.results``).
        tests = rows.iloc[number : number + (not equal)]
        yield gate(
            cast(Comparison, SimpleNamespace(tests=tests, measured=measured)), MARGIN
        ).verdict


def main() -> None:
    """A line a kind of version and number of clusters."""
    print("versions differ by        number   worse: pass   equal: worse    pass   better: worse")
    kinds = {kind: (contexts, kind, (6, 12, 24)) for kind in VERSIONS}
    kinds |= {
        f"records, {other} flip": (records, other, (30, 60, 120, 240)) for other in (0.0, 0.03)
    }
    for name, (draw, how, numbers) in kinds.items():
        for number in numbers:
            said = [list(verdicts(*draw(how, number, mean))) for mean in (-MARGIN, 0.0, MARGIN)]
            values = (
                said[0].count(PASS), said[1].count(WORSE), said[1].count(PASS), said[2].count(WORSE)
            )  # fmt: skip
            print(f"{name:26} {number:5}", *(f"{v / RUNS:>12.3f}" for v in values), flush=True)


if __name__ == "__main__":
    main()
