"""Inference: the responses of each model to the prompts of each part; one job per model and part.

in   results/{benchmark}/prompts/{part}.jsonl and the data files that its prompts refer to
out  results/{benchmark}/outputs/{model}/{part}.jsonl: a response to each prompt
     results/{benchmark}/outputs/{model}/{part}.provenance.json: what produced them
also results/journal/{benchmark}/{model}/{part}.jsonl: the journal of responses. It is no
     output of the rule, so that a killed job continues from it.
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
    # Order, group and resources follow from the settings of the model (jobs/job_resources.py); jobs
    # that share a load of the model are one group.
    priority: SCHEDULING.priority
    group:
        SCHEDULING.group
    conda:
        f"../envs/{SETUP.environment}.yaml"
    resources:
        **SCHEDULING.slurm,
        nodes=1,
        load=SCHEDULING.load,  # 1 if it loads a model: a profile limits the loads at a time
        gpu=SCHEDULING.gpu,
        mem_mb=SCHEDULING.mem_mb,
        runtime=SCHEDULING.runtime,
        cpus_per_task=SCHEDULING.cpus_per_task,
    params:
        **provenance(lambda w: STEPS.replies(Job.of(w))),
        request=lambda w: RUN.params(Job.of(w)),  # all settings that determine the replies
    script:
        "../scripts/steadfast/stages/one_load.py"
