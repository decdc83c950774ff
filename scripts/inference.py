"""Rule inference: one model's responses to one part; rule verdicts: a judge's about them."""

from pathlib import Path

from steadfast.inference import answer_part, judge_part
from steadfast.workflow import run_rule

# An engine's worker processes may import this file anew, under another name.
if "snakemake" in globals() and __name__ == "__main__":
    same = {
        "benchmark_name": snakemake.wildcards.benchmark,
        "model": snakemake.wildcards.model,
        "part": snakemake.wildcards.part,
        "answers": snakemake.params.answers,
        "raw_config": snakemake.config,
        "out": Path(snakemake.output.outputs),
        "identity_out": Path(snakemake.output.identity),
        "log": Path(snakemake.log[0]),
    }
    prompts = Path(snakemake.input.prompts)
    if judge := snakemake.wildcards.get("judge"):
        run_rule(
            judge_part,
            snakemake.log,
            judge=judge,
            attempts=snakemake.params.attempts,
            judging=prompts,
            **same,
        )
    else:
        run_rule(
            answer_part, snakemake.log, prompts=prompts, sources=snakemake.params.sources, **same
        )
