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
        templates=lambda w: (
            benchmark(w.benchmark).templates(CONFIG).values() if w.benchmark in JUDGED else []
        ),
        code=code("engines", "judging", "planning.py", "files.py", "tokens.py"),
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
        models=settings.planned({name: CONFIG.models[name] for name in ASKED}),
        judging=lambda w: (
            {
                "judges": settings.planned(CONFIG.judges),
                "templates": benchmark(w.benchmark).templates(CONFIG),
                "settings": benchmark(w.benchmark).judge_settings(CONFIG),
                "answer_tokens": CONFIG.judging.answer_tokens,
            }
            if w.benchmark in JUDGED
            else {}
        ),
        parts=lambda w: {
            part: benchmark(w.benchmark).sources(CONFIG, part)
            for part in benchmark(w.benchmark).parts(CONFIG)
        },
        journals=lambda w: journal_sizes(w.benchmark, ASKED, benchmark(w.benchmark).parts(CONFIG)),
    script:
        "../scripts/plan.py"
