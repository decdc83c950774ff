"""The summary on the terminal at the end of a run, and rankings that judges reverse."""

from collections.abc import Collection, Iterator
from pathlib import Path

from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.show.findings import findings
from steadfast.show.judges import reversed_pairs_note
from steadfast.show.roster import Display, Roster
from steadfast.show.summary import RunSummary, summary_table
from steadfast.show.table import Table
from steadfast.stats.repeatability import answer_deviations
from steadfast.stats.tidy import read_csv


def run_summary(run: Evaluation, results: Path, display: Display) -> tuple[Table | None, list[str]]:
    """The summary's table and its findings, from a run's metrics; empty where these are missing."""
    summaries = {name: results / name / "metrics/summary.csv" for name in run.running}
    if not all(path.is_file() for path in summaries.values()):
        return None, []
    nondeterminism_files = InputDigests(run).measured_nondeterminism(results)
    nondeterminism = answer_deviations(results / path for path in nondeterminism_files)
    summary = RunSummary(summaries, run.summary_inputs, display, nondeterminism)
    return summary_table(summary), findings(summary)


def reversed_rankings(
    run: Evaluation, results: Path, display: Display, outputs: Collection[str]
) -> Iterator[str]:
    """Yields by benchmark which models judge and people order differently."""
    for name in run.running:
        rows = results / name / "metrics/corrected.csv"
        if str(results / f"{name}/tables/{name}_corrected.md") in outputs and rows.is_file():
            corrected = read_csv(rows)
            for note in reversed_pairs_note(corrected, Roster(set(corrected["model"]), display)):
                yield f"{run.benchmarks[name].title}: {note}"
