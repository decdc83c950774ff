"""Scores: each response by the benchmark's rubric or rules.

in   results/{benchmark}/outputs/{model}/{part}.jsonl, its prompts and what they refer to; of
     judged benchmarks results/{benchmark}/verdicts/{judge}/{model}/{part}.jsonl;
     for models with engine scored the scores that a benchmark's authors released
out  results/{benchmark}/scores/{model}/{part}.jsonl: points, total, what was extracted
     results/{benchmark}/scores/{model}/{part}.provenance.json: what they were made from
"""

for name in TASKS:
    if RUN.scored and TASKS[name].released_scores:

        SCORES = expand(
            "<results>/{benchmark}/scores/{model}/{part}",
            benchmark=name,
            model=RUN.scored,
            part=TASKS[name].parts,
        )

        # One job for all of them: each released file holds every model and part.
        rule:
            name:
                f"{name}_released_scores"
            input:
                files=TASKS[name].released_files,
            output:
                scores=[f"{path}.jsonl" for path in SCORES],
                provenances=[f"{path}.provenance.json" for path in SCORES],
            log:
                f"<logs>/{name}/released_scores.log",
            benchmark:
                f"<benchmarks>/{name}/released_scores.tsv"
            localrule: True
            conda:
                "../envs/base.yaml"
            resources:
                mem_mb=1000,
            params:
                **STEPS.released_scores(name),
                released=TASKS[name].released_scores.plain,
                models=RUN.scored,
                parts=list(TASKS[name].parts),
            script:
                "../scripts/steadfast/stages/release_scores.py"


rule scores:
    input:
        prompts=lambda w: RUN.evaluated_prompts(w.benchmark, w.part, w.model),
        sources=lambda w: RUN.sources(w.benchmark, w.part),
        outputs="<results>/{benchmark}/outputs/{model}/{part}.jsonl",
        verdicts=lambda w: expand(
            "<results>/{benchmark}/verdicts/{judge}/{model}/{part}.jsonl",
            judge=RUN.judges_of(w.benchmark, w.model),
            **w,
        ),
    output:
        scores="<results>/{benchmark}/scores/{model}/{part}.jsonl",
        provenance="<results>/{benchmark}/scores/{model}/{part}.provenance.json",
    log:
        "<logs>/{benchmark}/scores/{model}/{part}.log",
    benchmark:
        "<benchmarks>/{benchmark}/scores/{model}/{part}.tsv"
    wildcard_constraints:
        model=one_of(settings.queried_models(CONFIG)),
    localrule: True
    conda:
        "../envs/base.yaml"
    resources:
        mem_mb=2000,
    params:
        **provenance(lambda w: STEPS.scores(w.benchmark, w.model, w.part)),
        samples=lambda w: TASKS[w.benchmark].samples.plain,
        scoring=lambda w: TASKS[w.benchmark].scoring.plain,
        judges=lambda w: RUN.judges_of(w.benchmark, w.model),
        majority=CONFIG.judging.count == "majority",
        sources=lambda w: RUN.source_keys(w.benchmark, w.part),
        repeats=lambda w: CONFIG.models[w.model].repeats,
    script:
        "../scripts/steadfast/stages/score.py"
