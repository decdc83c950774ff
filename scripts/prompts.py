"""Rule prompts: what one part of a benchmark asks of the models."""

from pathlib import Path

from steadfast.contract.part_files import sources_of
from steadfast.stages.write_prompts import write_prompts
from steadfast.workflow.script import run_rule

if "snakemake" in globals():
    run_rule(
        write_prompts,
        snakemake,
        part=snakemake.wildcards.part,
        prompts=snakemake.params.prompts,
        sources=sources_of(snakemake.params.sources, snakemake.input.sources),
        out=Path(snakemake.output.prompts),
    )
