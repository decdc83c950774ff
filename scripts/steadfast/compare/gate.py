"""Whether run B is no worse than run A by more than a margin, for each main measure of each model.

A measure passes where the 95 % interval of its paired difference, as models are compared, lies
above minus the margin, every answer that B lacks counted as none of its points. Where all contexts
differ alike, as where all scores are equal, there is no variance to go by: the difference itself
has to lie above minus the margin.

Contexts that were not sampled may hide any loss. A change that hits at least the share

    s = 1 - .05^(1/k)

of all contexts hits one of k sampled ones in 95 of 100 runs. So for losses that hit at least this
share the gate passes wrongly in at most 5 of 100 runs, and it names the share. A strict gate passes
only where k is so large that even a loss of all points in fewer contexts stays within the margin.

A measure is worse where it is shown to have lost more than the margin, corrected over all measures
and models, by two tests that share out 5 in 100: Holm's (1979), which finds one of many, and twice
the mean of the p-values, which is a p-value however they depend on each other (Rüschendorf 1982;
Vovk and Wang 2020) and finds a loss in all of them, also with six contexts. ``bench/gate.py`` says
how often both hold.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from steadfast.compare import flips
from steadfast.compare.results import Comparison
from steadfast.show.results import unseen_share
from steadfast.stats.intervals import NOTHING, SIGNIFICANT, TAIL
from steadfast.stats.pairs import holm
from steadfast.stats.power import Pilot

IDENTICAL = "identical"
PASS = "pass"
WORSE = "worse"
UNCLEAR = "cannot tell"
EXIT_CODES = {IDENTICAL: 0, PASS: 0, WORSE: 3, UNCLEAR: 4}
COLUMNS = (
    "benchmark", "model", "measure", "difference", "low", "high", "p", "sampling_units", "lacking",
    "verdict", "error", "degrees_of_freedom",
)  # fmt: skip
# Levels of the two tests of *worse*: by Holm, and by the mean of p-values, of which the least that
# six contexts can give is 2 · 2⁻⁶ = .03125.
EACH = 0.01
TOGETHER = 0.032


class Gate(NamedTuple):
    """The result of a gate.

    Attributes:
        measures: a row a measure and model (``COLUMNS``): difference is B minus A in units of the
            measure, low and high its 95 % interval, p the one-sided p-value of a loss within the
            margin, lacking the share of A's scored responses without a score in B, error the
            standard error of the difference as a share of full marks.
        verdict: of all together.
        needed: sampling units that a strict gate needs; None where it is not strict.
    """

    measures: pd.DataFrame
    verdict: str
    needed: int | None = None

    @property
    def unseen(self) -> float:
        """Share of sampling units, of the measure with the fewest, where a loss may be unseen."""
        fewest = self.measures["sampling_units"].min()
        return unseen_share(fewest) if fewest > 0 else 1.0


def units_needed(margin: float) -> int:
    """Contexts from which on a loss of all points in the unseen ones stays within the margin.

    >>> units_needed(0.02), units_needed(0.05)
    (149, 59)
    """
    return math.ceil(math.log(SIGNIFICANT) / math.log(1 - margin))


def gate(comparison: Comparison, margin: float, strict: bool = False) -> Gate:
    """Judges run B, which may be worse than A by a margin, a share of full marks such as 0.02."""
    needed = units_needed(margin) if strict else None
    # A row for each test of a main measure of a model; without a test, its columns are empty.
    tests = comparison.measured.merge(
        comparison.tests, how="left", on=["benchmark", "model", "measure"]
    )
    judged = [_measure_row(row, margin * row.full, needed or 0) for row in tests.itertuples()]
    measures = pd.DataFrame(judged, columns=list(COLUMNS))
    if len(measures) and (measures["verdict"] == IDENTICAL).all():
        return Gate(measures, IDENTICAL, needed)
    tested = measures["p"].notna().to_numpy()
    each, together = significantly_worse(measures.loc[tested, "p"].to_numpy(float))
    measures.loc[np.flatnonzero(tested)[each], "verdict"] = WORSE
    if together:
        return Gate(measures, WORSE, needed)
    verdicts = set(measures["verdict"])
    return Gate(measures, PASS if verdicts <= {PASS, IDENTICAL} else UNCLEAR, needed)


def significantly_worse(p: np.ndarray) -> tuple[np.ndarray, bool]:
    """Which hypotheses are rejected, and whether that of all together is.

    A hypothesis is rejected by the mean of p-values if every set with it is (closed testing): those
    with the largest of the other p-values are the hardest to reject.

    >>> significantly_worse(np.full(4, 2.0**-6))
    (array([ True,  True,  True,  True]), True)
    >>> significantly_worse(np.array([0.0001, 0.5]))
    (array([ True, False]), True)
    """
    rejected = holm(p) <= EACH
    for row in range(len(p)):
        other_ps = np.sort(np.delete(p, row))[::-1]
        sums = p[row] + np.concatenate([[0.0], np.cumsum(other_ps)])
        sizes = np.arange(1, len(sums) + 1)
        # One p-value is one; the mean of several counts twice.
        combined = sums / sizes * np.where(sizes > 1, 2, 1)
        rejected[row] |= bool((combined <= TOGETHER).all())
    together = p.size and 2 * p.mean() <= TOGETHER
    return rejected, bool(together or rejected.any())


def _measure_row(row: Any, margin: float, needed: int) -> tuple[object, ...]:
    """A row of ``COLUMNS``, by one test alone; the margin is in units of the measure."""
    lacking = row.lacking / row.scored if row.scored else 0.0
    if pd.isna(row.clusters):  # no sample has a score in both runs
        names = (row.benchmark, row.model, row.measure)
        return *names, *[np.nan] * 4, 0, lacking, UNCLEAR, np.nan, np.nan
    further = [key for key in row.cell.split() if key not in row.where.split()]
    names = (row.benchmark, row.model, " ".join([row.measure, *further]))
    agree = row.error < NOTHING  # all contexts differ alike
    lowest = row.difference if agree else row.low
    # Scores that B lacks count as a loss of full marks each.
    passes = lowest - lacking * row.full > -margin + NOTHING and row.clusters >= needed
    if row.identical:
        verdict = IDENTICAL
        p = np.nan
    else:
        verdict = PASS if passes else UNCLEAR
        p = _p_within(row, margin, agree)
    test = (row.difference, row.low, row.high, p, int(row.clusters), lacking, verdict)
    return *names, *test, row.error / row.full, row.degrees_of_freedom


def _p_within(test: Any, margin: float, agree: bool) -> float:
    """One-sided p-value of a loss that is no larger than the margin m, of the difference d.

    p = max(P(t ≤ (d + m) ÷ s), 2^-k),   s = (upper end − d) ÷ t₉₇₅

    The interval's upper side, which knows of skewness, is t₉₇₅ standard errors long. All k signs
    fall to one side by chance in one of 2^k cases.
    """
    lowest = 2.0**-test.clusters
    if math.isnan(test.low):
        return math.nan
    if agree:
        return lowest if test.difference < -margin - NOTHING else 1.0
    error = (test.high - test.difference) / scipy.special.stdtrit(test.degrees_of_freedom, 1 - TAIL)
    if not error > 0:
        return 1.0
    p = scipy.special.stdtr(test.degrees_of_freedom, (test.difference + margin) / error)
    return float(max(p, lowest))


def more_units(row: Any, margin: float) -> float:
    """How many times as many sampling units would let an equal run pass with 80 % power; or nan.

    ``row`` is of ``Gate.measures``.
    """
    if not row.error > NOTHING:
        return math.nan
    needed = Pilot(row.error, row.degrees_of_freedom, row.sampling_units).clusters_needed(margin)
    return needed / row.sampling_units if needed else math.nan


def largest_losses(comparison: Comparison) -> pd.DataFrame:
    """The samples with a lower total in B, the largest loss first."""
    worse = comparison.samples[comparison.samples["kind"] == flips.WORSE]
    change = (worse["total_b"] - worse["total_a"]).astype(float)
    return worse.assign(change=change).sort_values("change", kind="stable")
