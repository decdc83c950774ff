"""A trial, where the config has a limit: a few prompts of each task and part (docs/checks.md).

in   results/{benchmark}/prompts/{part}.jsonl
out  results/{benchmark}/trial/{part}.jsonl: the evaluated prompts; all that follows uses these
     results/{benchmark}/rounds/{rounds}/{part}.jsonl: of an adaptive run, those of its first rounds
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
        **provenance(lambda w: STEPS.evaluated_prompts(w.benchmark, w.part)),
        limit=CONFIG.limit,
        together=lambda w: TASKS[w.benchmark].trial.together,
        spread=lambda w: list(TASKS[w.benchmark].trial.spread),
        seed=CONFIG.seed,
    script:
        "../scripts/steadfast/stages/choose_prompts.py"


rule round_prompts:
    input:
        prompts="<results>/{benchmark}/prompts/{part}.jsonl",
    output:
        prompts="<results>/{benchmark}/rounds/{rounds}/{part}.jsonl",
    log:
        "<logs>/{benchmark}/rounds/{rounds}/{part}.log",
    benchmark:
        "<benchmarks>/{benchmark}/rounds/{rounds}/{part}.tsv"
    wildcard_constraints:
        rounds="[0-9]+",
    localrule: True
    conda:
        "../envs/base.yaml"
    resources:
        mem_mb=2000,
    params:
        **provenance(lambda w: STEPS.evaluated_prompts(w.benchmark, w.part, int(w.rounds))),
        contexts=CONFIG.adaptive.contexts if CONFIG.adaptive else None,
        seed=CONFIG.seed,
    script:
        "../scripts/steadfast/stages/choose_prompts.py"
