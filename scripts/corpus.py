"""Rule corpus: one corpus in the common shape."""

from steadfast.corpora import build_corpus
from steadfast.workflow import run_rule

if "snakemake" in globals():
    run_rule(
        build_corpus,
        snakemake.log,
        corpus=snakemake.wildcards.corpus,
        source=snakemake.params.source,
        seed=snakemake.params.seed,
        out=snakemake.output.corpus,
    )
