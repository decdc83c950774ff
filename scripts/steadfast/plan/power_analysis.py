"""The power analysis of a plan: sampling units needed to detect a difference of two models.

It uses the comparisons of the run in the results folder, and assumes contexts whose differences are
skewed against the better model (``stats.power``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb, isnan
from pathlib import Path

import pandas as pd

from steadfast.base.files import Record, Settings
from steadfast.base.markdown import markdown_table
from steadfast.show.results import unseen_share
from steadfast.stats import pairs
from steadfast.stats.intervals import SIGNIFICANT
from steadfast.stats.power import POWER, Pilot
from steadfast.stats.tidy import read_csv, rows_of

POWER_COLUMNS = (
    "benchmark", "measure", "difference", "clusters", "clusters_all", "factor", "unseen",
)  # fmt: skip
# Minimum degrees of freedom of a variance.
LEAST_FREEDOM = 3
NO_VARIANCES = (
    "No power analysis yet, for lack of variances. Run at least two models on at least four "
    "sampling units (families of contexts, groups, records) of each task, then plan again."
)


@dataclass(frozen=True)
class WidestPair:
    """The pair of models whose difference in a main measure varies most, and needs most units.

    Attributes:
        name: of the measure, with its language or the like.
        pilot: of that pair, in shares of full marks.
        models: the number of models compared.
    """

    name: str
    pilot: Pilot
    models: int

    def row(self, difference: float) -> Record:
        """The sampling units needed to detect a difference: all but the first of the columns."""
        needed = self.pilot.clusters_needed(difference)
        # Bonferroni: the level of each comparison is divided by the number of pairs.
        needed_of_all = self.pilot.clusters_needed(difference, comb(self.models, 2))
        return {
            "measure": self.name,
            "difference": difference,
            "clusters": needed,
            "clusters_all": needed_of_all,
            "factor": needed_of_all and needed_of_all / self.pilot.clusters,
            "unseen": needed_of_all and unseen_share(needed_of_all),
        }


def power_analysis(
    benchmark: str, metrics: Path, measures: Mapping[str, Settings], differences: Sequence[float]
) -> tuple[list[Record], list[str]]:
    """A benchmark's power analysis as rows of ``POWER_COLUMNS``, and as lines of plan.md.

    Args:
        benchmark: its name.
        metrics: the folder of the benchmark's metrics, which may not exist yet.
        measures: for each tested main measure the keys of its rows (``compared``) and its full
            marks (``full``).
        differences: to detect, as shares of full marks.
    """
    rows: list[Record] = []
    lines: list[str] = []
    for pair in _widest_pairs(metrics / "comparisons.csv", measures):
        needs = [pair.row(difference) for difference in differences]
        rows += [{"benchmark": benchmark, **need} for need in needs]
        heading = f"## Power analysis of {benchmark} ({pair.name})"
        lines += ["", heading, "", *_page(pair, needs)]
    return rows, lines or ["", f"## Power analysis of {benchmark}", "", NO_VARIANCES]


def _widest_pairs(path: Path, measures: Mapping[str, Settings]) -> Iterator[WidestPair]:
    comparisons = read_csv(path) if path.is_file() else pd.DataFrame()
    if len(comparisons):
        comparisons = comparisons[comparisons["degrees_of_freedom"] >= LEAST_FREEDOM]
    if not len(comparisons):
        return
    for name, measure in measures.items():
        rows = rows_of(comparisons, **measure["compared"])
        # Further keys, such as a language, separate the pairs.
        further = [key for key in rows if key not in (*pairs.COLUMNS, *measure["compared"])]
        for labels, group in rows.groupby(further) if further else [((), rows)]:
            if not len(group):
                continue
            widest = group.loc[group["error"].idxmax()]
            error = widest["error"] / measure["full"]
            clusters = int(widest["clusters"])
            yield WidestPair(
                name=" ".join([name, *labels]),
                pilot=Pilot(error, widest["degrees_of_freedom"], clusters, skewed=True),
                models=len({*group["model"], *group["other"]}),
            )


def _page(pair: WidestPair, rows: Sequence[Record]) -> Iterator[str]:
    pilot = pair.pilot
    pairs_of_models = comb(pair.models, 2)
    headings = [
        "difference", "one pair", f"all {pairs_of_models} pairs", "factor on this run",
        "undetected failures",
    ]  # fmt: skip
    cells = []
    for row in rows:
        factor = f"{row['factor']:.1f}" if row["factor"] else ""
        failures = f"rarer than {row['unseen']:.2%}" if row["unseen"] else ""
        counts = map(_count, (row["clusters"], row["clusters_all"]))
        cells.append([f"{row['difference']:g}", *counts, factor, failures])
    one_pair = _share(pilot.detectable_difference(pilot.clusters))
    all_pairs = _share(pilot.detectable_difference(pilot.clusters, pairs_of_models))
    yield from (
        "Sampling units (families of contexts, contexts, groups, records) needed to detect a "
        f"difference between two models with a power of {POWER:.0%}, by the paired test at "
        f"{SIGNIFICANT:.0%}: for a single pair, and for each of all pairs of the run (Bonferroni). "
        "Undetected failures: failures of entire units that are rarer may not occur in any of so "
        "many, and are not covered.",
        "",
        markdown_table(headings, cells, padded=False),
        "",
        f"The run in the results folder has {pilot.clusters:,} units. Minimum detectable "
        f"difference: {one_pair} for one pair, {all_pairs} for each of all pairs. All numbers are "
        "for the pair with the largest variance, and units skewed against the better model "
        "(docs/metrics.md).",
    )


def _count(count: int | None) -> str:
    return "over a million" if count is None else f"{count:,}"


def _share(difference: float) -> str:
    # Above 1, the share of full marks, no difference can be detected.
    return "none" if isnan(difference) or difference > 1 else f"{difference:.3f}"
