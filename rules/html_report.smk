"""The HTML report: one HTML file with all tables, figures and samples, for a browser without network.

in   results/{benchmark}/metrics/*.csv, results/figures/*, results/metrics/inference.csv;
     results/{benchmark}/{outputs,verdicts,scores}/… with their provenances, and the prompts
out  results/report.html: docs/results.md
"""

ANSWERED = STEPS.answered_files()
# Without those that only have released scores, whose samples cannot be shown.
EVALUATED = [name for name in RUN.running if RUN.evaluated_models(name)]


rule html_report:
    input:
        metrics=in_results(contents.metrics(RUN)),
        figures=[
            path
            for name in RUN.running
            for path in FIGURES[name]
            if path.endswith((".svg", ".txt"))
        ],
        usage="<results>/metrics/inference.csv",
        answered=in_results(ANSWERED),
        prompts=[
            RUN.evaluated_prompts(name, part) for name in EVALUATED for part in TASKS[name].parts
        ],
        sources=[path for name in EVALUATED for path in RUN.all_sources(name)],
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
        **STEPS.html_report()._asdict(),
        nondeterminism=STEPS.measured_nondeterminism(RESULTS),
        display=SETUP.display,
        made_from=input_digests(ANSWERED),
        measured_from={name: STEPS.metrics(name).input_digest for name in RUN.running},
    script:
        "../scripts/steadfast/html_report/write.py"
