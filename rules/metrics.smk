"""Metrics of LIFBench (section 4 and beyond it), of all models, as tidy CSV files.

in   results/lifbench/scores/{model}/{length}.jsonl
out  results/lifbench/metrics/{ars,ifp,ifs,coverage,comparisons,variance,depth,rubrics}.csv
"""


rule lifbench_metrics:
    input:
        scores=expand(
            "results/lifbench/scores/{model}/{length}.jsonl",
            model=CONFIG.running,
            length=lifbench.parts(CONFIG),
        ),
        code=code("metrics", "lifbench/metrics.py", "lifbench/tasks.py", "files.py"),
        facts=["resources/lifbench/rubric.yaml", "resources/lifbench/tasks.yaml"],
    output:
        **{name: f"results/lifbench/metrics/{name}.csv" for name in lifbench.METRICS},
    log:
        "results/logs/lifbench/metrics.log",
    benchmark:
        "results/benchmarks/lifbench/metrics.tsv"
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        models=CONFIG.running,
        lengths=lifbench.parts(CONFIG),
        weighting=CONFIG.lifbench.weighting,
        rubric=CONFIG.lifbench.rubric,
        references=settings.references(CONFIG),
    script:
        "../scripts/lifbench_metrics.py"
