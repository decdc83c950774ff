"""A trial, where the config has a limit: a few prompts of each task and part (docs/checks.md).

in   results/{benchmark}/prompts/{part}.jsonl
out  results/{benchmark}/trial/{part}.jsonl: those that are asked; all that follows takes these
"""


rule trial_prompts:
    input:
        prompts="<results>/{benchmark}/prompts/{part}.jsonl",
    output:
        prompts="<results>/{benchmark}/trial/{part}.jsonl",
    log:
        "<logs>/{benchmark}/trial/{part}.log",
    benchmark:
        "<benchmarks>/{benchmark}/trial/{part}.tsv"
    localrule: True
    conda:
        "../envs/base.yaml"
    resources:
        mem_mb=2000,
    params:
        **made(lambda w: STEPS.asked(w.benchmark, w.part)),
        limit=CONFIG.limit,
        together=lambda w: TASKS[w.benchmark].trial.together,
        spread=lambda w: list(TASKS[w.benchmark].trial.spread),
        seed=CONFIG.seed,
    script:
        "../scripts/steadfast/stages/choose_prompts.py"
