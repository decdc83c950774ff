"""Two runs side by side, as a terminal shows it."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from tabulate import tabulate

from steadfast.base.commands import typed
from steadfast.base.names import visible
from steadfast.compare import flips
from steadfast.compare.changed import INTERVALS, PAIRED, UNTOLD, YES
from steadfast.compare.gate import EXIT_CODES, IDENTICAL, PASS, UNCLEAR, Gate, worst
from steadfast.compare.results import Comparison

MOST, EACH = 12, 4
"""Rows of a list, and of a benchmark's other cells, at most; the CSV files have all."""
LONGEST = 60  # characters of a setting's value
HEADLINE = "headline"


def comparison_text(found: Comparison, a: Path, b: Path) -> str:
    """What changed, which cells moved, which samples flipped; ends with a newline."""
    blocks = [
        [f"A: {a}", f"B: {b}"],
        _settings(found.settings),
        _asked(found.asked),
        _alone(found.alone),
        list(_cells(found)),
        list(_samples(found)),
    ]
    return visible("\n\n".join("\n".join(block) for block in blocks if block) + "\n")


def _settings(rows: pd.DataFrame) -> list[str]:
    if not len(rows):
        return ["Settings: the same."]
    shown = []
    for (key, a, b), alike in rows.groupby(["key", "a", "b"], sort=False):
        where, more = alike["where"].iloc[0], len(alike) - 1
        where += f" and {more} more" if more else ""
        shown.append(f"  {where}: {key}: {_cut(a)} → {_cut(b)}")
    return [f"Settings: {len(rows)} changed.", *_first(shown)]


def _asked(rows: pd.DataFrame) -> list[str]:
    counts = [int(rows[name].sum()) for name in ("same", "changed", "only_a", "only_b")]
    same, changed, only_a, only_b = counts
    lines = [
        f"Prompts: {same:,} the same, {changed:,} changed, {only_a:,} in A alone, "
        f"{only_b:,} in B alone."
    ]
    apart = rows[(rows["changed"] > 0) | (rows["only_a"] > 0) | (rows["only_b"] > 0)]
    return lines + [
        f"  {row.benchmark} {row.part}: {row.same} the same, {row.changed} changed, "
        f"{row.only_a} in A alone, {row.only_b} in B alone"
        for row in apart.itertuples()
    ]


def _alone(rows: pd.DataFrame) -> list[str]:
    named = (rows["what"] + " " + rows["name"]).groupby(rows["run"]).agg(", ".join)
    return [f"In {run} alone: {names}" for run, names in named.items()]


def _cells(found: Comparison) -> Iterator[str]:
    cells, all_cells = found.cells, int(found.counts["cells"].sum())
    yield f"Cells: {len(cells):,} of {all_cells:,} moved."
    if not len(cells):
        return
    for by, what in (
        (PAIRED, "by the interval of the difference, paired on the samples of both"),
        (INTERVALS, "by their two intervals, which are apart"),
    ):
        told = cells[cells["by"] == by]
        beyond = int((told["beyond"] == YES).sum())
        yield f"  {beyond:,} of {len(told):,} beyond their intervals, {what}"
    yield f"  {int((cells['by'] == UNTOLD).sum()):,} without intervals, of which nothing tells"
    yield "  Were nothing changed, about one cell in twenty would still lie beyond a 95 % interval."
    main = cells["metric"] == HEADLINE
    yield from _table("Main measures", cells[main])
    yield from _tests(found.tests, cells[main])
    beyond = cells[~main & (cells["beyond"] == YES)]
    if not len(beyond):
        return
    order = beyond["difference"].abs().sort_values(ascending=False, kind="stable").index
    by_benchmark = beyond.loc[order].groupby(["benchmark"])
    largest = pd.concat(
        [by_benchmark.get_group((n,)).head(EACH) for n in beyond["benchmark"].unique()]
    )
    yield from _table(f"The {EACH} largest of each benchmark among the others beyond", largest)


def _table(title: str, cells: pd.DataFrame) -> Iterator[str]:
    if not len(cells):
        return
    keys = ["benchmark", "metric", "model", "cell"]
    rows = [
        [
            *(getattr(cell, key) for key in keys),
            f"{cell.a:.4g} → {cell.b:.4g}",
            _difference(cell),
            f"{cell.beyond} ({cell.by})" if cell.by else "nothing tells",
        ]
        for cell in cells.itertuples()
    ]
    headers = [*keys, "A → B", "B - A", "beyond"]
    yield f"\n{title}:"
    yield _grid(headers, rows)


def _tests(tests: pd.DataFrame, main: pd.DataFrame) -> Iterator[str]:
    """The tests over most samples, of benchmarks and models whose main measures are unpaired."""
    keys = ["benchmark", "model"]
    unpaired = main.groupby(keys).filter(lambda rows: not (rows["by"] == PAIRED).any())
    some = tests.merge(unpaired[keys].drop_duplicates(), on=keys)
    most = some.groupby(keys)["n"].transform("max") if len(some) else some["n"]
    shown = some[(some["n"] == most) & some["low"].notna()]
    if not len(shown):
        return
    rows = [
        [one.benchmark, one.model, one.cell, one.n, _difference(one)] for one in shown.itertuples()
    ]
    headers = [*keys, "cell", "n", "B - A"]
    yield "\nOn the samples that both have alone (tests.csv has all):"
    yield _grid(headers, rows[:MOST])


