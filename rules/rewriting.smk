"""Rewriting: what models are asked to reword before there are prompts, and their replies.

in   the data file that a benchmark's rewriting names: requests in the shape of judge prompts
out  results/{benchmark}/rewrites/{rewriter}.jsonl: one reply a request
     results/{benchmark}/rewrites/{rewriter}.identity.json: what produced them
also results/journal/rewrites/{rewriter}/: the replies as they come, as for answers
"""


# The engine rule with a rewriter for its model.
use rule inference as rewrites with:
    input:
        prompts=lambda w: in_results([RUN.rewriting(w.benchmark).requests]),
        replay=lambda w: settings.replay_file(RUN.answering(w), w.benchmark, REWRITES) or [],
    output:
        outputs="<results>/{benchmark}/rewrites/{rewriter}.jsonl",
        identity="<results>/{benchmark}/rewrites/{rewriter}.identity.json",
    log:
        "<logs>/{benchmark}/rewrites/{rewriter}.log",
    benchmark:
        "<benchmarks>/{benchmark}/rewrites/{rewriter}.tsv"
    wildcard_constraints:
        benchmark="|".join(name for name in TASKS if TASKS[name].rewriting) or "none",
    params:
        answers=lambda w: settings.answer_settings(RUN.answering(w)),
        readable=lambda w: RUN.rewriting(w.benchmark).readable.plain,
        stand_in=lambda w: plain(RUN.stand_in(w)),
        attempts=lambda w: RUN.rewriting(w.benchmark).attempts,
        code=lambda w: STEPS.rewrites(w.benchmark, w.rewriter).code,
        lineage=lambda w: STEPS.rewrites(w.benchmark, w.rewriter).lineage,
