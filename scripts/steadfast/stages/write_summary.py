"""Rule summary: one summary over all benchmarks."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from steadfast.base.files import Settings
from steadfast.show.render import write_table
from steadfast.show.roster import Display
from steadfast.show.summary import RunSummary, correlations_table, summary_table
from steadfast.stats.repeatability import answer_deviations
from steadfast.workflow.script import paths, run_rule


def write_summary(
    summaries: Mapping[str, Path],
    benchmarks: Mapping[str, Settings],
    display: Settings,
    out_dir: Path,
    data_notes: Sequence[str] = (),
    nondeterminism_files: Sequence[Path] = (),
) -> None:
    """Writes each table of the summary as .tex, .md and .csv, of ``metrics/summary.csv``."""
    display_settings = Display.of(display)
    summary = RunSummary(
        summaries, benchmarks, display_settings, answer_deviations(nondeterminism_files)
    )
    for table in (summary_table(summary), correlations_table(summary)):
        write_table(display_settings.with_remarks(table, data_notes), out_dir)


if job := globals().get("snakemake"):
    results = Path(job.config["results"])
    run_rule(
        write_summary,
        job,
        read=("nondeterminism",),
        summaries=dict(zip(job.params.benchmarks, paths(job.input.summaries), strict=True)),
        out_dir=Path(job.output.tables[0]).parent,
        nondeterminism_files=[results / path for path in job.params.nondeterminism],
    )
