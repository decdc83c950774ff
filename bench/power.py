"""The power of runs for which a power analysis states .80.

A pilot run of some contexts gives the variance; a run with the number of contexts of the power
analysis, whose models differ by the target difference, is compared by the project's own functions.
Contexts are normal, exponential against the better model (which the analysis assumes), or
exponential for it. The pilot's variance is the true one, or estimated by the pilot itself.

Run: ``PYTHONPATH=scripts python bench/power.py``
"""

import numpy as np
import pandas as pd

from steadfast.stats.intervals import SIGNIFICANT, Clusters
from steadfast.stats.power import Pilot

RUNS = 1000
SPREAD = 0.1  # standard deviation of a context's difference
PILOTS = (9, 18)
DIFFERENCES = (0.1, 0.05, 0.02)
SHAPES = {
    "normal": lambda rng, size: rng.normal(size=size),
    "against the better": lambda rng, size: 1 - rng.exponential(size=size),
    "for the better": lambda rng, size: rng.exponential(size=size) - 1,
}


def significant_share(differences: np.ndarray) -> float:
    """The share of runs (rows) whose contexts' differences are significant."""
    names = [f"c{number}" for number in range(differences.shape[1])]
    contexts = Clusters(pd.DataFrame({"cluster": names}), [])
    sums = pd.DataFrame(differences, columns=contexts.clusters)
    ones = pd.DataFrame(1, sums.index, sums.columns)
    p = contexts.ratios(sums, ones, (-np.inf, np.inf)).p_values()
    return float((p < SIGNIFICANT).mean())


def main() -> None:
    """Prints a line for each pilot, difference and distribution."""
    print("| pilot | difference | contexts | shape | significant | by estimated variances |")
    print("|---|---|---|---|---|---|")
    for pilot_contexts in PILOTS:
        for difference in DIFFERENCES:
            for name, draw in SHAPES.items():
                rng = np.random.default_rng([pilot_contexts, len(name)])
                pilot = Pilot(
                    SPREAD / pilot_contexts**0.5, pilot_contexts - 1, pilot_contexts, skewed=True
                )
                needed = pilot.clusters_needed(difference)
                runs = difference + SPREAD * draw(rng, (RUNS, needed))
                shares = []
                for _ in range(20):
                    pilot_run = SPREAD * draw(rng, (pilot_contexts,))
                    error = pilot_run.std(ddof=1) / pilot_contexts**0.5
                    estimated = Pilot(error, pilot_contexts - 1, pilot_contexts, skewed=True)
                    size = (50, estimated.clusters_needed(difference))
                    shares.append(significant_share(difference + SPREAD * draw(rng, size)))
                share = f"{significant_share(runs):.2f}"
                cells = [pilot_contexts, difference, needed, name, share]
                print("|", *(f"{cell} |" for cell in cells), f"{np.mean(shares):.2f} |", flush=True)


if __name__ == "__main__":
    main()
