"""What a run's last words take from its metrics: the report, and what judges turn round."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.show.findings import findings
from steadfast.show.judges import turned_note
from steadfast.show.report import Report, report_table
from steadfast.show.roster import Display, Roster
from steadfast.show.table import Table
from steadfast.stats.repeatability import answer_deviations
from steadfast.stats.tidy import read_csv


class Headline(NamedTuple):
    """The report's table, and what was found in a few sentences."""

    table: Table
    findings: list[str]


def report(run: Evaluation, results: Path, display: Display) -> Headline | None:
    """The report, by the metrics that it was made of; None where they are gone."""
    headlines = {name: results / name / "metrics/headline.csv" for name in run.running}
    if not all(path.is_file() for path in headlines.values()):
        return None
    noise = answer_deviations(results / path for path in InputDigests(run).measured_noise(results))
    made = Report(headlines, run.reported, display, noise)
    return Headline(report_table(made), findings(made))


def turned(
    run: Evaluation, results: Path, display: Display, made: Collection[str]
) -> Iterator[str]:
    """Yields by benchmark which models judge and people order differently."""
    for name in run.running:
        rows = results / name / "metrics/corrected.csv"
        if str(results / f"{name}/tables/{name}_corrected.md") in made and rows.is_file():
            corrected = read_csv(rows)
            for note in turned_note(corrected, Roster(set(corrected["model"]), display)):
                yield f"{run.benchmarks[name].title}: {note}"
