"""Rule inference: one model's responses to one part; rule verdicts: a judge's about them."""

from pathlib import Path

from steadfast.stages.answer import Job, answer_part, judge_part
from steadfast.stages.samples import PartFiles
from steadfast.workflow import run_rule

# An engine's worker processes may import this file anew, under another name.
if "snakemake" in globals() and __name__ == "__main__":
    judge, model = snakemake.wildcards.get("judge"), snakemake.wildcards.model
    out, replayed = Path(snakemake.output.outputs), snakemake.input.get("replay")
    job = Job(
        benchmark=snakemake.wildcards.benchmark,
        model=model,
        answers=snakemake.params.answers,
        operation=snakemake.config["judges"][judge] if judge else snakemake.config["models"][model],
        stand_in=snakemake.params.stand_in,
        lineage=snakemake.params.lineage,
        results=out.parents[4 if judge else 3],
        out=out,
        identity_out=Path(snakemake.output.identity),
        log=Path(snakemake.log[0]),
    )
    if judge:
        run_rule(
            judge_part,
            snakemake.log,
            job=job,
            judge=judge,
            part=snakemake.wildcards.part,
            readable=snakemake.params.readable,
            attempts=snakemake.params.attempts,
            judging=Path(snakemake.input.prompts),
        )
    else:
        run_rule(
            answer_part,
            snakemake.log,
            job=job,
            part=PartFiles.of(snakemake),
            replayed=Path(str(replayed)) if replayed else None,
        )
