"""Rule inference: the responses of one model to one part."""

from pathlib import Path

from steadfast.inference import answer_part
from steadfast.workflow import run_rule

# An engine's worker processes may import this file anew, under another name.
if "snakemake" in globals() and __name__ == "__main__":
    run_rule(
        answer_part,
        snakemake.log,
        benchmark_name=snakemake.wildcards.benchmark,
        model=snakemake.wildcards.model,
        part=snakemake.wildcards.part,
        answers=snakemake.params.answers,
        raw_config=snakemake.config,
        prompts=Path(snakemake.input.prompts),
        sources=snakemake.params.sources,
        out=Path(snakemake.output.outputs),
        identity_out=Path(snakemake.output.identity),
        log=Path(snakemake.log[0]),
    )
