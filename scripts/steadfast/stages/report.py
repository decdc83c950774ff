"""Rule report: one report over all benchmarks."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from steadfast.base.files import Settings
from steadfast.base.provenance import Provenance
from steadfast.show.render import write_table
from steadfast.show.report import Report, correlations_table, report_table
from steadfast.show.roster import Display
from steadfast.stats.repeatability import answer_deviations
from steadfast.workflow.script import paths, run_rule


def build_report(
    headlines: Mapping[str, Path],
    benchmarks: Mapping[str, Settings],
    display: Settings,
    out_dir: Path,
    asked: Sequence[str] = (),
    noise_files: Sequence[Path] = (),
) -> None:
    """Writes each table of the report as .tex, .md and .csv, of ``metrics/headline.csv``."""
    shown = Display.of(display)
    report = Report(headlines, benchmarks, shown, answer_deviations(noise_files))
    for table in (report_table(report), correlations_table(report)):
        write_table(shown.framed(table, asked), out_dir)


if job := globals().get("snakemake"):
    results = Path(job.config["results"])
    noise = {results / path: input_digest for path, (input_digest, _) in job.params.noise.items()}
    headlines = dict(zip(job.params.benchmarks, paths(job.input.headlines), strict=True))
    run_rule(
        build_report,
        job,
        read=("noise",),
        reads=[
            *(
                Provenance(job.params.made_from[name], path.with_name("provenance.json"), (path,))
                for name, path in headlines.items()
            ),
            *(Provenance.beside(path, input_digest) for path, input_digest in noise.items()),
        ],
        headlines=headlines,
        out_dir=Path(job.output.tables[0]).parent,
        noise_files=list(noise),
    )
