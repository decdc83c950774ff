"""How often a gate errs: passes a run that lost the margin or more, or calls a smaller loss worse.

The changes between two versions are simulated here, 500 times a line, and evaluated by the
project's own test and gate. Losses have these distributions:

- even: every context loses a little (normal); skewed: some contexts lose much (exponential);
- noisy scenario: as even, and one of three scenarios varies five times as much;
- broken: the stated share of contexts loses the same, and nothing else changes;
- broken + noise: the same, and all contexts vary a little;
- records: single verdicts, of which 3 % flip each way without any loss.

``unseen_share`` is the share of contexts below which the gate guarantees nothing. Losses in fewer
contexts have lines of their own, marked *.

Run: ``PYTHONPATH=scripts python bench/gate.py``
"""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import cast

import numpy as np
import pandas as pd

from steadfast.compare.gate import PASS, WORSE, gate
from steadfast.compare.results import MEASURED, TESTS, Comparison
from steadfast.show.results import unseen_share
from steadfast.stats.intervals import Clusters

RUNS = 500
MARGIN = 0.05
SCENARIOS = 3
Changes = np.ndarray
"""The change of each context (column) in each run (row)."""
Shape = Callable[[np.random.Generator, int, float], Changes]
"""Samples the changes of so many contexts, whose true mean is that loss."""


def even(rng: np.random.Generator, contexts: int, loss: float) -> Changes:
    return rng.normal(-loss, 0.08, (RUNS, contexts))


def skewed(rng: np.random.Generator, contexts: int, loss: float) -> Changes:
    return 0.08 - loss - rng.exponential(0.08, (RUNS, contexts))


def noisy_scenario(rng: np.random.Generator, contexts: int, loss: float) -> Changes:
    spread = np.where(np.arange(contexts) % SCENARIOS == 0, 0.1, 0.02)
    return rng.normal(-loss, spread, (RUNS, contexts))


def broken(share: float | None, noise: float) -> Shape:
    """That share of contexts loses, by default the smallest that the gate detects."""

    def draw(rng: np.random.Generator, contexts: int, loss: float) -> Changes:
        hit = unseen_share(contexts) if share is None else share
        lost = np.where(rng.random((RUNS, contexts)) < hit, loss / hit, 0.0)
        return rng.normal(0, noise, lost.shape) - lost if noise else -lost

    return draw


def records(rng: np.random.Generator, contexts: int, loss: float) -> Changes:
    """Nine in ten are right before."""
    right = rng.random((RUNS, contexts)) < 0.9
    uniform = rng.random((RUNS, contexts))
    falls = (0.03 + loss) / 0.9
    rises = 0.03 / 0.1
    return np.where(right, -1.0 * (uniform < falls), 1.0 * (uniform < rises))


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
    """The gate's verdict on each run; a measure for each of the changes."""
    tests = []
    rows = []
    for number, measure_changes in enumerate(changes):
        measure = f"S{number}"
        tests.append(_tests(measure, measure_changes, by_scenario))
        rows.append(("b", "m", measure, "", 1.0, 1, 0, False))
    measured = pd.DataFrame(rows, columns=[*MEASURED])
    for run in range(RUNS):
        run_tests = pd.concat([measure_tests.iloc[[run]] for measure_tests in tests])
        comparison = SimpleNamespace(tests=run_tests, measured=measured)
        yield gate(cast(Comparison, comparison), MARGIN).verdict


def _tests(measure: str, changes: Changes, by_scenario: bool) -> pd.DataFrame:
    """A row a run, as ``stats.pairs`` tests two models."""
    run, cluster = np.indices(changes.shape).reshape(2, -1)
    frame = pd.DataFrame({"run": run, "cluster": cluster.astype(str), "total": changes.ravel()})
    frame["scenario"] = (cluster % SCENARIOS).astype(str) if by_scenario else ""
    estimates = Clusters(frame, ["scenario"]).means(frame, ["run"], limits=(-1, 1))
    error, degrees_of_freedom = estimates.errors[:2]
    rows = estimates.rows("difference").assign(error=error, degrees_of_freedom=degrees_of_freedom)
    rows = rows.assign(benchmark="b", model="m", cell="", measure=measure, p=1.0, p_holm=1.0)
    return rows.assign(clusters=changes.shape[1])[[*TESTS]]


def main() -> None:
    """Prints a line for each distribution and number of contexts."""
    header = "margin lost: pass, worse   equal: pass, worse   4 measures lose .3, .75: worse"
    print(f"{'changes':26} contexts unseen   {header}")
    for name, (draw, numbers, by_scenario) in SHAPES.items():
        for number in numbers:
            rng = np.random.default_rng([number, len(name)])
            values = []
            for loss in (MARGIN, 0.0):
                outcomes = list(verdicts([draw(rng, number, loss)], by_scenario))
                values += [outcomes.count(PASS), outcomes.count(WORSE)]
            for loss in (0.3, 0.75):
                measures = [np.clip(draw(rng, number, loss), -1, 1) for _ in range(4)]
                values.append(list(verdicts(measures, by_scenario)).count(WORSE))
            shares = "".join(f"{value / RUNS:>9.3f}" for value in values)
            print(f"{name:26} {number:8} {unseen_share(number):6.2f} {shares}", flush=True)


if __name__ == "__main__":
    main()
