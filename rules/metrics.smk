"""Metrics of all models, as tidy CSV files.

in   results/{benchmark}/scores/{model}/{part}.jsonl
out  results/lifbench/metrics/*.csv (LIFBench, section 4 and beyond it): ars, ifp, ifs, coverage,
     comparisons, variance, depth, rubrics, headline
     results/{benchmark}/metrics/*.csv of the judged benchmarks: docs/{benchmark}.md; coverage and
     headline are among them
"""


rule lifbench_metrics:
    input:
        scores=expand(
            "results/lifbench/scores/{model}/{length}.jsonl",
            model=CONFIG.running,
            length=lifbench.parts(CONFIG),
        ),
        code=code(
            "metrics",
            "lifbench/metrics.py",
            "lifbench/headline.py",
            "lifbench/tasks.py",
            "files.py",
        ),
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


for name in JUDGED:

    rule:
        name:
            f"{name}_metrics"
        input:
            scores=expand(
                "results/{benchmark}/scores/{model}/{part}.jsonl",
                benchmark=name,
                model=settings.models_of(CONFIG, name),
                part=benchmark(name).parts(CONFIG),
            ),
            sources=sources_of(CONFIG, name),
            files=list(benchmark(name).metrics_files(CONFIG).values()),
            code=code("metrics", "files.py", *benchmark(name).METRICS_CODE),
            facts=benchmark(name).METRICS_FACTS,
        output:
            metrics=expand(
                "results/{benchmark}/metrics/{metric}.csv",
                benchmark=name,
                metric=benchmark(name).METRICS,
            ),
        log:
            f"results/logs/{name}/metrics.log",
        benchmark:
            f"results/benchmarks/{name}/metrics.tsv"
        localrule: True
        conda:
            "../envs/base.yaml"
        threads: 1
        resources:
            mem_mb=4000,
            runtime=30,
        params:
            benchmark=name,
            models=settings.models_of(CONFIG, name),
            sources={
                part: benchmark(name).sources(CONFIG, part)
                for part in benchmark(name).parts(CONFIG)
            },
            settings=benchmark(name).metrics_settings(CONFIG),
            files=benchmark(name).metrics_files(CONFIG),
        script:
            "../scripts/benchmark_metrics.py"
