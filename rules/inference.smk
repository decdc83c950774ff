"""Inference: every prompt of one part, asked of one model; one job per model and part.

in   results/{benchmark}/prompts/{part}.jsonl and the data files that its prompts refer to
out  results/{benchmark}/outputs/{model}/{part}.jsonl: one response a prompt
     results/{benchmark}/outputs/{model}/{part}.identity.json: what produced them
also results/journal/{benchmark}/{model}/{part}.jsonl: the answers as they come. It is not
     Snakemake's, so a killed job continues from it.
"""


rule inference:
    input:
        prompts=lambda w: RUN.asked_prompts(w.benchmark, w.part),
        sources=lambda w: RUN.sources(w.benchmark, w.part),
        replay=lambda w: settings.replay_file(RUN.answering(w), w.benchmark, w.part) or [],
    output:
        outputs="<results>/{benchmark}/outputs/{model}/{part}.jsonl",
        identity="<results>/{benchmark}/outputs/{model}/{part}.identity.json",
    log:
        "<logs>/{benchmark}/inference/{model}/{part}.log",
    benchmark:
        "<benchmarks>/{benchmark}/inference/{model}/{part}.tsv"
    priority: lambda w: LOADS.priority(w)
    group:
        load_group
    conda:
        lambda w: f"../envs/{'vllm' if RUN.answering(w).engine == 'vllm' else 'base'}.yaml"
    threads: 1
    resources:
        nodes=1,
        load=lambda w: 1 if LOADS.of(w) else 0,
        gpu=resource("gpu", LOADS, SNAKEMAKE),
        mem_mb=SESSION.failures.by_shortage("mem_mb", resource("mem_mb", LOADS, SNAKEMAKE)),
        runtime=SESSION.failures.by_shortage("runtime", resource("runtime", LOADS, SNAKEMAKE)),
        cpus_per_task=resource("cpus_per_task", LOADS, SNAKEMAKE),
        slurm_partition=slurm_option("slurm_partition", LOADS, SNAKEMAKE),
        slurm_account=slurm_option("slurm_account", LOADS, SNAKEMAKE),
        qos=slurm_option("qos", LOADS, SNAKEMAKE),
        constraint=slurm_option("constraint", LOADS, SNAKEMAKE),
        slurm_extra=slurm_option("slurm_extra", LOADS, SNAKEMAKE),
    params:
        answers=lambda w: settings.answer_settings(RUN.answering(w)),
        samples=lambda w: TASKS[w.benchmark].samples.plain,
        stand_in=lambda w: plain(RUN.stand_in(w)),
        sources=lambda w: RUN.source_keys(w.benchmark, w.part),
        code=lambda w: STEPS.outputs(w.benchmark, w.model, w.part).code,
        lineage=lambda w: STEPS.outputs(w.benchmark, w.model, w.part).lineage,
    script:
        "../scripts/steadfast/stages/one_load.py"
