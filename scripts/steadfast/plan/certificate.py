"""The certificate of a plan: how many contexts tell two models apart, by their difference.

It rests on the run in the results folder. Where c contexts gave a difference its standard error s
and f degrees of freedom, k contexts are expected to give

    s · √(c/k)   and   f · k/c.

What is promised holds for contexts that are skewed against the better model (``stats.power``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb, isnan, sqrt
from pathlib import Path

import pandas as pd

from steadfast.base.files import Record, Settings
from steadfast.base.markdown import markdown_table
from steadfast.show.results import unseen
from steadfast.stats.intervals import SIGNIFICANT
from steadfast.stats.pairs import COLUMNS as COMPARISON_COLUMNS
from steadfast.stats.power import POWER, smallest_difference
from steadfast.stats.step_down import FEWEST
from steadfast.stats.tidy import read_csv, rows_of

COLUMNS = ("benchmark", "measure", "difference", "clusters", "clusters_all", "factor", "unseen")
LEAST_FREEDOM = 3
"""Degrees of freedom that a variance must rest on."""
MOST = 10**6
"""Contexts beyond which no number is given."""
NO_VARIANCES = (
    "None yet: no variances are known. Run two models or more with four contexts (groups, records) "
    "or more of each task, and plan again."
)


@dataclass(frozen=True)
class Pilot:
    """The pair of models whose difference varies most in a measure, and so needs most.

    Attributes:
        measure: its name, with the language or the like that it is of.
        full: full marks, which differences are shares of.
        error: standard error of the difference.
        freedom: its degrees of freedom.
        clusters: how many the difference rests on.
        models: how many are compared.
    """

    measure: str
    full: float
    error: float
    freedom: float
    clusters: int
    models: int

    def smallest(self, clusters: int, pairs: int = 1) -> float:
        """The smallest difference that so many clusters tell apart, as a share of full marks."""
        if clusters < FEWEST:
            return float("nan")
        times = clusters / self.clusters
        error = self.error / self.full / sqrt(times)
        return smallest_difference(error, self.freedom * times, pairs, skewed=True)

    def needed(self, difference: float, pairs: int = 1) -> int | None:
        """The fewest clusters that tell a difference apart; None beyond ``MOST``."""
        enough = 1
        while not self.smallest(enough, pairs) <= difference:
            enough *= 2
            if enough > MOST:
                return None
        too_few = enough // 2
        while enough - too_few > 1:
            middle = (enough + too_few) // 2
            if self.smallest(middle, pairs) <= difference:
                enough = middle
            else:
                too_few = middle
        return enough

    def row(self, difference: float) -> Record:
        """What it takes to tell such a difference apart: ``COLUMNS`` but for the benchmark."""
        needed = self.needed(difference)
        needed_of_all = self.needed(difference, comb(self.models, 2))
        return {
            "measure": self.measure,
            "difference": difference,
            "clusters": needed,
            "clusters_all": needed_of_all,
            "factor": needed_of_all and needed_of_all / self.clusters,
            "unseen": needed_of_all and unseen(needed_of_all),
        }


def certificate(
    benchmark: str, metrics: Path, measures: Mapping[str, Settings], differences: Sequence[float]
) -> tuple[list[Record], list[str]]:
    """A benchmark's certificate as rows of ``COLUMNS``, and as lines of its page.

    Args:
        benchmark: its name.
        metrics: the folder of the benchmark's metrics, which may not be there yet.
        measures: of each main measure that is tested the keys of its rows (``compared``), and its
            full marks (``full``).
        differences: that are to be told apart, as shares of full marks.
    """
    rows: list[Record] = []
    lines: list[str] = []
    for pilot in _pilots(metrics / "comparisons.csv", measures):
        needs = [pilot.row(difference) for difference in differences]
        rows += [{"benchmark": benchmark, **need} for need in needs]
        lines += ["", f"## Certificate of {benchmark} ({pilot.measure})", "", *_page(pilot, needs)]
    return rows, lines or ["", f"## Certificate of {benchmark}", "", NO_VARIANCES]


def _pilots(path: Path, measures: Mapping[str, Settings]) -> Iterator[Pilot]:
    comparisons = read_csv(path) if path.is_file() else pd.DataFrame()
    known = comparisons[comparisons["freedom"] >= LEAST_FREEDOM] if len(comparisons) else ()
    for name, measure in measures.items() if len(known) else ():
        rows = rows_of(known, **measure["compared"])
        further = [key for key in rows if key not in (*COMPARISON_COLUMNS, *measure["compared"])]
        for place, pairs in rows.groupby(further) if further else [((), rows)]:
            if not len(pairs):
                continue
            widest = pairs.loc[pairs["error"].idxmax()]
            yield Pilot(
                measure=" ".join([name, *place]),
                full=measure["full"],
                error=widest["error"],
                freedom=widest["freedom"],
                clusters=int(widest["clusters"]),
                models=len({*pairs["model"], *pairs["other"]}),
            )


def _page(pilot: Pilot, rows: Sequence[Record]) -> Iterator[str]:
    pairs = comb(pilot.models, 2)
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
