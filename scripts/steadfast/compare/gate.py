"""Whether run B is no worse than run A by more than a margin, for each main measure of each model.

A measure passes where the 95 % interval of its paired difference, as models are compared, lies
above minus the margin, every answer that B lacks counted as none of its points. Equal scores pass
where, of so many answers, one would have failed in 95 of 100 runs if the margin's share of all
did. A measure is worse where the difference is told to be below 0, corrected (Holm 1979) over all
measures and models, and it does not pass. So a run passes wrongly in at most 5 of 100 cases, since
each measure must pass, and is called worse wrongly in at most 5 of 100 (``bench/gate.py``).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy

from steadfast.compare import flips
from steadfast.compare.results import Comparison
from steadfast.stats.intervals import NOTHING, SIGNIFICANT, TAIL
from steadfast.stats.pairs import holm
from steadfast.stats.power import POWER

PASS, WORSE, UNCLEAR = "pass", "worse", "cannot tell"
ENDS = {PASS: 0, WORSE: 3, UNCLEAR: 4}
"""Exit codes."""
COLUMNS = (
    "benchmark", "model", "measure", "difference", "low", "high", "p", "lacking", "verdict", "more",
)  # fmt: skip
ROUNDS = 20
MOST = 1000
"""Times as many clusters beyond which no number is given."""


class Gate(NamedTuple):
    """What a gate says.

    Attributes:
        measures: a row a measure and model (``COLUMNS``): difference is B minus A in units of the
            measure, low and high its 95 % interval, p the corrected one-sided p-value of
            "not worse", lacking the share of A's scored answers that B has no score for, more how
            many times as many contexts (or groups, records) would let an equal run pass in 80 of
            100 cases.
        verdict: of all together.
    """

    measures: pd.DataFrame
    verdict: str


def gate(found: Comparison, margin: float) -> Gate:
    """Judges run B, which may be worse than A by a margin, a share of full marks such as 0.02."""
    rows = pd.DataFrame(_rows(found, margin), columns=list(COLUMNS))
    known = rows["p"].notna()
    rows.loc[known, "p"] = holm(rows.loc[known, "p"].to_numpy(float))
    worse = (rows["p"] < SIGNIFICANT) & (rows["verdict"] != PASS)
    rows.loc[worse, "verdict"] = WORSE
    verdicts = set(rows["verdict"])
    if WORSE in verdicts:
        return Gate(rows, WORSE)
    return Gate(rows, PASS if verdicts == {PASS} else UNCLEAR)


def _rows(found: Comparison, margin: float) -> Iterator[tuple[object, ...]]:
    """A row each main measure of each model, as far as one measure alone tells."""
    for one in found.measured.itertuples():
        lacking = one.lacking / one.scored if one.scored else 0.0
        tested = found.tests[found.tests["measure"] == one.measure]
        tested = tested[(tested["benchmark"] == one.benchmark) & (tested["model"] == one.model)]
        if tested.empty:  # the scores of the two runs are the same, or there are none
            enough = np.log(SIGNIFICANT) / np.log(1 - margin)
            same = one.scored > 0 and not lacking
            verdict = PASS if same and one.scored >= enough else UNCLEAR
            more = np.ceil(10 * enough / one.scored) / 10 if same and verdict != PASS else np.nan
            values = (0.0 if same else np.nan, *[np.nan] * 3, lacking, verdict, more)
            yield one.benchmark, one.model, one.measure, *values
        for test in tested.itertuples():
            passes = test.low - lacking * one.full > -margin * one.full
            p = test.p / 2 if test.difference < 0 else 1 - test.p / 2
            more = np.nan if passes else _more(test.error, test.freedom, margin * one.full)
            further = [key for key in test.cell.split() if key not in one.where.split()]
            name, verdict = " ".join([one.measure, *further]), PASS if passes else UNCLEAR
            values = (test.difference, test.low, test.high, p, lacking, verdict, more)
            yield one.benchmark, one.model, name, *values


def _more(error: float, freedom: float, margin: float) -> float:
    """How many times as many clusters let an equal run pass with 80 % power; nan: no number."""
    if not error > NOTHING:
        return np.nan
    clusters = wanted = freedom + 1
    for _ in range(ROUNDS):  # t itself is of as many clusters
        t = sum(scipy.special.stdtrit(wanted - 1, level) for level in (1 - TAIL, POWER))
        wanted = max(2.0, clusters * (t * error / margin) ** 2)
    times = float(np.ceil(10 * wanted / clusters) / 10)
    return times if times <= MOST else np.nan


def worst(found: Comparison) -> pd.DataFrame:
    """The samples whose total fell, most first."""
    fell = found.samples[found.samples["kind"] == flips.WORSE]
    by = (fell["total_b"] - fell["total_a"]).astype(float)
    return fell.assign(by=by).sort_values("by", kind="stable")
