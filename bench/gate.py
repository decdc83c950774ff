"""How often a gate errs: passes a run that lost the margin or more, or calls a smaller loss worse.

What each version changes is drawn here, 500 times a line, and goes through the project's own test
and gate. Losses come in these shapes:

- even: every context loses a little (normal); skewed: some contexts lose much (exponential);
- noisy scenario: as even, and one of three scenarios varies five times as much;
- broken: the stated share of contexts loses the same, and nothing else changes;
- broken + noise: the same, and all contexts vary a little;
- records: single verdicts, of which 3 % flip each way anyhow.

``unseen`` is the share of contexts below which the gate promises nothing. Losses that hit fewer
stand in lines of their own, marked *.

Run: ``PYTHONPATH=scripts python bench/gate.py``
"""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import cast

import numpy as np
import pandas as pd

from steadfast.compare.gate import PASS, WORSE, gate
from steadfast.compare.results import MEASURED, TESTS, Comparison
from steadfast.show.results import unseen
from steadfast.stats.intervals import Clusters

RUNS = 500
MARGIN = 0.05
SCENARIOS = 3
Changes = np.ndarray
"""By how much each context changes: a row a run, a column a context."""
Shape = Callable[[np.random.Generator, int, float], Changes]
"""Draws the changes of so many contexts whose mean is that loss in truth."""


def even(rng: np.random.Generator, contexts: int, loss: float) -> Changes:
    return rng.normal(-loss, 0.08, (RUNS, contexts))


def skewed(rng: np.random.Generator, contexts: int, loss: float) -> Changes:
    return 0.08 - loss - rng.exponential(0.08, (RUNS, contexts))


def noisy_scenario(rng: np.random.Generator, contexts: int, loss: float) -> Changes:
    spread = np.where(np.arange(contexts) % SCENARIOS == 0, 0.1, 0.02)
    return rng.normal(-loss, spread, (RUNS, contexts))


def broken(share: float | None, noise: float) -> Shape:
    """That share of contexts loses, by default the least that the gate promises to see."""

    def draw(rng: np.random.Generator, contexts: int, loss: float) -> Changes:
        hit = unseen(contexts) if share is None else share
        lost = np.where(rng.random((RUNS, contexts)) < hit, loss / hit, 0.0)
        return rng.normal(0, noise, lost.shape) - lost if noise else -lost

    return draw


def records(rng: np.random.Generator, contexts: int, loss: float) -> Changes:
    """Nine in ten are right before."""
    right = rng.random((RUNS, contexts)) < 0.9
    drawn = rng.random((RUNS, contexts))
    falls = (0.03 + loss) / 0.9
    rises = 0.03 / 0.1
    return np.where(right, -1.0 * (drawn < falls), 1.0 * (drawn < rises))


CONTEXTS = (3, 6, 12, 20, 28)
SHAPES: dict[str, tuple[Shape, tuple[int, ...], bool]] = {
    "even": (even, CONTEXTS, False),
    "skewed": (skewed, CONTEXTS, False),
    "noisy scenario": (noisy_scenario, (6, 12, 21), True),
    "broken": (broken(None, 0.0), CONTEXTS, False),
    "broken + noise": (broken(None, 0.02), CONTEXTS, False),
    "* broken, 1 of 18": (broken(1 / 18, 0.0), CONTEXTS, False),
    "* broken, 1 of 18, + noise": (broken(1 / 18, 0.02), CONTEXTS, False),
    "records": (records, (60, 120, 240), False),
}


def verdicts(changes: list[Changes], by_scenario: bool) -> Iterator[str]:
    """What the gate says of each run; a measure for each of the changes."""
    tests = [_tests(f"S{number}", of, by_scenario) for number, of in enumerate(changes)]
    rows = [("b", "m", f"S{number}", "", 1.0, 1, 0, False) for number in range(len(changes))]
    measured = pd.DataFrame(rows, columns=[*MEASURED])
    for run in range(RUNS):
        of_run = pd.concat([rows.iloc[[run]] for rows in tests])
        comparison = SimpleNamespace(tests=of_run, measured=measured)
        yield gate(cast(Comparison, comparison), MARGIN).verdict


def _tests(measure: str, changes: Changes, by_scenario: bool) -> pd.DataFrame:
    """A row a run, as ``stats.pairs`` tests two models."""
    run, cluster = (axis.ravel() for axis in np.indices(changes.shape))
    frame = pd.DataFrame({"run": run, "cluster": cluster.astype(str), "total": changes.ravel()})
    frame["scenario"] = (cluster % SCENARIOS).astype(str) if by_scenario else ""
    estimates = Clusters(frame, ["scenario"]).means(frame, ["run"], limits=(-1, 1))
    error, degrees_of_freedom = estimates.errors()[:2]
    rows = estimates.rows("difference").assign(error=error, degrees_of_freedom=degrees_of_freedom)
    rows = rows.assign(benchmark="b", model="m", cell="", measure=measure, p=1.0, p_holm=1.0)
    return rows.assign(clusters=changes.shape[1])[[*TESTS]]


def main() -> None:
    """A line a shape and number of contexts."""
    header = "margin lost: pass, worse   equal: pass, worse   4 measures lose .3, .75: worse"
    print(f"{'changes':26} contexts unseen   {header}")
    for name, (draw, numbers, by_scenario) in SHAPES.items():
        for number in numbers:
            rng = np.random.default_rng([number, len(name)])
            values = []
            for loss in (MARGIN, 0.0):
                found = list(verdicts([draw(rng, number, loss)], by_scenario))
                values += [found.count(PASS), found.count(WORSE)]
            for loss in (0.3, 0.75):
                measures = [np.clip(draw(rng, number, loss), -1, 1) for _ in range(4)]
                values.append(list(verdicts(measures, by_scenario)).count(WORSE))
            shares = "".join(f"{value / RUNS:>9.3f}" for value in values)
            print(f"{name:26} {number:8} {unseen(number):6.2f} {shares}", flush=True)


if __name__ == "__main__":
    main()
