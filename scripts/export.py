"""Rule export_benchmark: a benchmark as a data set of its own."""

from pathlib import Path

from steadfast.contract.part_files import PartFiles, sources_by_part
from steadfast.share.export import export_benchmark
from steadfast.workflow.script import paths, run_rule

if "snakemake" in globals():
    params = snakemake.params
    sources = sources_by_part(params.sources, snakemake.input.sources)
    files = zip(sources.items(), paths(snakemake.input.prompts), strict=True)
    run_rule(
        export_benchmark,
        snakemake,
        name=snakemake.wildcards.benchmark,
        exports=params.exports,
        stand_in=params.stand_in,
        parts=[PartFiles(part, params.samples, prompts, of) for (part, of), prompts in files],
        out=Path(snakemake.output[0]),
    )
