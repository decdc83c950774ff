"""Report: all models on all benchmarks that run, by their main measures.

in   results/{benchmark}/metrics/headline.csv
out  results/report/{report,report_correlations}.{tex,md,csv}
"""


rule report:
    input:
        headlines=expand("results/{benchmark}/metrics/headline.csv", benchmark=CONFIG.benchmarks),
        code=code("report.py", "tables", "metrics", "files.py"),
        facts="resources/report.yaml",
    output:
        tables=expand("results/report/{name}.{kind}", name=REPORT, kind=["tex", "md", "csv"]),
    log:
        "results/logs/report.log",
    benchmark:
        "results/benchmarks/report.tsv"
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        benchmarks=CONFIG.benchmarks,
        display=settings.display(CONFIG),
    script:
        "../scripts/report.py"
