"""Rewriting: rewriters' paraphrases of instructions, of which prompts are made.

in   the data file that a benchmark's rewriting names: requests in the shape of judge prompts
out  results/{benchmark}/rewrites/{rewriter}/{part}.jsonl: a reply to each request of a round
     results/{benchmark}/rewrites/{rewriter}/{part}.provenance.json: what produced them
also results/journal/rewrites/{rewriter}/: the journal, as of rule inference
"""


# Rewriters are queried as models are: rule inference with other inputs and outputs.
use rule inference as rewrites with:
    input:
        # A rewriter is shown no more than its requests.
        prompts=lambda w: f"<results>/{RUN.prompts(Job.of(w))}",
        replay=lambda w: RUN.replayed(Job.of(w)) or [],
    output:
        outputs="<results>/{benchmark}/rewrites/{rewriter}/{part}.jsonl",
        provenance="<results>/{benchmark}/rewrites/{rewriter}/{part}.provenance.json",
    log:
        "<logs>/{benchmark}/rewrites/{rewriter}/{part}.log",
    benchmark:
        "<benchmarks>/{benchmark}/rewrites/{rewriter}/{part}.tsv"
    wildcard_constraints:
        benchmark=one_of(name for name in TASKS if TASKS[name].rewriting),
        part=one_of(dict.fromkeys(job.part for job in RUN.rewrites.values())),
