"""Tables, figures and the summary, from metrics alone; how they look is in the config's display.

in   results/{benchmark}/metrics/*.csv
out  results/{benchmark}/tables/{table}.{tex,md,csv}
     results/figures/{benchmark}_{figure}.{pdf,svg,png}, and .txt: its caption
     results/summary/{summary,summary_correlations}.{tex,md,csv}: all models on all benchmarks
     results/tables/: the summary, and the tables of all benchmarks that run
Tables, and figures with their captions, stand in Snakemake's report.
"""

from steadfast.show.roster import SUMMARY_TABLES

KINDS = ["tex", "md", "csv"]
SUMMARY = expand("<results>/summary/{name}.{kind}", name=SUMMARY_TABLES, kind=KINDS)
TABLES = {}
FIGURES = {}

for name in TASKS:
    TASK = TASKS[name]
    TABLES[name] = expand(
        "<results>/{benchmark}/tables/{table}.{kind}",
        benchmark=name,
        table=TASK.tables.names,
        kind=KINDS,
    )
    FIGURES[name] = expand(
        "<results>/figures/{benchmark}_{figure}.{kind}",
        benchmark=name,
        figure=TASK.figures.names,
        kind=["pdf", "svg", "png", "txt"],
    )
    # Settings of tables and figures, and notes on the data.
    SHOWN = {"display": SETUP.display_of(name), "data_notes": SETUP.data_notes(name)}

    rule:
        name:
            f"{name}_tables"
        input:
            metrics=METRICS[name],
            provenance=f"<results>/{name}/metrics/provenance.json",
        output:
            tables=TABLES[name],
            provenance=f"<results>/{name}/tables/provenance.json",
        log:
            f"<logs>/{name}/tables.log",
        benchmark:
            f"<benchmarks>/{name}/tables.tsv"
        localrule: True
        conda:
            "../envs/base.yaml"
        resources:
            mem_mb=2000,
        params:
            **provenance(STEPS.tables(name)),
            **SHOWN,
            tables=TASK.tables.function.plain,
            metrics=list(TASK.metrics.names),
        script:
            "../scripts/steadfast/stages/tabulate.py"

    rule:
        name:
            f"{name}_figures"
        input:
            metrics=METRICS[name],
            provenance=f"<results>/{name}/metrics/provenance.json",
        output:
            figures=[in_report(figure) for figure in FIGURES[name]],
            provenance=f"<results>/figures/{name}.provenance.json",
        log:
            f"<logs>/{name}/figures.log",
        benchmark:
            f"<benchmarks>/{name}/figures.tsv"
        localrule: True
        conda:
            "../envs/base.yaml"
        resources:
            mem_mb=2000,
        params:
            **provenance(STEPS.figures(name)),
            **SHOWN,
            figures=TASK.figures.function.plain,
            names=list(TASK.figures.names),
            metrics=list(TASK.metrics.names),
        script:
            "../scripts/steadfast/stages/draw.py"


rule figures:
    input:
        [FIGURES[name] for name in CONFIG.benchmarks],
    localrule: True


# Files of run-to-run variation, where it was measured, each with its input digest and sha256.
MEASURED = STEPS.measured_nondeterminism(RESULTS)


rule summary:
    input:
        summaries=expand("<results>/{benchmark}/metrics/summary.csv", benchmark=RUN.running),
    output:
        tables=SUMMARY,
        provenance="<results>/summary/provenance.json",
    log:
        "<logs>/summary.log",
    benchmark:
        "<benchmarks>/summary.tsv"
    localrule: True
    conda:
        "../envs/base.yaml"
    resources:
        mem_mb=1000,
    params:
        **provenance(STEPS.summary(), MEASURED),
        nondeterminism=MEASURED,
        benchmarks=RUN.summary_inputs,
        display=SETUP.display_of(*RUN.running),
        data_notes=SETUP.data_notes(*RUN.running),
    script:
        "../scripts/steadfast/stages/write_summary.py"


rule tables:
    input:
        tables=[SUMMARY, [TABLES[name] for name in CONFIG.benchmarks]],
    output:
        report(
            directory("<results>/tables"),
            patterns=["{table}.csv"],
            caption="../resources/report/table.rst",
            category="Tables",
            subcategory=lambda w: report_items.heading(w.table, SETUP.titles),
            labels=lambda w: {"table": report_items.label(w.table, SETUP.titles)},
        ),
    log:
        "<logs>/tables.log",
    benchmark:
        "<benchmarks>/tables.tsv"
    localrule: True
    conda:
        "../envs/base.yaml"
    resources:
        mem_mb=500,
    params:
        **provenance(STEPS.collected_tables()),
    script:
        "../scripts/steadfast/stages/collect.py"
