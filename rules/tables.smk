"""Tables and figures, from metrics alone; how they look is in the config's display.

in   results/{benchmark}/metrics/*.csv; of LIFBench also the scores of one model, for the samples'
     names
out  results/{benchmark}/tables/{table}.{tex,md,csv}; with released scores of LIFBench also
     reproduction: the paper's printed cells beside ours
     results/figures/{benchmark}_{figure}.png
     results/tables/: the report, and the tables of all benchmarks that run
"""


rule lifbench_tables:
    input:
        **rules.lifbench_metrics.output,
        # Any model's scores name the samples.
        samples=expand(
            "results/lifbench/scores/{model}/{length}.jsonl",
            model=CONFIG.running[:1],
            length=lifbench.parts(CONFIG),
        ),
        code=code("tables", "metrics/tidy.py", "lifbench/tables", "lifbench/tasks.py"),
        facts=expand("resources/lifbench/{facts}.yaml", facts=["tables", "rubric"]),
    output:
        tables=[f"results/lifbench/tables/{name}" for name in lifbench.table_files()],
    log:
        "results/logs/lifbench/tables.log",
    benchmark:
        "results/benchmarks/lifbench/tables.tsv"
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        lengths=lifbench.parts(CONFIG),
        display=settings.display(CONFIG),
        weighting=CONFIG.lifbench.weighting,
        rubric=CONFIG.lifbench.rubric,
    script:
        "../scripts/lifbench_tables.py"


rule lifbench_figures:
    input:
        **rules.lifbench_metrics.output,
        code=code("tables/roster.py", "metrics/tidy.py", "lifbench/figures.py"),
        facts="resources/lifbench/tables.yaml",
    output:
        ars_by_length="results/figures/lifbench_ars_by_length.png",
    log:
        "results/logs/lifbench/figures.log",
    benchmark:
        "results/benchmarks/lifbench/figures.tsv"
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        display=settings.display(CONFIG),
    script:
        "../scripts/lifbench_figures.py"


if SCORED:
    PRINTED = os.listdir(os.path.join(workflow.basedir, "resources/lifbench/printed"))

    rule lifbench_reproduction:
        input:
            **rules.lifbench_metrics.output,
            samples=rules.lifbench_tables.input.samples,
            code=[*rules.lifbench_tables.input.code, *code("lifbench/reproduction.py")],
            facts=rules.lifbench_tables.input.facts,
            printed=expand("resources/lifbench/printed/{file}", file=sorted(PRINTED)),
        output:
            tables=multiext("results/lifbench/tables/reproduction", ".tex", ".md", ".csv"),
        log:
            "results/logs/lifbench/reproduction.log",
        benchmark:
            "results/benchmarks/lifbench/reproduction.tsv"
        localrule: True
        conda:
            "../envs/base.yaml"
        threads: 1
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            lengths=lifbench.parts(CONFIG),
            models=SCORED,
        script:
            "../scripts/lifbench_reproduction.py"


for name in JUDGED:

    rule:
        name:
            f"{name}_tables"
        input:
            metrics=getattr(rules, f"{name}_metrics").output.metrics,
            code=code("tables", "metrics/tidy.py", *benchmark(name).TABLES_CODE),
            facts=benchmark(name).TABLES_FACTS,
        output:
            tables=expand(
                "results/{benchmark}/tables/{table}.{kind}",
                benchmark=name,
                table=benchmark(name).table_names(CONFIG),
                kind=["tex", "md", "csv"],
            ),
        log:
            f"results/logs/{name}/tables.log",
        benchmark:
            f"results/benchmarks/{name}/tables.tsv"
        localrule: True
        conda:
            "../envs/base.yaml"
        threads: 1
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            benchmark=name,
            display=settings.display(CONFIG),
            settings=benchmark(name).tables_settings(CONFIG),
        script:
            "../scripts/benchmark_tables.py"

    rule:
        name:
            f"{name}_figures"
        input:
            metrics=getattr(rules, f"{name}_metrics").output.metrics,
            code=code("tables/roster.py", "metrics/tidy.py", *benchmark(name).TABLES_CODE),
            facts=benchmark(name).TABLES_FACTS,
        output:
            figures=expand(
                "results/figures/{benchmark}_{figure}.png",
                benchmark=name,
                figure=benchmark(name).FIGURES,
            ),
        log:
            f"results/logs/{name}/figures.log",
        benchmark:
            f"results/benchmarks/{name}/figures.tsv"
        localrule: True
        conda:
            "../envs/base.yaml"
        threads: 1
        resources:
            mem_mb=2000,
            runtime=10,
        params:
            benchmark=name,
            display=settings.display(CONFIG),
        script:
            "../scripts/benchmark_figures.py"


TABLES = {
    "lifbench": [
        *rules.lifbench_tables.output.tables,
        *(rules.lifbench_reproduction.output.tables if SCORED else []),
    ],
    **{name: getattr(rules, f"{name}_tables").output.tables for name in JUDGED},
}
FIGURES = {name: getattr(rules, f"{name}_figures").output for name in BENCHMARKS}


rule tables:
    input:
        tables=[
            *rules.report.output.tables,
            *(file for name in CONFIG.benchmarks for file in TABLES[name]),
        ],
    output:
        directory("results/tables"),
    log:
        "results/logs/tables.log",
    benchmark:
        "results/benchmarks/tables.tsv"
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    script:
        "../scripts/tables.py"
