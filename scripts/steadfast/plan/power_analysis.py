"""The power analysis of a plan: how many contexts tell two models apart, by their difference.

It rests on the run in the results folder. What is promised holds for contexts that are skewed
against the better model (``stats.power``).
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
"""Degrees of freedom that a variance must rest on."""
NO_VARIANCES = (
    "None yet: no variances are known. Run two models or more with four contexts (groups, records) "
    "or more of each task, and plan again."
)


@dataclass(frozen=True)
class WidestPair:
    """A main measure: the pair of models whose difference varies most, and so needs most.

    Attributes:
        name: the measure's, with the language or the like that it is of.
        pilot: of that pair, in shares of full marks.
        models: how many are compared.
    """

    name: str
    pilot: Pilot
    models: int

    def row(self, difference: float) -> Record:
        """What it takes to tell such a difference apart: ``COLUMNS`` but for the benchmark."""
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
    """A benchmark's power_analysis as rows of ``COLUMNS``, and as lines of its page.

    Args:
        benchmark: its name.
        metrics: the folder of the benchmark's metrics, which may not be there yet.
        measures: of each main measure that is tested the keys of its rows (``compared``), and its
            full marks (``full``).
        differences: that are to be told apart, as shares of full marks.
    """
    rows: list[Record] = []
    lines: list[str] = []
    for pair in _widest_pairs(metrics / "comparisons.csv", measures):
        needs = [pair.row(difference) for difference in differences]
        rows += [{"benchmark": benchmark, **need} for need in needs]
        heading = f"## PowerAnalysis of {benchmark} ({pair.name})"
        lines += ["", heading, "", *_page(pair, needs)]
    return rows, lines or ["", f"## PowerAnalysis of {benchmark}", "", NO_VARIANCES]


def _widest_pairs(path: Path, measures: Mapping[str, Settings]) -> Iterator[WidestPair]:
    comparisons = read_csv(path) if path.is_file() else pd.DataFrame()
    known = (
        comparisons[comparisons["degrees_of_freedom"] >= LEAST_FREEDOM] if len(comparisons) else ()
    )
    for name, measure in measures.items() if len(known) else ():
        rows = rows_of(known, **measure["compared"])
        further = [key for key in rows if key not in (*COMPARISON_COLUMNS, *measure["compared"])]
        for place, pairs in rows.groupby(further) if further else [((), rows)]:
            if not len(pairs):
                continue
            widest = pairs.loc[pairs["error"].idxmax()]
            error = widest["error"] / measure["full"]
            clusters = int(widest["clusters"])
            yield WidestPair(
                name=" ".join([name, *place]),
                pilot=Pilot(error, widest["degrees_of_freedom"], clusters, skewed=True),
                models=len({*pairs["model"], *pairs["other"]}),
            )


def _page(pair: WidestPair, rows: Sequence[Record]) -> Iterator[str]:
    pilot = pair.pilot
    pairs = comb(pair.models, 2)
    head = [
        "difference", "contexts, one pair", f"contexts, all {pairs} pairs", "times as in the run",
        "failures that may go unseen",
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
        f"Contexts (groups, records) in all that tell two models apart in {POWER:.0%} of runs, by "
        f"the paired test at {SIGNIFICANT:.0%}: where one pair is compared, and for each of all "
        "pairs of the run (Bonferroni). Failures of whole contexts that are rarer than is said may "
        "strike none of so many, and are in no promise.",
        "",
        markdown_table(head, cells, padded=False),
        "",
        f"The run in the results folder has {pilot.clusters:,}. The smallest difference that they "
        f"tell apart: {one_pair} of one pair, {all_pairs} of each of all pairs. What counts is the "
        "pair that varies most, with contexts skewed against the better model (docs/metrics.md).",
    )


def _count(count: int | None) -> str:
    return "over a million" if count is None else f"{count:,}"


def _share(difference: float) -> str:
    return "none" if isnan(difference) or difference > 1 else f"{difference:.3f}"
