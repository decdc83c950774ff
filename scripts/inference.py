"""Rules inference, verdicts and rewrites: a model's, judge's or rewriter's replies."""

from pathlib import Path

from steadfast.stages.answer import Job, answer_part, judge_part, rewrite_part
from steadfast.stages.samples import PartFiles
from steadfast.workflow import run_rule

# An engine's worker processes may import this file anew, under another name.
if "snakemake" in globals() and __name__ == "__main__":
    judge, rewriter = snakemake.wildcards.get("judge"), snakemake.wildcards.get("rewriter")
    model = rewriter or snakemake.wildcards.model
    section = "judges" if judge else "rewriters" if rewriter else "models"
    operation = snakemake.config[section][judge or model]
    out, replayed = Path(snakemake.output.outputs), str(snakemake.input.get("replay") or "")
    job = Job(
        benchmark=snakemake.wildcards.benchmark,
        model=model,
        answers=snakemake.params.answers,
        operation=operation,
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
            engines=[operation],
            job=job,
            judge=judge,
            part=snakemake.wildcards.part,
            readable=snakemake.params.readable,
            attempts=snakemake.params.attempts,
            judging=Path(snakemake.input.prompts),
        )
    elif rewriter:
        run_rule(
            rewrite_part,
            snakemake.log,
            engines=[operation],
            job=job,
            round=snakemake.wildcards.part,
            readable=snakemake.params.readable,
            attempts=snakemake.params.attempts,
            requests=Path(snakemake.input.prompts),
            replayed=Path(replayed) if replayed else None,
        )
    else:
        run_rule(
            answer_part,
            snakemake.log,
            engines=[operation],
            job=job,
            part=PartFiles.of(snakemake),
            replayed=Path(replayed) if replayed else None,
        )
