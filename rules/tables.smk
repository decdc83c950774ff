"""Tables and figures, from metrics alone; how they look is in the config's display.

in   results/lifbench/metrics/*.csv, and the scores of one model, for the samples' names
out  results/lifbench/tables/{table}.{tex,md,csv}; with released scores also reproduction: the
     paper's printed cells beside ours
     results/figures/lifbench_ars_by_length.png
     results/tables/: the tables of all benchmarks that run
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


rule tables:
    input:
        tables=[
            *rules.lifbench_tables.output.tables,
            *(rules.lifbench_reproduction.output.tables if SCORED else []),
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
