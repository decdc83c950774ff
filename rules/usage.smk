"""Usage: what inference took, per job; judging is inference.

in   results/{benchmark}/outputs/{model}/{part}.jsonl, results/{benchmark}/verdicts/…;
     results/journal/…/*.run.json, the run records, which are not Snakemake's
out  results/metrics/inference.csv: logical, computed and cached prompt tokens, hit rate, output
     tokens, wall time, runs, retries, failures. The one result that differs between two runs.
"""

INFERENCE_JOBS = [
    (name, model, part, judge)
    for name in CONFIG.benchmarks
    for model in ASKED
    for part in benchmark(name).parts(CONFIG)
    for judge in ["", *judges_of(CONFIG, name)]
]


rule inference_metrics:
    input:
        outputs=[
            f"results/{name}/{f'verdicts/{judge}' if judge else 'outputs'}/{model}/{part}.jsonl"
            for name, model, part, judge in INFERENCE_JOBS
        ],
        code=code("usage.py", "engines/record.py", "files.py"),
    output:
        usage="results/metrics/inference.csv",
    log:
        "results/logs/inference_metrics.log",
    benchmark:
        "results/benchmarks/inference_metrics.tsv"
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        jobs=INFERENCE_JOBS,
    script:
        "../scripts/inference_metrics.py"
