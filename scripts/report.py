"""Rule report: all models on all benchmarks."""

from pathlib import Path

from steadfast.show.report import build_report
from steadfast.workflow import paths, run_rule

if "snakemake" in globals():
    run_rule(
        build_report,
        snakemake.log,
        headlines=dict(
            zip(snakemake.params.benchmarks, paths(snakemake.input.headlines), strict=True)
        ),
        benchmarks=snakemake.params.benchmarks,
        display=snakemake.params.display,
        out_dir=Path(snakemake.output.tables[0]).parent,
    )
