"""Scores: each response by the benchmark's rubric or rules.

in   results/{benchmark}/outputs/{model}/{part}.jsonl, its prompts and what they refer to
out  results/{benchmark}/scores/{model}/{part}.jsonl: points, total, what was extracted
"""


rule scores:
    input:
        prompts="results/{benchmark}/prompts/{part}.jsonl",
        sources=lambda w: paths(benchmark(w.benchmark).sources(CONFIG, w.part)),
        outputs="results/{benchmark}/outputs/{model}/{part}.jsonl",
        code=lambda w: code(*benchmark(w.benchmark).SCORING_CODE),
        facts=lambda w: benchmark(w.benchmark).SCORING_FACTS,
    output:
        scores="results/{benchmark}/scores/{model}/{part}.jsonl",
    log:
        "results/logs/{benchmark}/scores/{model}/{part}.log",
    benchmark:
        "results/benchmarks/{benchmark}/scores/{model}/{part}.tsv"
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        rubric=lambda w: getattr(CONFIG, w.benchmark).rubric,
        sources=lambda w: benchmark(w.benchmark).sources(CONFIG, w.part),
    script:
        "../scripts/scores.py"