def _grid(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    return tabulate(rows, headers=headers, tablefmt="simple", disable_numparse=True)


def _difference(row: Any) -> str:
    """A difference with its interval and p-value, where there are some."""
    text = f"{row.difference:+.4g}"
    return text if pd.isna(row.low) else f"{text} [{row.low:+.4g}, {row.high:+.4g}] p {row.p:.2g}"


def _samples(found: Comparison) -> Iterator[str]:
    rows = found.samples
    yield f"Samples: {len(rows):,} of {int(found.compared['samples'].sum()):,} flipped."
    if not len(rows):
        return
    kinds = [flips.BETTER, flips.WORSE, flips.STATUS, flips.POINTS]
    keys = ["benchmark", "model", "task"]
    counts = rows.groupby([*keys, "kind"]).size().unstack("kind", fill_value=0)
    counts = counts.reindex(columns=kinds, fill_value=0).reset_index()
    counts = counts.merge(found.compared, on=keys)
    yield _grid([*keys, *kinds, "of"], counts.values.tolist())
    yield f"\nSome of them; {typed('show', sample='…', model='…')} shows one whole:"
    some = rows.groupby(keys, sort=False).head(1)
    yield from _first([_sample(row) for row in some.itertuples()])


def _sample(row: Any) -> str:
    sides = (row.status_a, row.total_a), (row.status_b, row.total_b)
    a, b = (f"{status} {total:.3g}" if pd.notna(total) else status for status, total in sides)
    points = f" ({row.points})" if row.points else ""
    return f"  {row.sample_id} of {row.model} ({row.part}): {a} → {b}{points}"


def _first(lines: Sequence[str]) -> list[str]:
    more = len(lines) - MOST
    return [*lines[:MOST], *([f"  … and {more:,} more"] if more > 0 else [])]


def _cut(value: str) -> str:
    return value if len(value) <= LONGEST else value[: LONGEST - 1] + "…"


def gate_text(said: Gate, found: Comparison, margin: float, a: Path, b: Path) -> str:
    """What a gate says of each measure, the samples that fell most, and its verdict at the end."""
    rows = [
        (
            row.benchmark,
            row.model,
            row.measure,
            "–" if math.isnan(row.difference) else f"{row.difference:+.3f}",
            "–" if math.isnan(row.low) else f"{row.low:+.3f} to {row.high:+.3f}",
            row.verdict,
            _remark(row, said.needed),
        )
        for row in said.measures.itertuples()
    ]
    headers = ("benchmark", "model", "measure", "B − A", "95 % interval", "verdict", "")
    fell = worst(found)
    blocks = [[f"A: {a}", f"B: {b}"], _grid(headers, rows).splitlines()]
    if len(fell):
        listed = _first([_sample(row) for row in fell.itertuples()])
        blocks.append([f"Samples that fell: {len(fell):,}, most first.", *listed])
    blocks.append(_verdict(said, margin))
    return visible("\n\n".join("\n".join(block) for block in blocks) + "\n")


def _verdict(said: Gate, margin: float) -> list[str]:
    """What holds of all measures together; the verdict is the last line."""
    counts = said.measures["verdict"].value_counts()
    each = ", ".join(f"{counts[verdict]} {verdict}" for verdict in EXIT_CODES if verdict in counts)
    last = f"Gate, margin {margin:g} of full marks: {said.verdict} ({each})"
    if said.verdict == IDENTICAL:
        return ["All responses and scores are the same: nothing was tested.", f"{last}."]
    if said.verdict != PASS:
        return [f"{last}."]
    fewest = said.measures["contexts"].min()
    return [
        f"{last}; a failure in fewer than {said.unseen:.0%} of contexts may be unseen "
        f"({fewest:.0f} were sampled)."
    ]


def _remark(row: Any, needed: int | None) -> str:
    said = []
    if row.lacking:
        said.append(f"B lacks {row.lacking:.1%} of the scores, counted as none")
    if row.difference == 0 and row.verdict != IDENTICAL:
        said.append("no difference")
    if row.verdict != UNCLEAR:
        return "; ".join(said)
    if needed and row.contexts < needed:
        said.append(
            f"strict needs {needed:,} contexts, groups or records; {row.contexts:,} were sampled"
        )
    elif row.more > 1:
        said.append(f"{row.more:g} × as many contexts, groups or records would tell")
    elif row.high < 0:
        said.append("lower than A; whether by more than the margin is open")
    elif math.isnan(row.low):
        said.append("too few contexts for a test")
    else:
        said.append("the difference itself is near the margin")
    return "; ".join(said)
