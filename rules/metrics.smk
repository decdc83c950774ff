"""Metrics of all models, as tidy CSV files; a rule a benchmark.

in   results/{benchmark}/scores/{model}/{part}.jsonl; people's labels; the data where metrics need it
out  results/{benchmark}/metrics/*.csv: docs/metrics.md, docs/{benchmark}.md; coverage and summary
     are among them; results/{benchmark}/metrics/provenance.json: what they were made from
     results/{benchmark}/decisions/{rounds}.json: of an adaptive run, which models continue after a round
"""

METRICS = {}

for name in TASKS:
    METRICS[name] = expand(
        "<results>/{benchmark}/metrics/{metric}.csv",
        benchmark=name,
        metric=TASKS[name].metrics.names,
    )

    rule:
        name:
            f"{name}_metrics"
        input:
            scores=expand(
                "<results>/{benchmark}/scores/{model}/{part}.jsonl",
                benchmark=name,
                model=RUN.models_of(name),
                part=TASKS[name].parts,
            ),
            sources=RUN.all_sources(name, TASKS[name].metrics.data),
            labels=TASKS[name].labels or [],
            previous_decision=in_results(rounds.previous_decision(RUN, name)),
        output:
            **rounds.decision_output(RUN, name),
            metrics=[
                report(
                    path,
                    caption="../resources/report/metrics.rst",
                    category="Metrics",
                    subcategory=SETUP.titles[name],
                    labels={"metric": Path(path).stem},
                )
                for path in METRICS[name]
            ],
            provenance=f"<results>/{name}/metrics/provenance.json",
        log:
            f"<logs>/{name}/metrics.log",
        benchmark:
            f"<benchmarks>/{name}/metrics.tsv"
        localrule: True
        conda:
            "../envs/base.yaml"
        resources:
            mem_mb=4000,
        params:
            **provenance(STEPS.metrics(name)),
            # Only where they apply: a new param would re-run the metrics of all other configs.
            **({"adaptive": RUN.adaptive(name)} if name in RUN.rounds else {}),
            **({"partial": True} if TASKS[name].labels and RUN.evaluates_part_of(name) else {}),
            metrics=TASKS[name].metrics.function.plain,
            fields=list(TASKS[name].metrics.fields),
            names=list(TASKS[name].metrics.names),
            models=RUN.models_of(name),
            parts=list(TASKS[name].parts),
            sources=RUN.all_source_keys(name, TASKS[name].metrics.data),
        script:
            "../scripts/steadfast/stages/measure.py"
