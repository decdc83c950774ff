"""Rule report: all models on all benchmarks."""

from pathlib import Path

from steadfast.report import build_report
from steadfast.workflow import run_rule

if "snakemake" in globals():
    headlines = map(Path, snakemake.input.headlines)
    run_rule(
        build_report,
        snakemake.log,
        headlines=dict(zip(snakemake.params.benchmarks, headlines, strict=True)),
        display=snakemake.params.display,
        out_dir=Path(snakemake.output.tables[0]).parent,
    )
