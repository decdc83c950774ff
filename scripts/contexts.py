"""Rule contexts: the contexts of one scenario and length."""

from pathlib import Path

from steadfast.lifbench.contexts import build_contexts
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        build_contexts,
        snakemake.log,
        scenario=snakemake.wildcards.scenario,
        length=snakemake.wildcards.length,
        budget=snakemake.params.budget,
        seeds=snakemake.params.seeds,
        corpora={name: Path(path) for name, path in snakemake.params.corpora.items()},
        tokenizer=snakemake.params.tokenizer,
        out=Path(snakemake.output.contexts),
    )
