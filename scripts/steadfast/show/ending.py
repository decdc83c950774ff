"""The summary on the terminal at the end of a run: the table, its servers, its folders."""

import operator
import shutil
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from pathlib import Path

from steadfast.base.files import read_rows
from steadfast.base.names import visible
from steadfast.base.resources import facts
from steadfast.show.table import (
    MISSING,
    SIGNS,
    Cell,
    Table,
    by_benchmarks,
    short_interval,
    styles,
)

USAGE = "metrics/inference.csv"
NO_TERMINAL = 100  # columns of what is written to a file
PLAN = "plan/plan.md"
TOTALS = "## Totals"
STRINGS = facts("show.yaml")["ending"]
# What stands in the results' folder that a run names at its end, and what it is.
FOLDERS: Mapping[str, str] = STRINGS["folders"]
INTERVAL: str = facts("summary.yaml")["interval"]
BELOW_BASELINE = facts("summary.yaml")["notes"]["below_baseline"].partition("{")[0]
STYLES = {"": "{}", "best": "**{}**"}
LABEL = 24  # columns of a model's name, at most; a longer one goes on in the next line
GAP = "  "
# Columns of the usage that count responses worth a look, and what these are called.
WORTH_A_LOOK = {"refused": "refused", "response_truncated": "truncated", "empty": "empty"}


def ending(
    results: Path,
    files: Iterable[str],
    summary: Table | None = None,
    findings: Sequence[str] = (),
    notes: Sequence[str] = (),
    data_notes: Sequence[str] = (),
) -> str:
    """Returns the end of a run's output: the summary's table, where it made one, and its folders.

    ``files`` are the run's targets and all that they are made from. Below the summary are the
    findings, sentences on the data (``data_notes``), and ``notes``.
    """
    top_level = set()
    benchmark_tables = set()  # such as lifbench/tables
    for path in map(Path, files):
        if path.is_relative_to(results):
            parts = path.relative_to(results).parts
            top_level.add(parts[0])
            if parts[1:2] == ("tables",):
                benchmark_tables.add("/".join(parts[:2]))
    blocks: list[Iterable[str]] = []
    plan = results / PLAN
    if "plan" in top_level and plan.is_file():
        blocks += [_plan_totals(plan), by_benchmarks(data_notes)]
    if summary:
        width = shutil.get_terminal_size((NO_TERMINAL, 24)).columns
        blocks += [summary_lines(summary, width), findings, by_benchmarks(data_notes)]
    blocks.append(notes)
    if "metrics" in top_level and (results / USAGE).is_file():
        blocks.append(server_lines(results / USAGE))
    folders = [name for name in FOLDERS if name in top_level]
    # A run of some benchmarks' tables alone has no folder with the tables of all.
    if "tables" not in top_level:
        folders += sorted(benchmark_tables)
    blocks.append([_folder_line(results, name) for name in folders])
    texts = ["\n".join(lines) for lines in blocks]
    return "\n\n".join(text for text in texts if text)


def _plan_totals(plan: Path) -> list[str]:
    """Returns the lines of the plan's section of totals."""
    _, _, behind_heading = plan.read_text(encoding="utf-8").partition(TOTALS)
    totals, _, _ = behind_heading.partition("\n## ")
    return totals.strip().splitlines()


def _folder_line(results: Path, name: str) -> str:
    slash = "" if Path(name).suffix else "/"
    return f"{FOLDERS.get(name, 'Tables')}: {results / name}{slash}"


def server_lines(usage: Path) -> Iterator[str]:
    """Yields a line on each server of a model or judge whose responses were timed."""
    rows_by_name: dict[str, list[Mapping[str, str]]] = {}
    for row in read_rows(usage):
        if row.get("latency_median"):
            rows_by_name.setdefault(row["judge"] or row["model"], []).append(row)
    for name, rows in rows_by_name.items():
        yield f"{name}: {_traffic(rows)}{_money(rows)}"


def _traffic(rows: Sequence[Mapping[str, str]]) -> str:
    """Returns a server's requests, throughput, latency, retries and responses worth a look."""
    medians = _numbers(rows, "latency_median")
    ends = dict.fromkeys([f"{min(medians):g}", f"{max(medians):g}"])  # one where they are equal
    slowest = max(_numbers(rows, "latency_95"))
    durations = _numbers(rows, "wall_seconds")
    responses = sum(map(operator.mul, _numbers(rows, "answers_per_second"), durations))
    text = (
        f"{_total(rows, 'requests'):,} requests, {responses / (sum(durations) or 1.0):.3g} "
        f"responses/s; latency {' to '.join(ends)} s (median), {slowest:g} s (95 %); "
        f"{_total(rows, 'retries'):,} retries"
    )
    if rejected := _total(rows, "rejected"):
        text += f", {rejected:,} rejected by the server"
    separator = "; "
    for column, outcome in WORTH_A_LOOK.items():
        if count := _total(rows, column):
            text += f"{separator}{count:,} {outcome}"
            separator = ", "
    return text


