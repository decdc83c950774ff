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
from steadfast.show.results import unseen
from steadfast.stats.intervals import SIGNIFICANT
from steadfast.stats.pairs import COLUMNS as COMPARISON_COLUMNS
from steadfast.stats.power import POWER, Pilot
from steadfast.stats.tidy import read_csv, rows_of

COLUMNS = ("benchmark", "measure", "difference", "clusters", "clusters_all", "factor", "unseen")
LEAST_FREEDOM = 3
"""Minimum degrees of freedom of a variance."""
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
        """The sampling units needed to detect a difference: ``COLUMNS`` without the benchmark."""
        needed = self.pilot.needed(difference)
        needed_of_all = self.pilot.needed(difference, comb(self.models, 2))
        return {
            "measure": self.name,
            "difference": difference,
            "clusters": needed,
            "clusters_all": needed_of_all,
            "factor": needed_of_all and needed_of_all / self.pilot.clusters,
            "unseen": needed_of_all and unseen(needed_of_all),
        }


def power_analysis(
    benchmark: str, metrics: Path, measures: Mapping[str, Settings], differences: Sequence[float]
) -> tuple[list[Record], list[str]]:
    """A benchmark's power analysis as rows of ``COLUMNS``, and as lines of plan.md.

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
    if not len(comparisons):
        return
    comparisons = comparisons[comparisons["degrees_of_freedom"] >= LEAST_FREEDOM]
    for name, measure in measures.items() if len(comparisons) else ():
        rows = rows_of(comparisons, **measure["compared"])
        further = [key for key in rows if key not in (*COMPARISON_COLUMNS, *measure["compared"])]
        # Further keys, such as a language, separate the pairs.
        for labels, pairs in rows.groupby(further) if further else [((), rows)]:
            if not len(pairs):
                continue
            widest = pairs.loc[pairs["error"].idxmax()]
            error = widest["error"] / measure["full"]
            clusters = int(widest["clusters"])
            yield WidestPair(
                name=" ".join([name, *labels]),
                pilot=Pilot(error, widest["degrees_of_freedom"], clusters, skewed=True),
                models=len({*pairs["model"], *pairs["other"]}),
            )


def _page(pair: WidestPair, rows: Sequence[Record]) -> Iterator[str]:
    pilot = pair.pilot
    pairs = comb(pair.models, 2)
    head = [
        "difference", "one pair", f"all {pairs} pairs", "factor on this run",
        "undetected failures",
    ]  # fmt: skip
    cells = [
        [
            f"{row['difference']:g}",
            _count(row["clusters"]),
            _count(row["clusters_all"]),
            f"{row['factor']:.1f}" if row["factor"] else "",
            f"rarer than {row['unseen']:.2%}" if row["unseen"] else "",
        ]
        for row in rows
    ]
    one_pair = _share(pilot.smallest(pilot.clusters))
    all_pairs = _share(pilot.smallest(pilot.clusters, pairs))
    yield from (
        "Sampling units (families of contexts, contexts, groups, records) needed to detect a "
        f"difference between two models with a power of {POWER:.0%}, by the paired test at "
        f"{SIGNIFICANT:.0%}: for a single pair, and for each of all pairs of the run (Bonferroni). "
        "Undetected failures: failures of entire units that are rarer may not occur in any of so "
        "many, and are not covered.",
        "",
        markdown_table(head, cells, padded=False),
        "",
        f"The run in the results folder has {pilot.clusters:,} units. Minimum detectable "
        f"difference: {one_pair} for one pair, {all_pairs} for each of all pairs. All numbers are "
        "for the pair with the largest variance, and units skewed against the better model "
        "(docs/metrics.md).",
    )


def _count(count: int | None) -> str:
    return "over a million" if count is None else f"{count:,}"


def _share(difference: float) -> str:
    return "none" if isnan(difference) or difference > 1 else f"{difference:.3f}"
