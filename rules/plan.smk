"""Plan: what the requests would take, before anything is loaded, sent or spent.

in   results/{benchmark}/prompts/{part}.jsonl and what they refer to; the journals and, for a
     certificate, the scores, as they are
out  results/plan/{benchmark}.{md,csv}: per model and part requests, tokens, hours, cost
     results/plan/{benchmark}.prompts.csv: the prompts that would be cut or do not fit
     results/plan/{benchmark}.rewrites.{md,csv}: what rewriters would be asked; prompts that wait
     for their replies are planned once these are there, and so are further rounds
     results/plan/{benchmark}.certificate.csv, where the config has certificate: what tells the
     wanted difference apart
     results/plan/total.{md,csv}: the sums by benchmark, model and role, and of all
"""

from steadfast.show.display import trial_remark
from steadfast.base.paths import journal_sizes, rewrites_sizes, score_sizes

REWRITTEN = [name for name in CONFIG.benchmarks if TASKS[name].rewriting]
PLANNED = [name for name in CONFIG.benchmarks if STEPS.plannable(name, RESULTS)]


rule plan:
    input:
        expand("<results>/plan/{benchmark}.rewrites.md", benchmark=REWRITTEN),
        expand(
            "<results>/plan/{benchmark}.{kind}",
            benchmark=PLANNED,
            kind=["md", "certificate.csv"] if CONFIG.certificate else ["md"],
        ),
        "<results>/plan/total.md",
    localrule: True


rule plan_totals:
    input:
        answers=expand("<results>/plan/{benchmark}.csv", benchmark=PLANNED),
        rewrites=expand("<results>/plan/{benchmark}.rewrites.csv", benchmark=REWRITTEN),
    output:
        md="<results>/plan/total.md",
        csv="<results>/plan/total.csv",
    log:
        "<logs>/plan/total.log",
    benchmark:
        "<benchmarks>/plan/total.tsv"
    localrule: True
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        planned=PLANNED,
        rewritten=REWRITTEN,
        waiting=[name for name in CONFIG.benchmarks if name not in PLANNED],
        asked=[trial_remark(CONFIG.limit), *(TASKS[name].asked for name in RUN.running)],
        code=digest("steadfast.plan.totals"),
    script:
        "../scripts/steadfast/plan/totals.py"


rule plan_rewrites:
    input:
        requests=lambda w: in_results(RUN.first_rounds(w.benchmark).values()),
    output:
        md="<results>/plan/{benchmark}.rewrites.md",
        csv="<results>/plan/{benchmark}.rewrites.csv",
    log:
        "<logs>/plan/{benchmark}.rewrites.log",
    benchmark:
        "<benchmarks>/plan/{benchmark}.rewrites.tsv"
    localrule: True
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        rewriters=lambda w: settings.planned(
            {name: CONFIG.rewriters[name] for name in RUN.rewriters_of(w.benchmark)}
        ),
        hardware=CONFIG.hardware.model_dump(),
        elsewhere=lambda w: LOADS.elsewhere(w.benchmark)["rewriters"],
        rounds=lambda w: list(RUN.first_rounds(w.benchmark)),
        journals=lambda w: rewrites_sizes(
            RESULTS, w.benchmark, RUN.rewriters_of(w.benchmark), RUN.first_rounds(w.benchmark)
        ),
        lineage=lambda w: [
            STEPS.data(path).lineage for path in RUN.first_rounds(w.benchmark).values()
        ],
        code=digest("steadfast.plan.rewrites"),
    script:
        "../scripts/steadfast/plan/rewrites.py"


rule plan_benchmark:
    input:
        prompts=lambda w: [
            RUN.asked_prompts(w.benchmark, part) for part in TASKS[w.benchmark].parts
        ],
        sources=lambda w: RUN.all_sources(w.benchmark),
        templates=lambda w: RUN.own_templates(w.benchmark),
    output:
        md="<results>/plan/{benchmark}.md",
        csv="<results>/plan/{benchmark}.csv",
        prompts="<results>/plan/{benchmark}.prompts.csv",
        certificate=["<results>/plan/{benchmark}.certificate.csv"] if CONFIG.certificate else [],
    log:
        "<logs>/plan/{benchmark}.log",
    benchmark:
        "<benchmarks>/plan/{benchmark}.tsv"
    localrule: True
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        models=lambda w: settings.planned(
            {name: CONFIG.models[name] for name in RUN.asked_of(w.benchmark)}
        ),
        judges=lambda w: settings.planned(CONFIG.judges if w.benchmark in RUN.judged else {}),
        judges_of=lambda w: {
            name: RUN.judges_of(w.benchmark, name) for name in RUN.asked_of(w.benchmark)
        },
        samples=lambda w: TASKS[w.benchmark].samples.plain,
        judge_prompts=lambda w: plain(RUN.judge_prompts(w.benchmark)),
        templates=lambda w: RUN.templates(w.benchmark),
        answer_tokens=CONFIG.judging.answer_tokens,
        hardware=CONFIG.hardware.model_dump(),
        elsewhere=lambda w: LOADS.elsewhere(w.benchmark),
        limit=CONFIG.limit,
        asked=lambda w: TASKS[w.benchmark].asked,
        sources=lambda w: RUN.all_source_keys(w.benchmark),
        journals=lambda w: journal_sizes(
            RESULTS, w.benchmark, RUN.asked_of(w.benchmark), TASKS[w.benchmark].parts
        ),
        certificate=lambda w: RUN.certificate(w.benchmark),
        pilot=lambda w: (
            score_sizes(RESULTS, w.benchmark, RUN.compared(w.benchmark), TASKS[w.benchmark].parts)
            if CONFIG.certificate
            else []
        ),
        lineage=lambda w: [
            STEPS.asked(w.benchmark, part).lineage for part in TASKS[w.benchmark].parts
        ],
        code=lambda w: digest(
            "steadfast.plan.requests",
            TASKS[w.benchmark].samples,
            TASKS[w.benchmark].compared if CONFIG.certificate else None,
            RUN.judge_prompts(w.benchmark),
            *RUN.engines_planned(w.benchmark),
        ),
    script:
        "../scripts/steadfast/plan/requests.py"
