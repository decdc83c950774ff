"""The HTML report: one HTML file with all tables, figures and samples, for a browser without network.

in   results/{benchmark}/metrics/*.csv, results/figures/*, results/metrics/inference.csv;
     results/{benchmark}/{outputs,verdicts,scores}/… with their provenances, and the prompts
out  results/report.html: docs/results.md
"""

ANSWERED = STEPS.answered_files()  # outputs, verdicts and scores, by path
# Without benchmarks that only have released scores, whose samples cannot be shown.
EVALUATED = [name for name in RUN.running if RUN.evaluated_models(name)]


rule html_report:
    input:
        metrics=in_results(contents.metrics(RUN)),
        figures=[
            expand(
                "<results>/figures/{benchmark}_{figure}.{kind}",
                benchmark=name,
                figure=TASKS[name].figures.names,
                kind=["svg", "txt"],
            )
            for name in RUN.running
        ],
        usage="<results>/metrics/inference.csv",
        answered=in_results(ANSWERED),
        prompts=[RUN.all_prompts(name) for name in EVALUATED],
        sources=[RUN.all_sources(name) for name in EVALUATED],
    output:
        report="<results>/report.html",
    log:
        "<logs>/html_report.log",
    benchmark:
        "<benchmarks>/html_report.tsv"
    localrule: True
    conda:
        "../envs/base.yaml"
    resources:
        mem_mb=4000,
    params:
        **provenance(STEPS.html_report(), MEASURED),
        nondeterminism=MEASURED,
        display=SETUP.display,
    script:
        "../scripts/steadfast/html_report/write.py"
