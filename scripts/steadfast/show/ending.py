"""What a run says at its end: its headline, what its servers took, and where all is."""

import csv
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from operator import mul
from pathlib import Path

from steadfast.show.headline import headline

REPORT = "report/report.md"
USAGE = "metrics/inference.csv"
NO_TERMINAL = 100  # columns of what is written to a file
PLAN, TOTALS = "plan/total.md", "## Totals"
FOLDERS = {
    "report.html": "All of it on one page, for a browser",
    "tables": "Tables (docs/reading.md explains them)",
    "figures": "Figures",
    "plan": "What a run would take",
    "noise": "How far an engine's answers vary by themselves",
    "export": "Data sets",
    "bundle.zip": "The run as one file",
}
"""What stands in the results' folder that a run names at its end, and what it is."""


def ending(
    results: Path, files: Iterable[str], asked: Iterable[str] = (), width: int | None = None
) -> str:
    """Returns what a run says at its end: the headline table where it made one, and where all is.

    Args:
        results: folder of all results.
        files: all that the run's targets are made of, and they themselves.
        asked: sentences about the text that was asked, below the headline table.
        width: columns of the terminal; by default its own, or 100 where there is none.
    """
    made = [Path(file).relative_to(results).parts for file in files if _below(results, file)]
    first = {parts[0] for parts in made}
    shown = [name for name in FOLDERS if name in first]
    if "tables" not in first:
        further = {Path(*parts[:2]) for parts in made if parts[1:2] == ("tables",)}
        shown += [str(folder) for folder in sorted(further)]
    places = {name: f"{results / name}" + ("" if Path(name).suffix else "/") for name in shown}
    lines = [f"{FOLDERS.get(name, 'Tables')}: {place}" for name, place in places.items()]
    usage = results / USAGE
    if "metrics" in first and usage.is_file() and (served := list(server_lines(usage))):
        lines = [*served, "", *lines]
    report = results / REPORT
    if "report" in first and report.is_file():
        width = width or shutil.get_terminal_size((NO_TERMINAL, 24)).columns
        page = headline(report.read_text(encoding="utf-8"), width)
        lines = [*page, "", *asked, "", *lines]
    plan = results / PLAN
    if "plan" in first and plan.is_file():
        totals = plan.read_text(encoding="utf-8").partition(TOTALS)[2]
        lines = [*totals.strip().splitlines(), "", *asked, "", *lines]
    return "\n".join(lines)


def _below(folder: Path, file: str) -> bool:
    return Path(file).is_relative_to(folder)


def server_lines(usage: Path) -> Iterator[str]:
    """Yields a line on what each server of a model or judge took whose answers were timed."""
    with open(usage, newline="", encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row.get("latency_median")]
    by_name: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    for row in rows:
        by_name[row["judge"] or row["model"]].append(row)
    for name, of in by_name.items():
        medians = sorted(float(row["latency_median"]) for row in of)
        spread = dict.fromkeys(f"{seconds:g}" for seconds in (medians[0], medians[-1]))
        slowest = max(float(row["latency_95"]) for row in of)
        answers = {what: sum(int(row[what]) for row in of) for what in ("refused", "cut", "empty")}
        again, away = (sum(int(row[name]) for row in of) for name in ("retries", "turned_away"))
        rates = [float(row["answers_per_second"]) for row in of]
        seconds = [float(row["wall_seconds"]) for row in of]
        rate = sum(map(mul, rates, seconds)) / (sum(seconds) or 1.0)
        requests = sum(int(row["requests"]) for row in of)
        found = [f"{count:,} {what}" for what, count in answers.items() if count]
        yield (
            f"{name}: {requests:,} requests, {rate:.3g} answers a second; half of them within "
            f"{' to '.join(spread)} s, 95 % within {slowest:g} s; {again:,} attempts made again"
            + (f", {away:,} that the server turned away" if away else "")
            + (f"; {', '.join(found)}" if found else "")
        )
