"""What an adaptive run is expected to ask, by simulated runs, of the most that it can ask."""

from collections.abc import Iterator, Mapping, Sequence
from math import comb
from typing import Any

import numpy as np

from steadfast.base.files import Record, Settings
from steadfast.plan.certificate import PartCertificate, PilotCertificate
from steadfast.plan.page import costs_table
from steadfast.stats.adaptive import FIRST, Course, Design, differences
from steadfast.stats.power import Stratum
from steadfast.stats.variance_components import mean_components

RUNS, FEWEST = 60, 4
"""Simulated runs: of many models fewer."""
MANY = 190
"""Pairs of models up to which all runs are simulated."""
MOST = 40
"""Models that are simulated at most; more are expected to take as large a share."""
SEED = "adaptive"


def adaptive_page(
    settings: Settings, samples: Mapping[str, Sequence[Any]], rows: Sequence[Record]
) -> Iterator[str]:
    """Yields the lines of an adaptive run, by the plan's rows, which are of all its rounds.

    Args:
        settings: design, and what ``PilotCertificate`` takes but for scores.
        samples: of each part.
        rows: of the benchmark's plan.
    """
    design, models = settings["design"], len(settings["models"])
    certificate = {name: of for name, of in settings.items() if name != "design"}
    yield from ("", "## Adaptive run", "")
    yield (
        f"Goal {design['goal']}; at most {design['contexts']} rounds, which take of each model, "
        "without what the journal answers:"
    )
    yield from ("", costs_table("", rows, 1.0), "")
    # Difference and power are a certificate's, and make no difference here.
    whole = PilotCertificate(**certificate, difference=1.0, power=0.8, scores={})
    (of, *_) = whole.of(samples)
    if whole.how.spread is None or not whole.how.lengths or not of.known:
        yield "How much of this is expected is not known: no variances of such scores are."
        return
    share, runs = expected_share(Design(**design), models, strata(of), whole.how.spread)
    yield (
        f"Expected is {share:.0%} of it: the mean of {runs} simulated runs, with variances of "
        f"{of.source}. In them the models are as far apart as those of the paper (standard "
        f"deviation {whole.how.spread:.3f}); models that are nearer to each other take more:"
    )
    yield from ("", costs_table("", rows, share))


def strata(of: PartCertificate) -> list[Stratum]:
    """What clusters are drawn within, by the mean of the pairs whose variances are known."""
    pairs = list(of.known.values())
    typical = {group: mean_components([pair[group] for pair in pairs]) for group in pairs[0]}
    return [stratum for group in of.groups(typical) for stratum in group.strata(FIRST)]


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
