"""What a run says at its end: its headline, what its servers took, and where all is."""

import re
import shutil
import textwrap
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from operator import mul
from pathlib import Path

from steadfast.base.files import read_rows
from steadfast.base.names import visible
from steadfast.base.resources import facts
from steadfast.show.render import unescape_markdown

REPORT = "report/report.md"
USAGE = "metrics/inference.csv"
NO_TERMINAL = 100  # columns of what is written to a file
PLAN, TOTALS = "plan/total.md", "## Totals"
WORDS = facts("show.yaml")["ending"]
FOLDERS: Mapping[str, str] = WORDS["folders"]
"""What stands in the results' folder that a run names at its end, and what it is."""
BAR = re.compile(r"(?<!\\)\|")  # between cells; one of a label is escaped
INTERVAL = facts("report.yaml")["interval"].format(measure="")
BELOW_FLOOR = facts("report.yaml")["notes"]["below_floor"].partition("{")[0]
CORRECTED = "_corrected.md"
TURNED = facts("corrected.yaml")["notes"]["turned"].partition("{")[0]
MARKS = (r"\*", "†")
BY_VALUE = facts("show.yaml")["notes"]["print"]
UNDERLINED = re.compile(r"<u>(.*)</u>")
LABEL = 24  # columns of a model's name, at most; a longer one goes on in the next line
GAP = "  "


def ending(
    results: Path, files: Iterable[str], asked: Iterable[str] = (), width: int | None = None
) -> str:
    """Returns what a run says at its end: the headline table where it made one, and where all is.

    ``files`` are all that its targets are made of, and they themselves; ``asked`` has sentences
    about the text that was asked; ``width`` is by default the terminal's, or 100 without one.
    """
    below = (path for path in map(Path, files) if path.is_relative_to(results))
    made = [path.relative_to(results).parts for path in below]
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
    tables = [results.joinpath(*parts) for parts in made if parts[1:2] == ("tables",)]
    if turned := list(_turned(page for page in tables if page.name.endswith(CORRECTED))):
        lines = [*turned, "", *lines]
    report = results / REPORT
    if "report" in first and report.is_file():
        width = width or shutil.get_terminal_size((NO_TERMINAL, 24)).columns
        page = headline(report.read_text(encoding="utf-8"), width)
        lines = [*page, "", *asked, "", *lines]
    plan = results / PLAN
    if "plan" in first and plan.is_file():
        totals = plan.read_text(encoding="utf-8").partition(TOTALS)[2].partition("\n## ")[0]
        lines = [*totals.strip().splitlines(), "", *asked, "", *lines]
    return "\n".join(lines)


def _turned(pages: Iterable[Path]) -> Iterator[str]:
    """Yields by benchmark which models judge and people order differently."""
    for page in sorted(pages):
        title, *notes = page.read_text(encoding="utf-8").split("\n\n")
        for note in notes:
            if note.startswith(TURNED):
                yield f"{_plain(title.partition(':')[0])}: {_plain(note.strip())}"


def server_lines(usage: Path) -> Iterator[str]:
    """Yields a line on what each server of a model or judge took whose answers were timed."""
    by_name: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    for row in read_rows(usage):
        if row.get("latency_median"):
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
            + _money(of)
        )


def _money(rows: Sequence[Mapping[str, str]]) -> str:
    """What rows of the usage were billed, and what was planned where all have a plan."""
    priced = [row for row in rows if row.get("billed")]
    if not priced:
        return ""
    billed = sum(float(row["billed"]) for row in priced)
    planned = [float(row["planned"]) for row in priced if row.get("planned")]
    beside = f", {sum(planned):.4g} planned" if len(planned) == len(priced) else ""
    return f"; billed {billed:.4g} {priced[0]['currency']}{beside}"


MeasureColumn = list[list[str]]
"""The lines of each cell; the heading's, which comes first, are benchmark and measure."""


