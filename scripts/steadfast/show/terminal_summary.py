"""The summary on the terminal at the end of a run: the table, its servers, its folders."""

import shutil
import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

import pandas as pd

from steadfast.base.names import escape_hidden
from steadfast.base.resources import facts
from steadfast.show.render import cell_text
from steadfast.show.table import SIGNS, Table, by_benchmarks, short_interval, styles

USAGE = "metrics/inference.csv"
NO_TERMINAL = 100  # columns of what is written to a file
PLAN = "plan/plan.md"
TOTALS = "## Totals"
STRINGS = facts("show.yaml")["ending"]
# What stands in the results' folder that a run names at its end, and what it is.
FOLDERS: Mapping[str, str] = STRINGS["folders"]
INTERVAL: str = facts("summary.yaml")["interval"]
BELOW_BASELINE = facts("summary.yaml")["notes"]["below_baseline"].partition("{")[0]
LABEL = 24  # columns of a model's name, at most; a longer one goes on in the next line
GAP = "  "
# Columns of the usage that count responses worth a look, and what these are called.
WORTH_A_LOOK = {"refused": "refused", "response_truncated": "truncated", "empty": "empty"}
# Columns of the usage that are shown, all of them numbers.
SHOWN = (
    "requests", "wall_seconds", "answers_per_second", "latency_median", "latency_95", "retries",
    "rejected", "billed", "planned", *WORTH_A_LOOK,
)  # fmt: skip


def terminal_summary(
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
    made = [Path(file) for file in files if Path(file).is_relative_to(results)]
    parts = [path.relative_to(results).parts for path in made]
    top_level = {names[0] for names in parts}
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
        folders += sorted({f"{names[0]}/tables" for names in parts if names[1:2] == ("tables",)})
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
    texts = pd.read_csv(usage, dtype=str, keep_default_na=False)
    names = texts["judge"].where(texts["judge"] != "", texts["model"])
    numbers = texts.reindex(columns=list(SHOWN)).apply(pd.to_numeric)
    timed = numbers[numbers["latency_median"].notna()]
    for name, rows in timed.groupby(names, sort=False):
        yield f"{name}: {_traffic(rows)}{_money(rows)}"


def _traffic(rows: pd.DataFrame) -> str:
    """Returns a server's requests, throughput, latency, retries and responses worth a look."""
    totals = rows.sum()
    responses = (rows["answers_per_second"] * rows["wall_seconds"]).sum()
    medians = rows["latency_median"]
    ends = dict.fromkeys([f"{medians.min():g}", f"{medians.max():g}"])  # one where they are equal
    text = (
        f"{totals['requests']:,.0f} requests, {responses / (totals['wall_seconds'] or 1.0):.3g} "
        f"responses/s; latency {' to '.join(ends)} s (median), {rows['latency_95'].max():g} s "
        f"(95 %); {totals['retries']:,.0f} retries"
    )
    if totals["rejected"]:
        text += f", {totals['rejected']:,.0f} rejected by the server"
    counts = [f"{totals[name]:,.0f} {word}" for name, word in WORTH_A_LOOK.items() if totals[name]]
    return f"{text}; {', '.join(counts)}" if counts else text


def _money(rows: pd.DataFrame) -> str:
    """What rows of the usage were billed, and what was planned where all have a plan."""
    priced = rows[rows["billed"].notna()]
    if priced.empty:
        return ""
    text = f"; billed {priced['billed'].sum():.4g} USD"
    if priced["planned"].notna().all():
        text += f", {priced['planned'].sum():.4g} planned"
    return text


def summary_lines(table: Table, width: int) -> list[str]:
    """Returns a table's lines for a terminal, with those of its notes that a reader needs there.

    An interval stands below its value. Measures that do not fit side by side go on in further
    blocks, each with the models first. Of the notes it has those on marks, and the one on models
    below the baseline.
    """
    rows = _text_rows(table, max(8, min(LABEL, width // 3)))
    lines: list[str] = []
    start = 1  # behind the models
    end = len(rows[0])
    while start < end:
        # As many measures as fit stand in a block, at least one, however wide it is.
        stop = end
        block = _block(rows, start, stop)
        while stop > start + 1 and max(map(_width, block)) > width:
            stop -= 1
            block = _block(rows, start, stop)
        lines += ["", *block]
        start = stop
    return [*lines[1:], *_legend(table)]


def _text_rows(table: Table, label_width: int) -> list[list[str]]:
    """Returns the text of each line by column: groups, headings, then the rows of the sections.

    A section's heading is a row with one text.
    """
    headings = [column.heading for column in table.columns]
    # The column of each measure, and that of its interval if it has one.
    columns: dict[int, int | None] = {}
    for number, heading in enumerate(headings):
        if number - 1 in columns and heading == INTERVAL.format(measure=headings[number - 1]):
            columns[number - 1] = number
        else:
            columns[number] = None
    rows = [[escape_hidden(table.columns[number].group) for number in columns]]
    rows.append([escape_hidden(headings[number]) for number in columns])
    for section in table.sections:
        if section.heading:
            rows.append([escape_hidden(section.heading)])
        for row in section.rows:
            texts = []
            for number, interval in columns.items():
                texts.append([cell_text(row[number], escape_hidden)])
                if interval is not None:
                    texts[-1].append(escape_hidden(short_interval(row[interval])))
            texts[0] = textwrap.wrap(texts[0][0], label_width)
            rows += map(list, zip_longest(*texts, fillvalue=""))
    return rows


def _block(rows: Sequence[list[str]], start: int, stop: int) -> list[str]:
    """Returns the lines of some measures, from start to before stop, beside the models' names."""
    groups, *others = [[*row[:1], *row[start:stop]] for row in rows]
    # A group's heading stands above its first measure alone.
    pairs = zip(groups[1:], groups, strict=False)
    groups = [*groups[:1], *("" if group == previous else group for group, previous in pairs)]
    chosen = [groups, *others]
    # The heading of a section goes on above the columns, which are empty there.
    aligned = [row for row in chosen if len(row) > 1]
    widths = [max(map(_width, column)) for column in zip(*aligned, strict=True)]
    lines = [GAP.join(map(_padded, row, widths)).rstrip() for row in chosen]
    lines.insert(2, GAP.join("-" * width for width in widths))
    return [line for line in lines if line]


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _legend(table: Table) -> list[str]:
    """Returns what the marks mean, and the note on models below the baseline."""
    lines = []
    if "best" in styles(table.sections):
        lines.append(STRINGS["bold"])
    interval = INTERVAL.format(measure="")
    if any(column.heading.endswith(interval) for column in table.columns):
        lines.append(STRINGS["below"])
    for mark, text in table.notes:
        if mark in SIGNS:
            lines.append(escape_hidden(f"{SIGNS[mark]} {text}"))
        elif text.startswith(BELOW_BASELINE):
            lines.append(escape_hidden(text))
    return ["", *lines] if lines else []


def _width(text: str) -> int:
    """Returns the columns of a terminal that a text takes: an East Asian character takes two."""
    return sum(1 + (unicodedata.east_asian_width(char) in "WF") for char in text)
