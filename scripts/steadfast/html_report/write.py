"""Rule html_report: tables, figures and samples of all benchmarks in one HTML file."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from steadfast.base.files import Record, Settings, canonical_json, read_rows, read_text, write_text
from steadfast.config.load import load_config
from steadfast.contract.request import STATUSES
from steadfast.html_report.pack import BLOCK, Pack, Packed, pack_samples, page
from steadfast.html_report.sample_data import table_data
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.finished import FinishedRun
from steadfast.jobs.job import REWRITERS
from steadfast.show.findings import findings
from steadfast.show.render import Printed
from steadfast.show.roster import Display, Roster
from steadfast.show.summary import RunSummary, correlations_table, summary_table
from steadfast.show.table import Table
from steadfast.stats.repeatability import answer_deviations
from steadfast.workflow.script import run_rule

FORMAT = 1  # of the data; two HTML reports can be compared where both have the same
LIMIT = 25_000_000  # characters of the data; longer texts are shortened to fit
# Columns of ``metrics/inference.csv`` in the report: all but times, which differ between runs.
USED = (
    "benchmark", "model", "part", "judge", "requests", "logical_tokens", "computed_tokens",
    "cached_tokens", "written_tokens", "hit_rate", "output_tokens",
)  # fmt: skip


def write_html_report(
    run: FinishedRun,
    display: Settings,
    out: Path,
    limit: int = LIMIT,
    nondeterminism: Iterable[str] = (),
) -> None:
    """Writes the HTML report; long texts are shortened as little as the limit (characters) allows.

    ``nondeterminism`` has the paths, below the results, of the run's measured nondeterminism.
    """
    display_settings = Display.of(display)
    name = run.evaluation.config.name or ""
    deviations = answer_deviations(run.results / path for path in nondeterminism)
    summaries = {task: run.metric_path(task, "summary") for task in run.evaluation.running}
    summary = RunSummary(summaries, run.evaluation.summary_inputs, display_settings, deviations)
    fixed = Pack()
    fixed.add("tables", _tables(run, display_settings, summary))
    for benchmark in run.evaluation.running:
        for figure in _figures(run, benchmark):
            fixed.add(f"figure/{figure}", read_text(run.results / f"figures/{figure}.svg"))
    samples = pack_samples(run, limit - fixed.characters)
    about = Pack()
    section = {"name": name, "findings": findings(summary)}
    about.add("run", section | _run(run, display_settings, samples))
    benchmarks = run.evaluation.benchmarks
    title = name or ", ".join(benchmarks[task].title for task in run.evaluation.running)
    write_text(out, page(f"steadfast: {title}", [about, fixed, samples.pack]))


# --- tables and figures ----------------------------------------------------------------------


def _figures(run: FinishedRun, benchmark: str) -> list[str]:
    return [f"{benchmark}_{name}" for name in run.evaluation.tasks[benchmark].figures.names]


def _tables(run: FinishedRun, display: Display, summary: RunSummary) -> list[Record]:
    """The tables of the summary, then of each benchmark, with what its paper prints."""
    evaluation = run.evaluation
    overall = (summary_table(summary), correlations_table(summary))
    data_notes = [evaluation.tasks[name].data_note for name in evaluation.running]
    groups = [_group("All benchmarks", overall, data_notes, display)]
    for name in evaluation.running:
        task = evaluation.tasks[name]
        # Beside the run's own values, what the papers print, whatever the config says of that.
        tables = task.tables.function.make(run.metrics(name), replace(display, published=True))
        groups.append(_group(evaluation.benchmarks[name].title, tables, [task.data_note], display))
    return groups


def _group(
    title: str, tables: Iterable[Table | Printed], data_notes: Sequence[str], display: Display
) -> Record:
    """Some tables under a title, each with notes on its data and on a trial."""
    plain_tables = []
    for table in tables:
        shown = display.with_remarks(table, data_notes) if isinstance(table, Table) else table
        plain_tables.append(table_data(shown))
    return {"title": title, "tables": plain_tables}


# --- what was run ----------------------------------------------------------------------------


def _run(run: FinishedRun, display: Display, samples: Packed) -> Record:
    roster = Roster(display.models, display)
    return {
        "format": FORMAT,
        "block": BLOCK,
        "trial": display.trial,
        "published": display.published,
        "benchmarks": [_benchmark(run, benchmark) for benchmark in run.evaluation.running],
        "models": {name: roster.figure_label(name) for name in roster.models},
        "cut": samples.cut.about,
        "coverage": samples.counts,
        "statuses": list(STATUSES),
        "usage": _usage(run),
        "provenances": _provenances(run),
    }


def _benchmark(run: FinishedRun, name: str) -> Record:
    figures = []
    for figure in _figures(run, name):
        caption = read_text(run.results / f"figures/{figure}.txt")
        figures.append({"name": figure, "caption": caption})
    benchmark = run.evaluation.benchmarks[name]
    return {
        "name": name,
        "title": benchmark.title,
        "data_note": run.evaluation.tasks[name].data_note,
        "sample_names": benchmark.sample_names,
        "figures": figures,
        "has_samples": bool(run.evaluation.evaluated_models(name)),
    }


def _usage(run: FinishedRun) -> Record:
    rows = []
    for row in read_rows(run.results / "metrics/inference.csv"):
        cost = f"{float(row['billed']):.4f} USD" if row["billed"] else None
        values = [row[name] or None for name in USED]
        rows.append([*values, cost])
    return {"columns": [*USED, "cost"], "rows": rows}


def _provenances(run: FinishedRun) -> list[Record]:
    """Provenance of responses and verdicts: equal ones once, with the parts that have them."""
    records: dict[str, Record] = {}
    for benchmark in run.evaluation.running:
        title = run.evaluation.benchmarks[benchmark].title
        for job, provenance in run.provenances(benchmark):
            if job.role == REWRITERS:  # a paraphrase is part of a prompt, no response to one
                continue
            record = {"name": job.name, "judge": bool(job.judge), "provenance": provenance}
            parts = records.setdefault(canonical_json(record), record | {"parts": []})["parts"]
            part = f"{title} {job.part}"
            if part not in parts:
                parts.append(part)
    return list(records.values())


if job := globals().get("snakemake"):
    out = Path(job.output.report)
    run = FinishedRun(Evaluation(load_config(job.config["whole"])), out.parent)
    run_rule(write_html_report, job, run=run, out=out)
