"""Prompts: the prompts of each part of a benchmark.

in   the data files that the part's prompts refer to
out  results/{benchmark}/prompts/{part}.jsonl: instructions, which refer to their contexts
"""


rule prompts:
    input:
        sources=lambda w: RUN.sources(w.benchmark, w.part),
    output:
        prompts="<results>/{benchmark}/prompts/{part}.jsonl",
    log:
        "<logs>/{benchmark}/prompts/{part}.log",
    benchmark:
        "<benchmarks>/{benchmark}/prompts/{part}.tsv"
    localrule: True
    conda:
        "../envs/base.yaml"
    resources:
        mem_mb=2000,
    params:
        **provenance(lambda w: STEPS.prompts(w.benchmark, w.part)),
        prompts=lambda w: TASKS[w.benchmark].prompts.plain,
        sources=lambda w: RUN.source_keys(w.benchmark, w.part),
    script:
        "../scripts/steadfast/stages/write_prompts.py"
