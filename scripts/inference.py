"""Rules inference, verdicts and rewrites: a model's, judge's or rewriter's replies."""

from steadfast.run.request_of_job import Asked
from steadfast.stages.one_load import ask_together
from steadfast.workflow.script import run_rule

# An engine's worker processes may import this file anew, under another name.
if "snakemake" in globals() and __name__ == "__main__":
    loads = snakemake.config.get("loads", {})
    own = Asked.of(snakemake, loads.get("run", ""))
    operation = snakemake.config[own.role][own.name]
    alike = ([Asked(**one) for one in load] for load in loads.get("asked", ()))
    run_rule(
        ask_together,
        snakemake,
        sealed=False,
        engines=[operation],
        own=own,
        operation=operation,
        together=next((load for load in alike if own.key in [one.key for one in load]), []),
    )