def _numbers(rows: Iterable[Mapping[str, str]], column: str) -> list[float]:
    return [float(row[column]) for row in rows]


def _total(rows: Iterable[Mapping[str, str]], column: str) -> int:
    return sum(int(row[column]) for row in rows)


def _money(rows: Sequence[Mapping[str, str]]) -> str:
    """What rows of the usage were billed, and what was planned where all have a plan."""
    priced = [row for row in rows if row.get("billed")]
    if not priced:
        return ""
    text = f"; billed {sum(_numbers(priced, 'billed')):.4g} USD"
    if all(row.get("planned") for row in priced):
        text += f", {sum(_numbers(priced, 'planned')):.4g} planned"
    return text


Lines = list[str]  # of one cell
Block = list[Lines]  # a column of the grid: the lines of its heading, then of each row


def summary_lines(table: Table, width: int) -> Lines:
    """Returns a table's lines for a terminal, with those of its notes that a reader needs there.

    An interval stands below its value. Measures that do not fit side by side go on in further
    blocks, each with the models first. Of the notes it has those on marks, and the one on models
    below the baseline.
    """
    label_width = max(8, min(LABEL, width // 3))
    labels: Block = [["", visible(table.columns[0].heading)]]
    rows: list[Sequence[Cell]] = []  # a section's heading is a row without cells
    for section in table.sections:
        if section.heading:
            labels.append([visible(section.heading)])
            rows.append(())
        for row in section.rows:
            labels.append(textwrap.wrap(_shown(row[0]), label_width) or [""])
            rows.append(row)
    measures = list(_measures(table, rows))
    lines: Lines = []
    # As many measures as fit stand in a block, at least one, however wide it is.
    while measures:
        fitting = len(measures)
        while fitting > 1 and max(map(_width, _grid(labels, measures[:fitting]))) > width:
            fitting -= 1
        lines += ["", *_grid(labels, measures[:fitting])]
        measures = measures[fitting:]
    return [*lines[1:], *_legend(table)]


def _measures(table: Table, rows: Sequence[Sequence[Cell]]) -> Iterator[Block]:
    """Yields a block for each measure: its heading, and each value with its interval below it."""
    columns = table.columns
    position = 1  # behind the models
    while position < len(columns):
        heading = columns[position].heading
        group = columns[position].group
        following = columns[position + 1].heading if position + 1 < len(columns) else None
        has_interval = following == INTERVAL.format(measure=heading)
        block = [[visible(group), visible(heading)]]
        for row in rows:
            texts = [_shown(row[position])] if row else []
            if row and has_interval:
                texts.append(visible(short_interval(row[position + 1])))
            block.append(texts)
        yield block
        position += 2 if has_interval else 1


def _shown(cell: Cell) -> str:
    if cell.text is None:
        return MISSING
    text = f"{STYLES[cell.style].format(cell.text)} {cell.suffix}".rstrip()
    return visible(text + cell.signs)


def _grid(labels: Block, measures: Sequence[Block]) -> Lines:
    """Returns the labels and the measures side by side, a benchmark above its first one alone."""
    columns = [labels]
    for _, members in groupby(measures, key=lambda block: block[0][0]):  # by benchmark
        first, *others = members
        columns.append(first)
        for block in others:
            (_, heading), *cells = block
            columns.append([["", heading], *cells])
    rows = list(zip(*columns, strict=True))
    widths = [0] * len(columns)
    for row in rows:
        # The heading of a group goes on above the columns, which are empty there.
        if any(map(any, row[1:])):
            for column, cell_lines in enumerate(row):
                widths[column] = max([widths[column], *map(_width, cell_lines)])
    lines = []
    for number, row in enumerate(rows):
        for texts in zip_longest(*row, fillvalue=""):
            lines.append(GAP.join(map(_padded, texts, widths)).rstrip())
        if number == 0:
            lines.append(GAP.join("-" * width for width in widths))
    return list(filter(None, lines))


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _legend(table: Table) -> Lines:
    """Returns what the marks mean, and the note on models below the baseline."""
    lines = []
    if "best" in styles(table.sections):
        lines.append(STRINGS["bold"])
    interval = INTERVAL.format(measure="")
    if any(column.heading.endswith(interval) for column in table.columns):
        lines.append(STRINGS["below"])
    for mark, text in table.notes:
        if mark in SIGNS:
            lines.append(visible(f"{SIGNS[mark]} {text}"))
        elif text.startswith(BELOW_BASELINE):
            lines.append(visible(text))
    return ["", *lines] if lines else []


def _width(text: str) -> int:
    """Returns the columns of a terminal that a text takes: an East Asian character takes two."""
    return sum(1 + (unicodedata.east_asian_width(char) in "WF") for char in text)
