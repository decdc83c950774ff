"""Plan: what the requests would take, before anything is loaded, sent or spent.

in   results/{benchmark}/prompts/{part}.jsonl and what they refer to; the journals, as they are
out  results/plan/{benchmark}.{md,csv}: per model and part requests, tokens, hours, cost
     results/plan/{benchmark}.prompts.csv: the prompts that would be cut or do not fit
"""


localrules:
    plan,


rule plan:
    input:
        expand("results/plan/{benchmark}.md", benchmark=CONFIG.benchmarks),


rule plan_benchmark:
    input:
        prompts=lambda w: expand(
            "results/{benchmark}/prompts/{part}.jsonl",
            benchmark=w.benchmark,
            part=benchmark(w.benchmark).parts(CONFIG),
        ),
        sources=lambda w: sources_of(CONFIG, w.benchmark),
        code=code("engines", "planning.py", "files.py", "tokens.py"),
    output:
        md="results/plan/{benchmark}.md",
        csv="results/plan/{benchmark}.csv",
        prompts="results/plan/{benchmark}.prompts.csv",
    log:
        "results/logs/plan/{benchmark}.log",
    benchmark:
        "results/benchmarks/plan/{benchmark}.tsv"
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        models=lambda w: {
            name: {
                "answers": settings.answer_settings(CONFIG.models[name]),
                "plan": settings.plan_settings(CONFIG.models[name]),
            }
            for name in ASKED
        },
        parts=lambda w: {
            part: benchmark(w.benchmark).sources(CONFIG, part)
            for part in benchmark(w.benchmark).parts(CONFIG)
        },
        journals=lambda w: journal_sizes(w.benchmark, ASKED, benchmark(w.benchmark).parts(CONFIG)),
    script:
        "../scripts/plan.py"
