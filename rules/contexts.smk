"""Contexts of LIFBench (section 3.2): the long inputs X, filled to their budgets.

in   results/corpora/*.jsonl
out  results/lifbench/contexts/{scenario}/{length}.jsonl: one line a seed, with text and gold
"""


wildcard_constraints:
    scenario="|".join(lifbench.SCENARIOS),
    length="|".join(map(re.escape, CONFIG.lifbench.lengths)),


rule contexts:
    input:
        corpora=lambda w: list(lifbench.corpora(w.scenario).values()),
        code=code("lifbench/contexts", "tokens.py", "files.py"),
        facts="resources/lifbench/contexts.yaml",
    output:
        contexts="results/lifbench/contexts/{scenario}/{length}.jsonl",
    log:
        "results/logs/lifbench/contexts/{scenario}/{length}.log",
    benchmark:
        "results/benchmarks/lifbench/contexts/{scenario}/{length}.tsv"
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        budget=lambda w: CONFIG.lifbench.lengths[w.length],
        corpora=lambda w: lifbench.corpora(w.scenario),
        seeds=lifbench.seeds(CONFIG),
        tokenizer=CONFIG.tokenizer,
    script:
        "../scripts/contexts.py"
