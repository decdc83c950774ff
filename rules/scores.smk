"""Scores: each response by the benchmark's rubric or rules.

in   results/{benchmark}/outputs/{model}/{part}.jsonl, its prompts and what they refer to; of
     judged benchmarks results/{benchmark}/verdicts/{judge}/{model}/{part}.jsonl;
     for models with engine scored the released scores of LIFBench, from a directory or the web
out  results/{benchmark}/scores/{model}/{part}.jsonl: points, total, what was extracted
"""

from steadfast.lifbench.released_scores import local_files

SCORED = settings.scored_models(CONFIG)

# One job for all of them: each released file holds every model and length.
if SCORED:

    rule released_scores:
        input:
            files=local_files(CONFIG.lifbench.released.directory, lifbench.tasks(CONFIG)),
            code=code(
                "lifbench/released_scores.py",
                "lifbench/released.py",
                "pinned.py",
                "lifbench/paper.py",
                "lifbench/tasks.py",
                "files.py",
            ),
            facts=expand(
                "resources/lifbench/{facts}.yaml",
                facts=["released", "paper_models", "tasks", "rubric"],
            ),
        output:
            scores=expand(
                "results/lifbench/scores/{model}/{length}.jsonl",
                model=SCORED,
                length=lifbench.parts(CONFIG),
            ),
        log:
            "results/logs/lifbench/released_scores.log",
        benchmark:
            "results/benchmarks/lifbench/released_scores.tsv"
        localrule: True
        conda:
            "../envs/base.yaml"
        threads: 1
        resources:
            mem_mb=1000,
            runtime=10,
        params:
            models=SCORED,
            lengths=lifbench.parts(CONFIG),
            tasks=lifbench.tasks(CONFIG),
            directory=CONFIG.lifbench.released.directory,
        script:
            "../scripts/released_scores.py"


rule scores:
    input:
        prompts="results/{benchmark}/prompts/{part}.jsonl",
        sources=lambda w: paths(benchmark(w.benchmark).sources(CONFIG, w.part)),
        outputs="results/{benchmark}/outputs/{model}/{part}.jsonl",
        verdicts=lambda w: expand(
            "results/{{benchmark}}/verdicts/{judge}/{{model}}/{{part}}.jsonl",
            judge=judges_of(CONFIG, w.benchmark),
        ),
        code=lambda w: code("asked.py", *benchmark(w.benchmark).SCORING_CODE),
        facts=lambda w: benchmark(w.benchmark).SCORING_FACTS,
    output:
        scores="results/{benchmark}/scores/{model}/{part}.jsonl",
    log:
        "results/logs/{benchmark}/scores/{model}/{part}.log",
    benchmark:
        "results/benchmarks/{benchmark}/scores/{model}/{part}.tsv"
    wildcard_constraints:
        model="|".join(map(re.escape, settings.asked_models(CONFIG))) or "(?!)",
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        settings=lambda w: benchmark(w.benchmark).scoring_settings(CONFIG),
        judges=lambda w: judges_of(CONFIG, w.benchmark),
        sources=lambda w: benchmark(w.benchmark).sources(CONFIG, w.part),
    script:
        "../scripts/scores.py"
