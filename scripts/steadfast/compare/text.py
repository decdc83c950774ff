"""Two runs side by side, as a terminal shows it."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from tabulate import tabulate

from steadfast.base.names import escape_hidden
from steadfast.compare import flips, gate
from steadfast.compare.changed import UNKNOWN, YES
from steadfast.compare.gate import Gate
from steadfast.compare.results import Comparison

# Rows of a list, and of a benchmark's cells, at most; the CSV files have all.
MOST = 12
EACH = 4
LONGEST = 60  # characters of a setting's value


def comparison_text(comparison: Comparison, a: Path, b: Path) -> str:
    """The changed settings and prompts, measures and cells, and flipped samples; for a terminal."""
    blocks = [
        [f"A: {a}", f"B: {b}"],
        _settings(comparison.settings),
        _prompts(comparison.prompts),
        _alone(comparison.alone),
        _measures(comparison.tests),
        list(_cells(comparison)),
        list(_samples(comparison)),
    ]
    return _text(blocks)


def _text(blocks: Sequence[Sequence[str]]) -> str:
    return escape_hidden("\n\n".join("\n".join(block) for block in blocks if block) + "\n")


def _settings(rows: pd.DataFrame) -> list[str]:
    if not len(rows):
        return ["Settings: the same."]
    lines = []
    # One line for the same change in several places.
    for (key, a, b), alike in rows.groupby(["key", "a", "b"], sort=False):
        where = alike["where"].iloc[0]
        if len(alike) > 1:
            where += f" and {len(alike) - 1} more"
        lines.append(f"  {where}: {key}: {_cut(a)} → {_cut(b)}")
    return [f"Settings: {len(rows)} changed.", *_first(lines)]


def _prompts(rows: pd.DataFrame) -> list[str]:
    counts = "{same:,} the same, {changed:,} changed, {only_a:,} only in A, {only_b:,} only in B"
    sums = rows[["same", "changed", "only_a", "only_b"]].sum()
    differing = rows[(rows[["changed", "only_a", "only_b"]] > 0).any(axis=1)]
    lines = [f"Prompts: {counts.format(**sums)}."]
    for row in differing.to_dict("records"):
        lines.append(f"  {row['benchmark']} {row['part']}: {counts.format(**row)}")
    return lines


def _alone(rows: pd.DataFrame) -> list[str]:
    named = (rows["what"] + " " + rows["name"]).groupby(rows["run"]).agg(", ".join)
    return [f"Only in {run}: {names}" for run, names in named.items()]


def _measures(tests: pd.DataFrame) -> list[str]:
    """The main measures that moved, by the paired test on the samples of both runs."""
    main = tests[(tests["measure"] != "") & (tests["difference"] != 0)]
    if not len(main):
        return []
    differences = [_difference(row) for row in main.itertuples()]
    columns = main[["benchmark", "model", "measure", "cell", "n"]]
    return [
        "Main measures that changed, on the samples of both runs (all tests: tests.csv):",
        _grid(columns.assign(**{"B - A": differences})),
    ]


def _difference(row: Any) -> str:
    """Returns a difference, with its interval and p-value where it has them."""
    text = f"{row.difference:+.4g}"
    return text if pd.isna(row.low) else f"{text} [{row.low:+.4g}, {row.high:+.4g}] p {row.p:.2g}"


def _cells(comparison: Comparison) -> Iterator[str]:
    cells = comparison.cells
    yield f"Cells: {len(cells):,} of {int(comparison.counts['cells'].sum()):,} changed."
    if not len(cells):
        return
    apart = cells[cells["apart"] == YES]
    comparable = int((cells["apart"] != UNKNOWN).sum())
    yield (
        f"  {len(apart):,} of {comparable:,} with intervals changed so much that these do not "
        "overlap."
    )
    if not len(apart):
        return
    largest = apart.sort_values("difference", key=abs, ascending=False, kind="stable")
    largest = largest.groupby("benchmark", sort=False).head(EACH)
    # The benchmarks by name, each with its largest change first.
    largest = largest.sort_values("benchmark", kind="stable")
    changes = [f"{cell.a:.4g} → {cell.b:.4g}" for cell in largest.itertuples()]
    yield f"  The {EACH} largest changes of each benchmark (all: cells.csv):"
    columns = largest[["benchmark", "metric", "model", "cell"]]
    yield _grid(columns.assign(**{"A → B": changes}))


def _samples(comparison: Comparison) -> Iterator[str]:
    rows = comparison.samples
    yield f"Samples: {len(rows):,} of {int(comparison.compared['samples'].sum()):,} flipped."
    if not len(rows):
        return
    kinds = [flips.BETTER, flips.WORSE, flips.STATUS, flips.POINTS]
    keys = ["benchmark", "model", "task"]
    counts = rows.groupby([*keys, "kind"]).size().unstack("kind", fill_value=0)
    counts = counts.reindex(columns=kinds, fill_value=0).reset_index()
    yield _grid(counts.merge(comparison.compared, on=keys).rename(columns={"samples": "of"}))
    yield "\nExamples (details: steadfast show SAMPLE --model MODEL):"
    examples = rows.groupby(keys, sort=False).head(1)  # the first of each model and task
    yield from _first([_sample(row) for row in examples.itertuples()])


def _sample(row: Any) -> str:
    before = _outcome(row.status_a, row.total_a)
    after = _outcome(row.status_b, row.total_b)
    points = f" ({row.points})" if row.points else ""
    return f"  {row.sample_id} of {row.model} ({row.part}): {before} → {after}{points}"


def _outcome(status: str, total: float) -> str:
    """A score's status, with its total where it has one."""
    return f"{status} {total:.3g}" if pd.notna(total) else status


