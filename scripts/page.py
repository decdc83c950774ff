"""Rule page: one HTML file that shows a run."""

from pathlib import Path

from steadfast.base.seal import Seal
from steadfast.page.make_page import make_page
from steadfast.page.pack_samples import Shown
from steadfast.workflow.script import run_rule

if "snakemake" in globals():
    params, out = snakemake.params, Path(snakemake.output.page)
    results = out.parent
    run_rule(
        make_page,
        snakemake,
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