def headline(page: str, width: int) -> list[str]:
    """Returns the lines of a Markdown page's first table, and its notes that a reader needs there.

    Measures that do not fit side by side in so many columns stand in further blocks, the models
    before each. Of the notes there are those of marks, and what says that the floor stands above
    models.

    >>> page = "|M|A: X|A: X: 95 %|\\n|:-|:-:|:-:|\\n|a|.5|.4 to .6|\\n"
    >>> headline(page, 40)[:4]
    ['   A', 'M  X', '-  -----', 'a  .5']
    """
    table = [line for line in page.splitlines() if line.startswith("|")]
    heads, _, *rows = ([*map(str.strip, BAR.split(line)[1:-1])] for line in table)
    labels = [["", _plain(heads[0])], *(_label(row, width) for row in rows)]
    blocks = "\n\n".join(_blocks(list(_columns(heads, rows)), labels, width))
    legend = [
        *([BY_VALUE if BY_VALUE in page else WORDS["bold"]] if "**" in blocks else []),
        *([WORDS["below"]] if any(head.endswith(INTERVAL) for head in heads) else []),
    ]
    notes = [text for text in page.strip().split("\n\n") if text.startswith((*MARKS, BELOW_FLOOR))]
    below = [*legend, *map(_plain, notes)]
    return [*blocks.splitlines(), *([""] if below else []), *below]


def _label(row: Sequence[str], width: int) -> list[str]:
    """Returns a row's first cell in lines; of a group its heading, without its italics."""
    if not any(row[1:]):
        return [_plain(row[0].removeprefix("*").removesuffix("*"))]
    return textwrap.wrap(_plain(row[0]), max(8, min(LABEL, width // 3))) or [""]


def _columns(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[MeasureColumn]:
    """Yields the measures, each with its interval below its value where a column has that."""
    for at, head in enumerate(heads[1:], start=1):
        if head.endswith(INTERVAL):
            continue
        benchmark, _, measure = _plain(head).rpartition(": ")
        ends = at + 1 if heads[at + 1 : at + 2] == [head + INTERVAL] else None
        cells = [[_plain(row[at]), *([_interval(row[ends])] if ends else [])] for row in rows]
        yield [[benchmark, measure], *cells]


def _interval(cell: str) -> str:
    """Returns an interval in short, where no sign of a number would be taken for the dash."""
    text = _plain(cell)
    return "" if text == "--" else text if "-" in text else text.replace(" to ", "–")


def _blocks(
    columns: Sequence[MeasureColumn], labels: Sequence[Sequence[str]], width: int
) -> Iterator[str]:
    """Yields tables with as many of the columns each as fit."""
    block: list[MeasureColumn] = []
    for column in columns:
        if block and max(map(_width, _laid_out([*block, column], labels))) > width:
            yield "\n".join(_laid_out(block, labels))
            block = []
        block.append(column)
    yield "\n".join(_laid_out(block, labels))


def _laid_out(block: Sequence[MeasureColumn], labels: Sequence[Sequence[str]]) -> list[str]:
    sides, above = [labels], ""
    for (benchmark, measure), *column in block:
        sides.append([["" if benchmark == above else benchmark, measure], *column])
        above = benchmark  # which stands above its first column alone
    rows = list(zip(*sides, strict=True))
    # The heading of a group goes on above the columns, which are empty there.
    within = [row for row in rows if any(map(any, row[1:]))]
    widths = [
        max(_width(line) for cell in side for line in cell) for side in zip(*within, strict=True)
    ]
    lines = []
    for number, row in enumerate(rows):
        for texts in zip_longest(*row, fillvalue=""):
            padded = (
                text + " " * (wide - _width(text)) for text, wide in zip(texts, widths, strict=True)
            )
            lines.append(GAP.join(padded).rstrip())
        lines += [GAP.join("-" * wide for wide in widths)] if number == 0 else []
    return [line for line in lines if line]


def _plain(text: str) -> str:
    """Returns a cell's or a note's text without Markdown's escapes, safe for a terminal."""
    return visible(unescape_markdown(UNDERLINED.sub(r"_\1_", text)))


def _width(text: str) -> int:
    """Returns the columns of a terminal that a text takes: an East Asian character takes two."""
    return sum(1 + (unicodedata.east_asian_width(char) in "WF") for char in text)
