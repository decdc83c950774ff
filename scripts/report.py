"""Rule report: all models on all benchmarks."""

from pathlib import Path

from steadfast.base.seal import Seal
from steadfast.show.report import build_report
from steadfast.workflow.script import paths, run_rule

if "snakemake" in globals():
    headlines = dict(
        zip(snakemake.params.benchmarks, paths(snakemake.input.headlines), strict=True)
    )
    run_rule(
        build_report,
        snakemake,
        reads=[
            Seal(snakemake.params.made_from[name], path.with_name("identity.json"), (path,))
            for name, path in headlines.items()
        ],
        headlines=headlines,
        benchmarks=snakemake.params.benchmarks,
        display=snakemake.params.display,
        asked=snakemake.params.asked,
        out_dir=Path(snakemake.output.tables[0]).parent,
    )