def _grid(rows: pd.DataFrame) -> str:
    """Returns the rows under the names of their columns."""
    texts = rows.astype(str)
    return tabulate(texts, "keys", tablefmt="simple", showindex=False, disable_numparse=True)


def _first(lines: Sequence[str]) -> list[str]:
    if len(lines) <= MOST:
        return list(lines)
    return [*lines[:MOST], f"  … and {len(lines) - MOST:,} more"]


def _cut(value: str) -> str:
    return value if len(value) <= LONGEST else value[: LONGEST - 1] + "…"


def gate_text(verdicts: Gate, comparison: Comparison, margin: float, a: Path, b: Path) -> str:
    """Returns each measure's verdict, the samples with the largest losses, and the gate's."""
    shown = verdicts.measures[["benchmark", "model", "measure"]].copy()
    rows = list(verdicts.measures.itertuples())
    shown["B − A"] = [_signed("{:+.3f}", row.difference) for row in rows]
    shown["95 % interval"] = [_signed("{:+.3f} to {:+.3f}", row.low, row.high) for row in rows]
    shown["verdict"] = verdicts.measures["verdict"]
    shown[""] = [_remark(row, verdicts.needed, margin) for row in rows]
    blocks = [[f"A: {a}", f"B: {b}"], [_grid(shown)]]
    losses = [_sample(row) for row in gate.largest_losses(comparison).itertuples()]
    if losses:
        title = f"Samples with a lower score in B: {len(losses):,}, largest loss first."
        blocks.append([title, *_first(losses)])
    return _text([*blocks, _verdict(verdicts, margin)])


def _signed(form: str, *values: float) -> str:
    """Returns values in a form; a dash where they are unknown."""
    return "–" if math.isnan(values[0]) else form.format(*values)


def _verdict(verdicts: Gate, margin: float) -> list[str]:
    """Returns the verdict on all measures together, in the last line."""
    counts = verdicts.measures["verdict"].value_counts()
    named = [f"{counts[verdict]} {verdict}" for verdict in gate.EXIT_CODES if verdict in counts]
    each = ", ".join(named)
    last = f"Gate, margin {margin:g} of full marks: {verdicts.verdict} ({each})"
    if verdicts.verdict == gate.IDENTICAL:
        return ["All responses and scores are identical: no test needed.", f"{last}."]
    if verdicts.verdict == gate.PASS:
        fewest = verdicts.measures["sampling_units"].min()
        last += (
            f"; a failure in fewer than {verdicts.unseen:.0%} of sampling units may go undetected "
            f"({fewest:.0f} were sampled)"
        )
    return [f"{last}."]


def _remark(row: Any, needed: int | None, margin: float) -> str:
    remarks = []
    if row.lacking:
        remarks.append(f"{row.lacking:.1%} of the scores are missing in B, counted as 0")
    if row.difference == 0 and row.verdict != gate.IDENTICAL:
        remarks.append("no difference")
    if row.verdict != gate.UNCLEAR:
        return "; ".join(remarks)
    if needed and row.sampling_units < needed:
        remarks.append(
            f"strict needs {needed:,} sampling units; {row.sampling_units:,} were sampled"
        )
    elif (times := gate.more_units(row, margin)) > 1:  # a simulation, run only where it is needed
        remarks.append(f"{times:.1f} × as many sampling units would decide")
    elif row.high < 0:
        remarks.append("lower than A; whether by more than the margin is undecided")
    elif math.isnan(row.low):
        remarks.append("too few sampling units for a test")
    else:
        remarks.append("the difference is near the margin")
    return "; ".join(remarks)
