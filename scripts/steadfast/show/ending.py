"""The summary on the terminal at the end of a run: the table, its servers, its folders."""

import shutil
import textwrap
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from steadfast.base.files import read_rows
from steadfast.base.names import visible
from steadfast.base.resources import facts
from steadfast.show.table import PRINTED, SIGNS, Cell, Table, by_benchmarks

USAGE = "metrics/inference.csv"
NO_TERMINAL = 100  # columns of what is written to a file
PLAN, TOTALS = "plan/plan.md", "## Totals"
STRINGS = facts("show.yaml")["ending"]
FOLDERS: Mapping[str, str] = STRINGS["folders"]
"""What stands in the results' folder that a run names at its end, and what it is."""
INTERVAL: str = facts("summary.yaml")["interval"]
BELOW_BASELINE = facts("summary.yaml")["notes"]["below_baseline"].partition("{")[0]
STYLES = {"": "{}", "best": "**{}**", "first": "**{}**", "second": "_{}_"}
LABEL = 24  # columns of a model's name, at most; a longer one goes on in the next line
GAP = "  "
WORTH_A_LOOK = {"refused": "refused", "response_truncated": "truncated", "empty": "empty"}
"""Columns of the usage that count responses worth a look, and what these are called."""


def ending(
    results: Path,
    files: Iterable[str],
    summary: Table | None = None,
    found: Sequence[str] = (),
    notes: Sequence[str] = (),
    data_notes: Sequence[str] = (),
) -> str:
    """Returns the end of a run's output: the summary's table, where it made one, and its folders.

    ``files`` are all that its targets are made of, and they themselves. Below the summary are the
    findings (``found``), sentences on the data (``data_notes``), and ``notes``.
    """
    below = (path for path in map(Path, files) if path.is_relative_to(results))
    written = [path.relative_to(results).parts for path in below]
    first = {parts[0] for parts in written}
    folders = [name for name in FOLDERS if name in first]
    if "tables" not in first:
        folders += sorted({"/".join(parts[:2]) for parts in written if parts[1:2] == ("tables",)})
    blocks = [[_place(results, name) for name in folders]]
    if "metrics" in first and (results / USAGE).is_file():
        blocks.insert(0, list(server_lines(results / USAGE)))
    blocks.insert(0, list(notes))
    if summary:
        width = shutil.get_terminal_size((NO_TERMINAL, 24)).columns
        blocks = [summary_lines(summary, width), list(found), by_benchmarks(data_notes), *blocks]
    plan = results / PLAN
    if "plan" in first and plan.is_file():
        totals = plan.read_text(encoding="utf-8").partition(TOTALS)[2].partition("\n## ")[0]
        blocks = [totals.strip().splitlines(), by_benchmarks(data_notes), *blocks]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _place(results: Path, name: str) -> str:
    slash = "" if Path(name).suffix else "/"
    return f"{FOLDERS.get(name, 'Tables')}: {results / name}{slash}"


def server_lines(usage: Path) -> Iterator[str]:
    """Yields a line on each server of a model or judge whose responses were timed."""
    rows_by_name: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    for row in read_rows(usage):
        if row.get("latency_median"):
            rows_by_name[row["judge"] or row["model"]].append(row)
    for name, rows in rows_by_name.items():
        medians = sorted(float(row["latency_median"]) for row in rows)
        spread = dict.fromkeys(f"{seconds:g}" for seconds in (medians[0], medians[-1]))
        slowest = max(float(row["latency_95"]) for row in rows)
        seconds = sum(float(row["wall_seconds"]) for row in rows)
        responses = sum(
            float(row["answers_per_second"]) * float(row["wall_seconds"]) for row in rows
        )
        line = (
            f"{name}: {_total(rows, 'requests'):,} requests, {responses / (seconds or 1.0):.3g} "
            f"responses/s; latency {' to '.join(spread)} s (median), {slowest:g} s (95 %); "
            f"{_total(rows, 'retries'):,} retries"
        )
        if rejected := _total(rows, "rejected"):
            line += f", {rejected:,} rejected by the server"
        counts = {text: _total(rows, column) for column, text in WORTH_A_LOOK.items()}
        if any(counts.values()):
            line += "; " + ", ".join(f"{count:,} {text}" for text, count in counts.items() if count)
        yield line + _money(rows)


def _total(rows: Iterable[Mapping[str, str]], column: str) -> int:
    return sum(int(row[column]) for row in rows)


