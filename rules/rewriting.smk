"""Rewriting: what models are asked to reword before there are prompts, and their replies.

in   the data file that a benchmark's rewriting names: requests in the shape of judge prompts
out  results/{benchmark}/rewrites/{rewriter}/{part}.jsonl: one reply a request of a round
     results/{benchmark}/rewrites/{rewriter}/{part}.identity.json: what produced them
also results/journal/rewrites/{rewriter}/: the replies as they come, as for answers
"""


# The engine rule with a rewriter for its model.
use rule inference as rewrites with:
    input:
        prompts=lambda w: f"<results>/{RUN.rewriting(w.benchmark).requests[w.part]}",
        replay=lambda w: settings.replay_file(RUN.answering(w), w.benchmark, w.part) or [],
    output:
        outputs="<results>/{benchmark}/rewrites/{rewriter}/{part}.jsonl",
        identity="<results>/{benchmark}/rewrites/{rewriter}/{part}.identity.json",
    log:
        "<logs>/{benchmark}/rewrites/{rewriter}/{part}.log",
    benchmark:
        "<benchmarks>/{benchmark}/rewrites/{rewriter}/{part}.tsv"
    wildcard_constraints:
        benchmark="|".join(name for name in TASKS if TASKS[name].rewriting) or "none",
        part="|".join({round: 0 for _, _, round in RUN.rewrites.values()}) or "none",
    params:
        answers=lambda w: settings.answer_settings(RUN.answering(w)),
        sources=[],  # a rewriter is shown no more than its requests
        readable=lambda w: RUN.rewriting(w.benchmark).readable.plain,
        stand_in=lambda w: plain(RUN.stand_in(w)),
        attempts=lambda w: RUN.rewriting(w.benchmark).attempts,
        code=lambda w: STEPS.rewrites(w.benchmark, w.rewriter, w.part).code,
        lineage=lambda w: STEPS.rewrites(w.benchmark, w.rewriter, w.part).lineage,
