"""Tables and figures, from metrics alone; how they look is in the config's display.

in   results/lifbench/metrics/*.csv, results/lifbench/prompts/*.jsonl
out  results/lifbench/tables/{table}.{tex,md,csv}
     results/figures/lifbench_ars_by_length.png
     results/tables/: the tables of all benchmarks that run
"""


rule lifbench_tables:
    input:
        **rules.lifbench_metrics.output,
        prompts=expand("results/lifbench/prompts/{length}.jsonl", length=lifbench.parts(CONFIG)),
        code=code("tables", "metrics/tidy.py", "lifbench/tables.py", "lifbench/tasks.py"),
        facts="resources/lifbench/tables.yaml",
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


rule tables:
    input:
        tables=rules.lifbench_tables.output.tables,
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
