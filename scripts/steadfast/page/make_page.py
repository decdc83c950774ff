"""Rule page: tables, figures and samples of all benchmarks in one HTML file."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from steadfast.base.files import Record, Settings, canonical_json, read_text, write_text
from steadfast.base.seal import OF_ITS_FILES, Seal
from steadfast.contract.components import component
from steadfast.contract.records import read_identity
from steadfast.contract.request import STATUSES
from steadfast.engines.cost.bill import cost
from steadfast.page.pack import Pack, page
from steadfast.page.pack_samples import BLOCK, Packed, Shown, pack_samples
from steadfast.page.table_data import table_data
from steadfast.show.display import Display
from steadfast.show.render import Printed
from steadfast.show.report import Report, correlations_table, report_table
from steadfast.show.roster import Roster
from steadfast.show.table import Table
from steadfast.stats.tidy import read_csv
from steadfast.workflow.script import run_rule

FORMAT = 1
"""Of the data; a page shows another one beside itself where both have the same."""
LIMIT = 25_000_000
"""Characters of the data, for which long texts are cut."""
USED = (
    "benchmark", "model", "part", "judge", "requests", "logical_tokens", "computed_tokens",
    "cached_tokens", "hit_rate", "output_tokens",
)  # fmt: skip
"""What the page has of ``metrics/inference.csv``: all but times, which differ between runs."""


def make_page(
    benchmarks: Sequence[Shown],
    display: Settings,
    prices: Mapping[str, Mapping[str, Settings]],
    results: Path,
    out: Path,
    limit: int = LIMIT,
    name: str = "",
) -> None:
    """Writes the page; long texts of samples are cut as little as the limit allows, and say so.

    Args:
        benchmarks: that run.
        display: as ``Display.of`` takes it.
        prices: by role (model, judge, rewriter) and name, per million tokens.
        results: folder of all results.
        out: the page.
        limit: characters of its data.
        name: of the run.

    Raises:
        UserError: a file is missing or damaged.
    """
    shown = Display.of(display)
    fixed = _fixed(benchmarks, shown, results)
    samples = pack_samples(benchmarks, results, limit - fixed.characters)
    run = Pack()
    run.add("run", {"name": name, **_run(benchmarks, shown, prices, results, samples)})
    title = name or ", ".join(one.title for one in benchmarks)
    write_text(out, page(f"steadfast: {title}", [run, fixed, samples.pack]))


# --- tables and figures ----------------------------------------------------------------------


def _fixed(benchmarks: Sequence[Shown], display: Display, results: Path) -> Pack:
    pack = Pack()
    pack.add("tables", _tables(benchmarks, display, results))
    for one in benchmarks:
        for name in one.figures:
            pack.add(f"figure/{name}", read_text(results / "figures" / f"{name}.svg"))
    return pack


def _tables(benchmarks: Sequence[Shown], display: Display, results: Path) -> list[Record]:
    """The tables of the report, then of each benchmark, with what its paper prints."""
    headlines = {one.name: results / one.name / "metrics/headline.csv" for one in benchmarks}
    report = Report(headlines, {one.name: one.reported for one in benchmarks}, display)
    whole = (report_table(report), correlations_table(report))
    found = [_group("All benchmarks", whole, [one.asked for one in benchmarks], display)]
    for one in benchmarks:
        frames = {
            name: read_csv(results / one.name / "metrics" / f"{name}.csv") for name in one.metrics
        }
        tables = component(one.tables).make(frames, replace(display, published=True))
        found.append(_group(one.title, tables, [one.asked], display))
    return found


def _group(
    title: str, tables: Iterable[Table | Printed], asked: Sequence[str], display: Display
) -> Record:
    """Some tables under a title, each of which says what text was asked, and of a trial that."""
    found = (
        replace(table.about(asked), remark=display.trial) if isinstance(table, Table) else table
        for table in tables
    )
    return {"title": title, "tables": [table_data(table) for table in found]}


# --- what was run ----------------------------------------------------------------------------


def _run(
    benchmarks: Sequence[Shown],
    display: Display,
    prices: Mapping[str, Mapping[str, Settings]],
    results: Path,
    samples: Packed,
) -> Record:
    roster = Roster(display.models, display)
    return {
        "format": FORMAT,
        "block": BLOCK,
        "trial": display.trial,
        "published": display.published,
        "benchmarks": [
            {
                "name": one.name,
                "title": one.title,
                "asked": one.asked,
                "figures": [
                    {"name": name, "caption": read_text(results / "figures" / f"{name}.txt")}
                    for name in one.figures
                ],
                "has_samples": bool(one.models),
            }
            for one in benchmarks
        ],
        "models": {name: roster.figure_label(name) for name in roster.models},
        "cut": samples.cut.about,
        "coverage": samples.counts,
        "statuses": list(STATUSES),
        "usage": _usage(results / "metrics/inference.csv", benchmarks, prices),
        "identities": _identities(benchmarks, results),
    }


def _usage(
    path: Path, benchmarks: Sequence[Shown], prices: Mapping[str, Mapping[str, Settings]]
) -> Record:
    """Tokens, hit rate and cost of each job."""
    parts = {one.name: one.parts for one in benchmarks}
    rows = []
    for row in csv.DictReader(io.StringIO(read_text(path))):
        # What is no part is a round of rewriting.
        role = "model" if row["part"] in parts[row["benchmark"]] else "rewriter"
        price = (
            prices["judge"].get(row["judge"]) if row["judge"] else prices[role].get(row["model"])
        )
        tokens = [row[f"{kind}_tokens"] for kind in ("logical", "cached", "output")]
        known = price and tokens[0] and tokens[2]
        spent = cost(price, *(int(number or 0) for number in tokens)) if price and known else None
        shown = f"{spent:.4f} {price['currency']}" if price and spent is not None else None
        rows.append([*(row[name] or None for name in USED), shown])
    return {"columns": [*USED, "cost"], "rows": rows}


def _identities(benchmarks: Sequence[Shown], results: Path) -> list[Record]:
    """What answers and verdicts come from: equal identities once, with what they stand beside."""
    found: dict[str, Record] = {}
    for one in benchmarks:
        for model, (_, judges) in one.models.items():
            for part in one.parts:
                folders = {"": "outputs", **{judge: f"verdicts/{judge}" for judge in judges}}
                for judge, folder in folders.items():
                    path = results / one.name / folder / model / f"{part}.identity.json"
                    identity = read_identity(path)
                    kept = {name: v for name, v in identity.items() if name not in OF_ITS_FILES}
                    name = judge or model
                    same = found.setdefault(
                        canonical_json([name, bool(judge), kept]),
                        {"name": name, "judge": bool(judge), "identity": kept, "parts": {}},
                    )
                    same["parts"].setdefault(f"{one.title} {part}", None)
    return [{**one, "parts": list(one["parts"])} for one in found.values()]


if job := globals().get("snakemake"):
    params, out = job.params, Path(job.output.page)
    results = out.parent
    run_rule(
        make_page,
        job,
        reads=[
            *(Seal.beside(results / path, made) for path, made in params.made_from.items()),
            *(
                Seal(
                    params.measured_from[one["name"]],
                    results / one["name"] / "metrics/identity.json",
                    tuple(results / one["name"] / f"metrics/{name}.csv" for name in one["metrics"]),
                )
                for one in params.benchmarks
            ),
        ],
        benchmarks=[Shown(**one) for one in params.benchmarks],
        display=params.display,
        prices=params.prices,
        results=results,
        out=out,
        name=params.name,
    )
