"""Tables, figures and the summary, from metrics alone; how they look is in the config's display.

in   results/{benchmark}/metrics/*.csv
out  results/{benchmark}/tables/{table}.{tex,md,csv}
     results/figures/{benchmark}_{figure}.{pdf,svg,png}, and .txt: its caption
     results/summary/{summary,summary_correlations}.{tex,md,csv}: all models on all benchmarks
     results/tables/: the summary, and the tables of all benchmarks that run
Tables, and figures with their captions, stand in Snakemake's report.
"""

from steadfast.show.roster import SUMMARY_TABLES, Display, adaptive_remark

KINDS = ["tex", "md", "csv"]
FIGURE_KINDS = ["pdf", "svg", "png", "txt"]
TABLES, FIGURES = {}, {}
# Notes on the data, and on the rounds of an adaptive run, whose tables follow its last decision.
DATA_NOTES = {
    name: [
        TASKS[name].data_note,
        *adaptive_remark(rounds.last_decisions(RUN, RESULTS, name), Display.of(SETUP.display)),
    ]
    for name in TASKS
}

for name in TASKS:
    TASK = TASKS[name]
    DISPLAY = SETUP.display_of([name])
    METRICS = [f"<results>/{name}/metrics/{metric}.csv" for metric in TASK.metrics.names]
    TABLES[name] = [
        f"<results>/{name}/tables/{table}.{kind}" for table in TASK.tables.names for kind in KINDS
    ]
    FIGURES[name] = [
        f"<results>/figures/{name}_{figure}.{kind}"
        for figure in TASK.figures.names
        for kind in FIGURE_KINDS
    ]

    rule:
        name:
            f"{name}_tables"
        input:
            metrics=METRICS,
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
            **STEPS.tables(name)._asdict(),
            tables=TASK.tables.function.plain,
            metrics=list(TASK.metrics.names),
            display=DISPLAY,
            data_notes=DATA_NOTES[name],
            made_from=STEPS.metrics(name).input_digest,
        script:
            "../scripts/steadfast/stages/tabulate.py"

    rule:
        name:
            f"{name}_figures"
        input:
            metrics=METRICS,
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
            **STEPS.figures(name)._asdict(),
            figures=TASK.figures.function.plain,
            names=list(TASK.figures.names),
            metrics=list(TASK.metrics.names),
            display=DISPLAY,
            data_notes=DATA_NOTES[name],
            made_from=STEPS.metrics(name).input_digest,
        script:
            "../scripts/steadfast/stages/draw.py"


rule figures:
    input:
        [FIGURES[name] for name in CONFIG.benchmarks],
    localrule: True


rule summary:
    input:
        summaries=expand("<results>/{benchmark}/metrics/summary.csv", benchmark=RUN.running),
    output:
        tables=expand("<results>/summary/{name}.{kind}", name=SUMMARY_TABLES, kind=KINDS),
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
        **STEPS.summary()._asdict(),
        nondeterminism=STEPS.measured_nondeterminism(RESULTS),
        benchmarks=RUN.reported,
        display=SETUP.display_of(RUN.running),
        data_notes=[
            *(TASKS[name].data_note for name in RUN.running),
            *(remark for name in RUN.running for remark in DATA_NOTES[name][1:]),
        ],
        made_from={name: STEPS.metrics(name).input_digest for name in RUN.running},
    script:
        "../scripts/steadfast/stages/write_summary.py"


rule tables:
    input:
        tables=[
            *expand("<results>/summary/{name}.{kind}", name=SUMMARY_TABLES, kind=KINDS),
            *(file for name in CONFIG.benchmarks for file in TABLES[name]),
        ],
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
        **STEPS.collected_tables()._asdict(),
    script:
        "../scripts/steadfast/stages/collect.py"
