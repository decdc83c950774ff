"""Variance components of LIFBench's released scores, for plans without a pilot run.

    PYTHONPATH=scripts python bench/released_variance.py [DIRECTORY] \\
        > resources/lifbench/variance.yaml

The directory holds ``scores/*.csv``; without one the pinned files are fetched. The components are
of paired differences, means over all pairs of the paper's models.
"""

import sys
from collections.abc import Collection, Iterator
from math import log2

import pandas as pd
import yaml

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.analyses import SCENARIO_OF
from steadfast.benchmarks.lifbench.records import ScoreRecord
from steadfast.benchmarks.lifbench.released_scores import PAPER_MODELS, released_scores
from steadfast.benchmarks.lifbench.tasks import PAPER_TASKS, SCENARIOS
from steadfast.contract.components import Scored
from steadfast.stats.certificate import Compared, pilot_rows
from steadfast.stats.variance_components import components_of, differences, mean_components

HEAD = """\
# Variance components of the paired differences between models in LIFBench's released scores, made
# by bench/released_variance.py. spread is the standard deviation of their
# scores, means over the tasks. For the tasks of a scenario, in their order:
#   context     covariances of what contexts of one length add: there is one context a length, so
#               that this is what a straight line over the doublings of the length leaves
#   trend       covariances of what a doubling of the length adds
#   residual    variances of what single samples add
#   freedom     degrees of freedom that context has in each pair
# corrected: of scenarios to which the corrected rubric gives other variances, those by it.
"""


def released_variance(directory: str | None) -> Record:
    """Returns the content of ``resources/lifbench/variance.yaml``."""
    steps = {
        name: log2(budget) for budget, name in facts("lifbench/released.yaml")["lengths"].items()
    }
    rows = released_rows(directory)
    pairs, corrected = (
        [components_of(pair, steps) for _, _, pair in differences(of)]
        for of in (rows, released_rows(directory, corrected=True))
    )
    scores = rows.groupby(["model", "task"])["total"].mean().groupby("model").mean()
    source = f"the paper's released scores (mean of all {len(pairs)} pairs of its models)"
    groups = {name: mean_components([pair[name] for pair in pairs]).plain for name in SCENARIOS}
    own = {"onedoc": mean_components([pair["onedoc"] for pair in corrected]).plain}
    spread = round(float(scores.std()), 3)
    return {"source": source, "spread": spread, "groups": groups, "corrected": own}


def released_rows(directory: str | None, corrected: bool = False) -> pd.DataFrame:
    """Returns the released scores of the paper's models, as ``pilot_rows`` has them.

    Corrected are those of OQ, where the corrected rubric gives nothing for a wrong option.
    """
    compared = Compared("", dict.fromkeys(PAPER_TASKS, 1.0), SCENARIO_OF)
    scores = _scores(directory, facts("lifbench/released.yaml")["lengths"].values())
    return pilot_rows(map(_corrected, scores) if corrected else scores, compared)


def _corrected(scored: Scored[ScoreRecord]) -> Scored[ScoreRecord]:
    record = scored.record
    # Released gives a wrong option a share of the point too (docs/rubrics.md, Q15).
    wrong = record["task"] == "OQ" and (record["points"] or {}).get("correct") != 1
    return scored._replace(record={**record, "total": 0.0}) if wrong else scored


def _scores(directory: str | None, lengths: Collection[str]) -> Iterator[Scored[ScoreRecord]]:
    models = {name: name for name, model in PAPER_MODELS.items() if not model.gold}
    cells = [(model, length) for model in models for length in lengths]
    found = released_scores(models, cells, directory, PAPER_TASKS)
    for (model, length), records in found.items():
        yield from (Scored(model, length, record) for record in records)


if __name__ == "__main__":
    found = released_variance(sys.argv[1] if len(sys.argv) > 1 else None)
    print(HEAD + yaml.safe_dump(found, sort_keys=False, width=99, default_flow_style=None), end="")
