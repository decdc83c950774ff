"""Coverage with nested contexts, and how much narrower they make comparisons of lengths.

Runs are simulated as in ``intervals.py``: models whose score falls with length, on contexts that
vary as much as their samples, evaluated by the project's own functions, a run a model. A line has
the same number of contexts of each scenario and length, nested in families or independent.

Run: ``PYTHONPATH=scripts:bench python bench/families.py``
"""

from itertools import product

import numpy as np
import pandas as pd
from intervals import LENGTHS, RUNS, TASKS, Effects, covered, normal, print_row, runs, skewed

from steadfast.benchmarks.lifbench.analyses import effective
from steadfast.benchmarks.lifbench.measures import ars, bootstrap, ifs
from steadfast.benchmarks.lifbench.scored_tasks import PAPER
from steadfast.contract.records import OVERALL
from steadfast.stats.effective_context_length import effective_lengths
from steadfast.stats.pairs import compare_models

START = 0.8
CURVE = (1, 0.97, 0.93, 0.88, 0.81, 0.70)
"""Scores at each length, over that at the shortest: 85 % are kept up to the fourth."""
TRUE_LENGTH = LENGTHS[3]


def falling(effects: Effects, contexts: int, nested: bool, models: int, seed: int = 0):
    """Runs of models whose score falls along the curve."""
    frame = runs(effects, contexts, LENGTHS, models, nested, mean=START, seed=seed)
    fall = START * (np.array(CURVE) - 1)[frame["length"].cat.codes]
    return frame.assign(total=frame["total"] + fall)


def mean_score(frame: pd.DataFrame) -> tuple[float, float]:
    """Coverage and width of overall ARS over all lengths."""
    rows = ars(frame, PAPER._replace(weighting="mean"))
    rows = rows[(rows["task"] == OVERALL) & (rows["length"] == "")]
    return covered(rows, START * float(np.mean(CURVE)))


def reached(frame: pd.DataFrame) -> tuple[float, float]:
    """Coverage of the range of the effective context length, and the number of its lengths."""
    ranges = []
    for reach in effective_lengths(effective(frame)).values():
        ranges.append((LENGTHS.index(reach.low), LENGTHS.index(reach.high)))
    low, high = np.array(ranges).T
    truth = LENGTHS.index(TRUE_LENGTH)
    return float(np.mean((low <= truth) & (high >= truth))), float(np.mean(high - low))


def stability_by_length(frame: pd.DataFrame) -> tuple[float, float, float, float]:
    """Coverage and width of IFS by length, whose mean counts as the truth; IFS and chance level."""
    rows = ifs(frame)
    rows = rows[(rows["perspective"] == "length") & (rows["task"] == "OQ") & (rows["length"] == "")]
    cover, width = covered(rows, rows["value"].mean())
    return cover, width, rows["value"].mean(), rows["chance"].mean()


def equal_models(effects: Effects, contexts: int, nested: bool) -> tuple[float, float]:
    """How often equal models are significantly different, and how often the interval covers 0."""
    parts = []
    for seed, name in enumerate("ab"):
        part = falling(effects, contexts, nested, RUNS, seed)
        parts.append(part.assign(task=part["model"], model=name))
    frame = pd.concat(parts, ignore_index=True).astype({"task": str, "stratum": str})
    rows = compare_models(frame, dict.fromkeys(frame["task"], 1.0), bootstrap(frame))
    rows = rows[rows["task"] != OVERALL]
    return float((rows["p"] < 0.05).mean()), covered(rows, 0.0)[0]


def main() -> None:
    """Prints a line for each number of contexts, kind and layout."""
    headings = "cover|width|reach|lengths|IFS|width|value|chance|p|holds 0"
    print_row("layout", "n", "effects", headings.split("|"))
    for effects, contexts, nested in product((normal, skewed), (2, 4, 6, 10), (True, False)):
        frame = falling(effects, contexts, nested, RUNS)
        values = (
            *mean_score(frame),
            *reached(frame),
            *stability_by_length(falling(effects, contexts, nested, RUNS // 4)),
            *equal_models(effects, contexts, nested),
        )
        layout = "nested" if nested else "independent"
        print_row(layout, contexts, effects.__name__, [f"{value:.3f}" for value in values])


if __name__ == "__main__":
    assert set(TASKS) >= {"OQ"}
    main()
