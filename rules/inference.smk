"""Inference: the responses of each model to the prompts of each part; one job per model and part.

in   results/{benchmark}/prompts/{part}.jsonl and the data files that its prompts refer to
out  results/{benchmark}/outputs/{model}/{part}.jsonl: one response a prompt
     results/{benchmark}/outputs/{model}/{part}.provenance.json: what produced them
also results/journal/{benchmark}/{model}/{part}.jsonl: the answers as they come. It is not
     Snakemake's, so a killed job continues from it.
"""


rule inference:
    input:
        prompts=lambda w: f"<results>/{RUN.prompts(Job.of(w))}",
        sources=lambda w: RUN.sources(w.benchmark, w.part),
        replay=lambda w: RUN.replayed(Job.of(w)) or [],
    output:
        outputs="<results>/{benchmark}/outputs/{model}/{part}.jsonl",
        provenance="<results>/{benchmark}/outputs/{model}/{part}.provenance.json",
    log:
        "<logs>/{benchmark}/inference/{model}/{part}.log",
    benchmark:
        "<benchmarks>/{benchmark}/inference/{model}/{part}.tsv"
    priority: lambda w: LOADS.priority(Job.of(w))
    group:
        load_group
    conda:
        ENGINE_ENV
    resources:
        **REQUESTS.slurm,
        nodes=1,
        load=lambda w: 1 if LOADS.of(Job.of(w)) else 0,
        gpu=REQUESTS.resource("gpu"),
        mem_mb=SESSION.failures.by_shortage("mem_mb", REQUESTS.resource("mem_mb")),
        runtime=SESSION.failures.by_shortage("runtime", REQUESTS.resource("runtime")),
        cpus_per_task=REQUESTS.resource("cpus_per_task"),
    params:
        **made(lambda w: STEPS.replies(Job.of(w))),
        request=lambda w: RUN.params(Job.of(w)),
    script:
        "../scripts/steadfast/stages/one_load.py"
