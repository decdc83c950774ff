"""What an adaptive run is expected to ask, by simulated runs, of the most that it can ask."""

from collections.abc import Iterator, Mapping, Sequence
from math import comb
from typing import Any

import numpy as np

from steadfast.base.files import Settings
from steadfast.plan.certificate import comparisons
from steadfast.stats import FIRST_LOOK
from steadfast.stats.adaptive import Course, Design, differences
from steadfast.stats.certificate import strata_of
from steadfast.stats.power import Stratum

RUNS, FEWEST = 60, 4
"""Simulated runs: of many models fewer."""
MANY = 190
"""Pairs of models up to which all runs are simulated."""
MOST = 40
"""Models that are simulated at most; more are expected to take as large a share."""
SEED = "adaptive"


def adaptive_page(settings: Settings, samples: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Yields the lines of an adaptive run, whose rounds are all in the plan's rows.

    Args:
        settings: design, models, and what ``certificate.comparisons`` takes.
        samples: of each part.
    """
    design, models = settings["design"], len(settings["models"])
    yield from ("", "## Adaptive run", "")
    yield f"At most {design['contexts']} rounds, which are what the table above has."
    (of, *_) = comparisons(settings["compared"], settings["tokens"], samples, {})
    if of.how.spread is None or not of.how.lengths or not of.variances:
        yield "How much of this is expected is not known: no variances of such scores are."
        return
    strata = strata_of(of.groups(of.variances[0]), FIRST_LOOK)
    share, runs = expected_share(Design(**design), models, strata, of.how.spread)
    yield (
        f"Expected is {share:.0%} of it: the mean of {runs} simulated runs, with variances of "
        f"{of.source}. In them the models are as far apart as those of the paper (standard "
        f"deviation {of.how.spread:.3f}); models that are nearer to each other take more."
    )


def expected_share(
    design: Design, models: int, strata: Sequence[Stratum], spread: float
) -> tuple[float, int]:
    """Returns the share of all rounds of all models that are expected to be asked, and of how many
    simulated runs.

    Args:
        design: of the run.
        models: that are compared.
        strata: of the paired differences; their weighted sum is the overall difference.
        spread: standard deviation of the models' scores.
    """
    models = min(models, MOST)
    runs = max(FEWEST, RUNS * MANY // max(MANY, comb(models, 2)))
    rng = np.random.default_rng(list(SEED.encode()))
    weights = np.array([stratum.weight for stratum in strata])
    whole = weights.sum()
    # Of a difference between two models each has half of the variance.
    deviations = np.sqrt([stratum.variance / 2 for stratum in strata]) * whole
    shares = []
    for _ in range(runs):
        course = Course(models, design)
        first, second = course.pairs.T
        scores = rng.normal(0, spread, (models, 1, 1))
        size = (models, len(strata), design.contexts)
        drawn = scores + rng.normal(0, 1, size) * deviations[:, None]
        while course.going_on.any():
            now = drawn[:, :, : course.rounds.max()]
            course.look(differences(now[first] - now[second], weights / whole))
        shares.append(course.rounds.mean() / design.contexts)
    return float(np.mean(shares)), runs
