"""Rule expressions: the instruction templates of one task."""

from pathlib import Path

from steadfast.lifbench.expressions import build_expressions
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        build_expressions,
        snakemake.log,
        task=snakemake.wildcards.task,
        source=snakemake.params.source,
        own=Path(snakemake.input.own),
        released=Path(str(snakemake.input.released)) if snakemake.input.released else None,
        out=Path(snakemake.output.expressions),
    )
