"""Judging: what is asked of a judge about each answer, and the judges' replies.

in   results/{benchmark}/outputs/{model}/{part}.jsonl, its prompts and data; the judge templates
out  results/{benchmark}/judging/{model}/{part}.jsonl: judge prompts, a record an answer
     results/{benchmark}/verdicts/{judge}/{model}/{part}.jsonl: one reply a judge prompt
     results/{benchmark}/verdicts/{judge}/{model}/{part}.identity.json: what produced them
also results/journal/verdicts/{judge}/: the replies as they come, as for answers
"""


wildcard_constraints:
    judge="[A-Za-z0-9._-]+",


rule judge_prompts:
    input:
        prompts="results/{benchmark}/prompts/{part}.jsonl",
        sources=lambda w: paths(benchmark(w.benchmark).sources(CONFIG, w.part)),
        outputs="results/{benchmark}/outputs/{model}/{part}.jsonl",
        templates=lambda w: benchmark(w.benchmark).templates(CONFIG).values(),
        code=lambda w: code("judging", "asked.py", "files.py", *benchmark(w.benchmark).JUDGING_CODE),
        facts=lambda w: benchmark(w.benchmark).JUDGING_FACTS,
    output:
        judging="results/{benchmark}/judging/{model}/{part}.jsonl",
    log:
        "results/logs/{benchmark}/judging/{model}/{part}.log",
    benchmark:
        "results/benchmarks/{benchmark}/judging/{model}/{part}.tsv"
    wildcard_constraints:
        benchmark="|".join(JUDGED),
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        sources=lambda w: benchmark(w.benchmark).sources(CONFIG, w.part),
        templates=lambda w: benchmark(w.benchmark).templates(CONFIG),
        settings=lambda w: benchmark(w.benchmark).judge_settings(CONFIG),
    script:
        "../scripts/judge_prompts.py"


# The engine rule with a judge for its model.
use rule inference as verdicts with:
    input:
        prompts="results/{benchmark}/judging/{model}/{part}.jsonl",
        code=lambda w: code("engines", "judging", *benchmark(w.benchmark).READING_CODE),
    output:
        outputs="results/{benchmark}/verdicts/{judge}/{model}/{part}.jsonl",
        identity="results/{benchmark}/verdicts/{judge}/{model}/{part}.identity.json",
    log:
        "results/logs/{benchmark}/verdicts/{judge}/{model}/{part}.log",
    benchmark:
        "results/benchmarks/{benchmark}/verdicts/{judge}/{model}/{part}.tsv"
    wildcard_constraints:
        benchmark="|".join(JUDGED),
    conda:
        lambda w: (
            "../envs/vllm.yaml"
            if settings.judge_settings(CONFIG, w.judge).engine == "vllm"
            else "../envs/base.yaml"
        )
    params:
        answers=lambda w: settings.answer_settings(settings.judge_settings(CONFIG, w.judge)),
        attempts=lambda w: judge_attempts(CONFIG, w.benchmark),
