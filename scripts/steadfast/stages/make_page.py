"""Rule page: tables, figures and samples of all benchmarks in one HTML file."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from steadfast.components import component
from steadfast.engines.bill import cost
from steadfast.engines.request import STATUSES
from steadfast.files import Record, Settings, canonical_json, read_json, read_text, write_text
from steadfast.metrics.tidy import read_csv
from steadfast.page.pack import Full, Pack, page
from steadfast.page.sample_data import Cut, answer_data, answer_row, sample_data, sample_digest
from steadfast.page.table_data import table_data
from steadfast.show.display import Display
from steadfast.show.report import Report, correlations_table, report_table
from steadfast.show.roster import Roster
from steadfast.stages.part_view import Asked, PartView
from steadfast.stages.samples import PartFiles

FORMAT = 1
"""Of the data; a page shows another one beside itself where both have the same."""
LIMIT = 25_000_000
"""Characters of the data, for which long texts are cut; the least cut may need more."""
CUTS = (None, 16_000, 8_000, 4_000, 2_000, 1_000, 500, 250)
BLOCK = 256
"""Samples of one piece."""
USED = (
    "benchmark", "model", "part", "judge", "requests", "logical_tokens", "computed_tokens",
    "cached_tokens", "hit_rate", "output_tokens",
)  # fmt: skip
"""What the page has of ``metrics/inference.csv``: all but times, which differ between runs."""
PER_PART = {"lineage", "sha256", "statuses", "tokens"}
"""What identities of one model differ in between parts."""


@dataclass(frozen=True)
class Shown:
    """One benchmark on the page.

    Attributes:
        name: such as lifbench.
        title: in tables.
        asked: a sentence about the text that was asked, or "".
        tables: the function of frames and display, and its settings.
        metrics: names of the frames.
        reported: its title and measures, as ``show.report.Report`` takes them.
        samples: its ``Samples``, ``stand_in`` its ``StandIn``, ``passages`` what gives a sample's
            ``Passages`` or None: by name and settings.
        parts: of each its data files by kind, name and path below the results.
        models: draws and judges of each model that is asked.
        prompts: name of the folder of the prompts that are asked.
        figures: names.
    """

    name: str
    title: str
    asked: str
    tables: Sequence[Any]
    metrics: Sequence[str]
    reported: Settings
    samples: Sequence[Any]
    stand_in: Sequence[Any]
    passages: Sequence[Any] | None
    parts: Mapping[str, Sequence[Sequence[str]]]
    models: Mapping[str, Sequence[Any]]
    prompts: str
    figures: Sequence[str]

    def views(self, results: Path) -> list[PartView]:
        """Its parts in a folder of results; none where no model is asked."""
        folder = results / self.name
        return [
            PartView(
                self.title,
                folder,
                PartFiles(
                    part,
                    self.samples,
                    folder / self.prompts / f"{part}.jsonl",
                    [(kind, name, results / path) for kind, name, path in sources],
                ),
                self.stand_in,
                self.passages,
                {model: Asked(*how) for model, how in self.models.items()},
            )
            for part, sources in self.parts.items()
            if self.models
        ]


def make_page(
    benchmarks: Sequence[Shown],
    display: Settings,
    prices: Mapping[str, Mapping[str, Settings]],
    results: Path,
    out: Path,
    limit: int = LIMIT,
) -> None:
    """Writes the page. Texts of samples are cut as little as the limit allows, and say so.

    Args:
        benchmarks: that run.
        display: as ``Display.of`` takes it.
        prices: by role (model, judge, rewriter) and name, per million tokens.
        results: folder of all results.
        out: the page.
        limit: characters of its data.

    Raises:
        UserError: a file is missing or damaged.
    """
    shown = Display.of(display)
    fixed = _fixed(benchmarks, shown, results)
    for most in CUTS:
        samples = Pack(limit - fixed.characters if most != CUTS[-1] else None)
        try:
            counts = _add_samples(samples, benchmarks, results, Cut(most))
            break
        except Full:
            continue
    run = Pack()
    run.add("run", _run(benchmarks, shown, prices, results, counts) | {"cut": most})
    title = f"steadfast: {', '.join(one.title for one in benchmarks)}"
    text = page(title, [run, fixed, samples])
    print(f"{out}: {len(text):,} characters; texts of samples cut to {most or 'no'} characters")
    write_text(out, text)


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
    whole = [table_data(report_table(report)), table_data(correlations_table(report))]
    found: list[Record] = [{"title": "All benchmarks", "tables": whole}]
    for one in benchmarks:
        frames = {
            name: read_csv(results / one.name / "metrics" / f"{name}.csv") for name in one.metrics
        }
        tables = component(one.tables).make(frames, replace(display, published=True))
        found.append({"title": one.title, "tables": [table_data(table) for table in tables]})
    return found


# --- samples ---------------------------------------------------------------------------------


def _add_samples(pack: Pack, benchmarks: Sequence[Shown], results: Path, cut: Cut) -> list[Record]:
    """Adds an index of each benchmark and its samples and answers in blocks; counts statuses."""
    counts: list[Record] = []
    for one in benchmarks:
        views = one.views(results)
        found = {model: Counter[str]() for model in one.models}
        scored = Counter[str]()
        parts = []
        for view in views:
            part = _add_part(pack, f"{one.name}/{view.files.name}", view, cut)
            parts.append(part)
            for model, draws in part["answers"].items():
                for row in (row for draw in draws for row in draw):
                    found[model][row[0]] += 1
                    scored[model] += row[1] is not None
        if views:
            pack.add(f"index/{one.name}", parts)
        for model, statuses in found.items():
            rest = {"benchmark": one.title, "model": model, "scored": scored[model]}
            counts.append({**rest, "statuses": dict(statuses)})
    return counts


def _add_part(pack: Pack, name: str, view: PartView, cut: Cut) -> Record:
    """Adds one part's samples and answers.

    Returns:
        Its index: of each sample id, task and digest; of each model and draw a row an answer.
    """
    samples, index = view.samples, []
    for number, block in enumerate(_blocks(samples)):
        seen = [view.seen(sample) for sample in block]
        index += [[one.id, one.prompt["task"]] for one in block]
        for row, one in zip(index[-len(seen) :], seen, strict=True):
            row.append(sample_digest(one))
        pack.add(f"samples/{name}/{number}", [sample_data(one, cut) for one in seen])
    answers: dict[str, list[list[Any]]] = {}
    for model, asked in view.models.items():
        found = list(view.answers(model, [sample.id for sample in samples]))
        by_draw = [found[draw :: asked.draws] for draw in range(asked.draws)]
        answers[model] = [[answer_row(one) for one in of] for of in by_draw]
        for draw, of in enumerate(by_draw):
            for number, block in enumerate(_blocks(of)):
                piece = f"answers/{name}/{model}/{draw}/{number}"
                pack.add(piece, [answer_data(one, cut) for one in block])
    return {"name": view.files.name, "samples": index, "answers": answers}


def _blocks(whole: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (whole[start : start + BLOCK] for start in range(0, len(whole), BLOCK))


# --- what was run ----------------------------------------------------------------------------


def _run(
    benchmarks: Sequence[Shown],
    display: Display,
    prices: Mapping[str, Mapping[str, Settings]],
    results: Path,
    counts: Sequence[Record],
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
        "coverage": [*counts],
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
                    identity = read_json(path)
                    kept = {name: v for name, v in identity.items() if name not in PER_PART}
                    name = judge or model
                    same = found.setdefault(
                        canonical_json([name, bool(judge), kept]),
                        {"name": name, "judge": bool(judge), "identity": kept, "parts": {}},
                    )
                    same["parts"].setdefault(f"{one.title} {part}", None)
    return [{**one, "parts": list(one["parts"])} for one in found.values()]
