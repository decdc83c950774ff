"""Run-to-run variation: a sample of the requests, sent again and again, alone and together.

in   results/{benchmark}/prompts/{part}.jsonl and the data files that its prompts refer to
out  results/nondeterminism/{benchmark}/{model}/{part}.{csv,md}: identical responses and spread of
     scores; responses that a judge would score are compared, and have no score
also results/journal/{benchmark}/{model}/{part}.nondeterminism.jsonl: the journal, as of rule inference
"""


rule nondeterminism:
    input:
        [
            expand(
                "<results>/nondeterminism/{benchmark}/{model}/{part}.md",
                benchmark=name,
                model=RUN.real_models,
                part=TASKS[name].parts,
            )
            for name in CONFIG.benchmarks
        ],
    localrule: True


rule nondeterminism_part:
    input:
        prompts=lambda w: RUN.evaluated_prompts(w.benchmark, w.part),
        sources=lambda w: RUN.sources(w.benchmark, w.part),
    output:
        csv="<results>/nondeterminism/{benchmark}/{model}/{part}.csv",
        md="<results>/nondeterminism/{benchmark}/{model}/{part}.md",
    log:
        "<logs>/{benchmark}/nondeterminism/{model}/{part}.log",
    benchmark:
        "<benchmarks>/{benchmark}/nondeterminism/{model}/{part}.tsv"
    conda:
        f"../envs/{SETUP.environment}.yaml"
    resources:
        load=SCHEDULING.load,
        mem_mb=4000,
        runtime=240,
    params:
        **provenance(lambda w: STEPS.nondeterminism(w.benchmark, w.model, w.part)),
        answers=lambda w: settings.response_settings(RUN.settings(Job.of(w))),
        nondeterminism=CONFIG.nondeterminism.model_dump(),
        seed=CONFIG.seed,
        data_note=lambda w: TASKS[w.benchmark].data_note,
        samples=lambda w: TASKS[w.benchmark].samples.plain,
        scoring=lambda w: TASKS[w.benchmark].scoring.plain,
        weights=lambda w: plain(TASKS[w.benchmark].weights),
        simulator=lambda w: plain(RUN.simulator(Job.of(w))),
        sources=lambda w: RUN.source_keys(w.benchmark, w.part),
    script:
        "../scripts/steadfast/stages/measure_nondeterminism.py"
