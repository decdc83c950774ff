"""Bundle: a run as one file that another machine makes the same tables of (docs/share.md).

in   results/tables; data, prompts, outputs, verdicts, scores and metrics of the benchmarks that run
out  results/bundle.zip: these, the config with its defaults, the journals' final responses
"""

from steadfast.config.portable import outside_paths, portable


rule bundle:
    input:
        tables="<results>/tables",
        answers=lambda w: in_results(contents.required_answers(RUN, STEPS)),
        scores=in_results(contents.scores(RUN)),
        metrics=in_results(contents.metrics(RUN)),
    output:
        bundle="<results>/bundle.zip",
    log:
        "<logs>/bundle.log",
    benchmark:
        "<benchmarks>/bundle.tsv"
    localrule: True
    conda:
        "../envs/base.yaml"
    resources:
        mem_mb=4000,
    params:
        **provenance(lambda w: STEPS.bundle()),
        **({"rounds": RUN.rounds} if RUN.rounds else {}),
        config=lambda w: portable(CONFIG),
        shortened=lambda w: outside_paths(CONFIG.model_dump(mode="json")),
        own_files=lambda w: contents.own_files(RUN),
        key_variables=settings.key_variables(CONFIG),
        input_digests=lambda w: contents.available_answers(RUN, STEPS, MEASURED),
    script:
        "../scripts/steadfast/share/bundle.py"
