"""Inference: every prompt of one part, asked of one model; one job per model and part.

in   results/{benchmark}/prompts/{part}.jsonl and the files that its prompts refer to
out  results/{benchmark}/outputs/{model}/{part}.jsonl: one response a prompt
     results/{benchmark}/outputs/{model}/{part}.identity.json: what produced them
also results/journal/{benchmark}/{model}/{part}.jsonl: the answers as they come. It is not
     Snakemake's, so a killed job continues from it.
"""


wildcard_constraints:
    benchmark="|".join(BENCHMARKS),
    model="[A-Za-z0-9._-]+",
    part="[A-Za-z0-9_-]+",


rule inference:
    input:
        prompts="results/{benchmark}/prompts/{part}.jsonl",
        sources=lambda w: paths(benchmark(w.benchmark).sources(CONFIG, w.part)),
        replay=lambda w: settings.replay_file(CONFIG, w.model, w.benchmark, w.part) or [],
        code=lambda w: code(
            "engines",
            *benchmark(w.benchmark).inference_code(
                settings.model_settings(CONFIG, w.model).engine
            ),
        ),
    output:
        outputs="results/{benchmark}/outputs/{model}/{part}.jsonl",
        identity="results/{benchmark}/outputs/{model}/{part}.identity.json",
    log:
        "results/logs/{benchmark}/inference/{model}/{part}.log",
    benchmark:
        "results/benchmarks/{benchmark}/inference/{model}/{part}.tsv"
    conda:
        lambda w: (
            "../envs/vllm.yaml"
            if settings.model_settings(CONFIG, w.model).engine == "vllm"
            else "../envs/base.yaml"
        )
    threads: 1
    resources:
        nodes=1,
        gpu=settings.resource("gpu", CONFIG, benchmark, workflow),
        mem_mb=settings.resource("mem_mb", CONFIG, benchmark, workflow),
        runtime=settings.resource("runtime", CONFIG, benchmark, workflow),
        cpus_per_task=settings.resource("cpus_per_task", CONFIG, benchmark, workflow),
    params:
        answers=lambda w: settings.answer_settings(settings.model_settings(CONFIG, w.model)),
        sources=lambda w: benchmark(w.benchmark).sources(CONFIG, w.part),
    script:
        "../scripts/inference.py"