def _money(rows: Sequence[Mapping[str, str]]) -> str:
    """What rows of the usage were billed, and what was planned where all have a plan."""
    priced = [row for row in rows if row.get("billed")]
    if not priced:
        return ""
    billed = sum(float(row["billed"]) for row in priced)
    planned = [float(row["planned"]) for row in priced if row.get("planned")]
    beside = f", {sum(planned):.4g} planned" if len(planned) == len(priced) else ""
    return f"; billed {billed:.4g} USD{beside}"


Lines = list[str]
"""Of one cell."""


def summary_lines(table: Table, width: int) -> Lines:
    """Returns a table's lines for a terminal, with those of its notes that a reader needs there.

    An interval stands below its value. Measures that do not fit side by side in so many columns
    stand in further blocks, the models before each. Of the notes there are those of marks, and
    what says that the baseline stands above models.
    """
    labels: list[Lines] = [["", visible(table.columns[0].heading)]]
    rows: list[Sequence[Cell] | None] = []  # None: a section's heading
    for section in table.sections:
        if section.heading:
            labels.append([visible(section.heading)])
            rows.append(None)
        for row in section.rows:
            labels.append(textwrap.wrap(_shown(row[0]), max(8, min(LABEL, width // 3))) or [""])
            rows.append(row)
    measures = list(_measures(table, rows))
    lines: Lines = []
    while measures:
        fitting = len(measures)
        while fitting > 1 and max(map(_width, _grid(labels, measures[:fitting]))) > width:
            fitting -= 1
        lines += ["", *_grid(labels, measures[:fitting])]
        measures = measures[fitting:]
    return [*lines[1:], *_legend(table)]


def _measures(table: Table, rows: Sequence[Sequence[Cell] | None]) -> Iterator[list[Lines]]:
    """Yields of each measure its heading's lines and each row's, its interval's in the second."""
    columns = table.columns
    place = 1
    while place < len(columns):
        heading = columns[place].heading
        group = columns[place].group
        following = columns[place + 1].heading if place + 1 < len(columns) else None
        cells = 2 if following == INTERVAL.format(measure=heading) else 1
        column = [[visible(group), visible(heading)]]
        for row in rows:
            texts = [_shown(cell) for cell in row[place : place + cells]] if row else []
            column.append([*texts[:1], *map(_interval, texts[1:])])
        yield column
        place += cells


def _shown(cell: Cell) -> str:
    if cell.text is None:
        return "--"
    text = f"{STYLES[cell.style].format(cell.text)} {cell.suffix}".rstrip()
    return visible(text + "".join(SIGNS[mark] for mark in cell.marks))


def _interval(text: str) -> str:
    """Returns an interval in short, where no sign of a number would be taken for the dash."""
    return "" if text == "--" else text if "-" in text else text.replace(" to ", "–")


def _grid(labels: Sequence[Lines], measures: Sequence[list[Lines]]) -> Lines:
    """Returns the labels and the measures side by side, a benchmark above its first one alone."""
    heads = [column[0][0] for column in measures]
    columns = [labels]
    for before, (head, *cells) in zip(["", *heads], measures, strict=False):
        columns.append([["" if head[0] == before else head[0], head[1]], *cells])
    rows = list(zip(*columns, strict=True))
    # The heading of a group goes on above the columns, which are empty there.
    within = [row for row in rows if any(map(any, row[1:]))]
    widths = [max(_width(line) for row in within for line in row[at]) for at in range(len(columns))]
    lines = []
    for number, row in enumerate(rows):
        for texts in zip_longest(*row, fillvalue=""):
            sized = zip(texts, widths, strict=True)
            padded = [text + " " * (width - _width(text)) for text, width in sized]
            lines.append(GAP.join(padded).rstrip())
        if number == 0:
            lines.append(GAP.join("-" * width for width in widths))
    return [line for line in lines if line]


def _legend(table: Table) -> Lines:
    """Returns what the marks mean, and whether the baseline stands above models."""
    styles = {cell.style for section in table.sections for row in section.rows for cell in row}
    lines = []
    if styles & {*PRINTED}:
        lines.append(facts("show.yaml")["notes"]["print"])
    elif "best" in styles:
        lines.append(STRINGS["bold"])
    if any(column.heading.endswith(INTERVAL.format(measure="")) for column in table.columns):
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
