"""Prompts. Of LIFBench (section 3.3): expressions crossed with variables, for every context.

in   resources/lifbench/expressions/{task}.yaml, or the released templates; the contexts
     results/{benchmark}/data/{language}.jsonl, of the judged benchmarks
out  results/lifbench/expressions/{task}.json: templates with ids and origin
     results/lifbench/prompts/{length}.jsonl: instructions, which refer to their contexts
     results/{benchmark}/prompts/{part}.jsonl: instructions, of the judged benchmarks
"""


wildcard_constraints:
    task="|".join(lifbench.TASKS),


rule released_templates:
    input:
        code=code("lifbench/released.py", "lifbench/variables.py", "pinned.py", "files.py"),
        facts="resources/lifbench/released.yaml",
    output:
        tasks="results/lifbench/released/tasks.json",
    log:
        "results/logs/lifbench/released_templates.log",
    benchmark:
        "results/benchmarks/lifbench/released_templates.tsv"
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        directory=CONFIG.lifbench.released.directory,
    script:
        "../scripts/released_templates.py"


rule expressions:
    input:
        own="resources/lifbench/expressions/{task}.yaml",
        scenarios="resources/lifbench/scenarios.yaml",
        released=(
            rules.released_templates.output.tasks
            if CONFIG.lifbench.expressions == "released"
            else []
        ),
        code=code(
            "lifbench/expressions.py",
            "lifbench/released.py",
            "pinned.py",
            "lifbench/variables.py",
            "files.py",
        ),
        facts=expand("resources/lifbench/{facts}.yaml", facts=["tasks", "variables", "released"]),
    output:
        expressions="results/lifbench/expressions/{task}.json",
    log:
        "results/logs/lifbench/expressions/{task}.log",
    benchmark:
        "results/benchmarks/lifbench/expressions/{task}.tsv"
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=10,
    params:
        source=CONFIG.lifbench.expressions,
    script:
        "../scripts/expressions.py"


rule prompts:
    input:
        sources=lambda w: paths(lifbench.sources(CONFIG, w.length)),
        code=code(
            "lifbench/prompts.py",
            "lifbench/expressions.py",
            "lifbench/variables.py",
            "lifbench/tasks.py",
            "files.py",
        ),
        facts="resources/lifbench/tasks.yaml",
    output:
        prompts="results/lifbench/prompts/{length}.jsonl",
    log:
        "results/logs/lifbench/prompts/{length}.log",
    benchmark:
        "results/benchmarks/lifbench/prompts/{length}.tsv"
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        seed=CONFIG.seed,
        tasks=lifbench.tasks(CONFIG),
        sources=lambda w: lifbench.sources(CONFIG, w.length),
    script:
        "../scripts/prompts.py"


rule benchmark_prompts:
    input:
        sources=lambda w: paths(benchmark(w.benchmark).sources(CONFIG, w.part)),
        code=lambda w: code("files.py", *benchmark(w.benchmark).PROMPTS_CODE),
    output:
        prompts="results/{benchmark}/prompts/{part}.jsonl",
    log:
        "results/logs/{benchmark}/prompts/{part}.log",
    benchmark:
        "results/benchmarks/{benchmark}/prompts/{part}.tsv"
    wildcard_constraints:
        benchmark="|".join(JUDGED),
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        sources=lambda w: benchmark(w.benchmark).sources(CONFIG, w.part),
    script:
        "../scripts/benchmark_prompts.py"
