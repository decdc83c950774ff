"""Judging: the judge prompts for each response, and the judges' replies.

in   results/{benchmark}/outputs/{model}/{part}.jsonl, its prompts and data; the judge templates
out  results/{benchmark}/judging/{model}/{part}.jsonl: judge prompts, a record for each response
     results/{benchmark}/verdicts/{judge}/{model}/{part}.jsonl: a reply to each request
     results/{benchmark}/verdicts/{judge}/{model}/{part}.provenance.json: what produced them
also results/journal/verdicts/{judge}/: the journal, as of rule inference
"""


rule judge_prompts:
    input:
        prompts=lambda w: RUN.evaluated_prompts(w.benchmark, w.part, w.model),
        sources=lambda w: RUN.sources(w.benchmark, w.part),
        outputs="<results>/{benchmark}/outputs/{model}/{part}.jsonl",
        templates=lambda w: RUN.template_files(w.benchmark),
    output:
        judging="<results>/{benchmark}/judging/{model}/{part}.jsonl",
    log:
        "<logs>/{benchmark}/judging/{model}/{part}.log",
    benchmark:
        "<benchmarks>/{benchmark}/judging/{model}/{part}.tsv"
    wildcard_constraints:
        benchmark=one_of(RUN.judged),
    localrule: True
    conda:
        "../envs/base.yaml"
    resources:
        mem_mb=2000,
    params:
        **provenance(lambda w: STEPS.judge_prompts(w.benchmark, w.model, w.part)),
        samples=lambda w: TASKS[w.benchmark].samples.plain,
        judge_prompts=lambda w: RUN.judging(w.benchmark).prompts.plain,
        sources=lambda w: RUN.source_keys(w.benchmark, w.part),
        templates=lambda w: RUN.templates(w.benchmark),
        repeats=lambda w: CONFIG.models[w.model].repeats,
    script:
        "../scripts/steadfast/judging/judge_prompts.py"


# Judges are queried as models are: rule inference with other inputs and outputs.
use rule inference as verdicts with:
    input:
        prompts="<results>/{benchmark}/judging/{model}/{part}.jsonl",
    output:
        outputs="<results>/{benchmark}/verdicts/{judge}/{model}/{part}.jsonl",
        provenance="<results>/{benchmark}/verdicts/{judge}/{model}/{part}.provenance.json",
    log:
        "<logs>/{benchmark}/verdicts/{judge}/{model}/{part}.log",
    benchmark:
        "<benchmarks>/{benchmark}/verdicts/{judge}/{model}/{part}.tsv"
    wildcard_constraints:
        benchmark=one_of(RUN.judged),
