"""Plan: what the requests would take, before anything is loaded, sent or spent.

in   results/{benchmark}/prompts/{part}.jsonl and what they refer to; the journals and, for a
     power_analysis, the comparisons of models, as they are
out  results/plan/plan.{md,csv}: what each model, judge and rewriter would take: requests, tokens, hours,
     cost; prompts that wait for rewriters' replies are planned once these are there
     results/plan/options.csv: what each pricing option of a model behind an API would cost
     results/plan/misfits.csv: the prompts that would be cut or do not fit
     results/plan/power_analysis.csv, where the config has power_analysis: what tells the wanted
     differences apart
One job makes all of them, since jobs of several benchmarks share a load.
"""

from steadfast.base.files import file_size

REWRITTEN = [name for name in CONFIG.benchmarks if TASKS[name].rewriting]
PLANNED = [name for name in CONFIG.benchmarks if STEPS.plannable(name, RESULTS)]
PARTS = [(name, part) for name in PLANNED for part in TASKS[name].parts]


rule plan:
    input:
        prompts=[RUN.evaluated_prompts(*place) for place in PARTS],
        sources=[file for name in PLANNED for file in RUN.all_sources(name)],
        templates=[file for name in PLANNED for file in RUN.own_templates(name)],
        fetched=[file for name in PLANNED for file in in_results(RUN.fetched_templates(name))],
        requests=[
            file for name in REWRITTEN for file in in_results(RUN.first_rounds(name).values())
        ],
        replays=sorted(
            {
                file
                for name, part in PARTS
                for model in RUN.evaluated_models(name)
                if (file := settings.replay_file(CONFIG.models[model], name, part))
            }
        ),
    output:
        page="<results>/plan/plan.md",
        rows="<results>/plan/plan.csv",
        options="<results>/plan/options.csv",
        misfits="<results>/plan/misfits.csv",
        power_analysis=(
            ["<results>/plan/power_analysis.csv"] if CONFIG.power_analysis and PLANNED else []
        ),
    log:
        "<logs>/plan.log",
    benchmark:
        "<benchmarks>/plan.tsv"
    localrule: True
    conda:
        "../envs/base.yaml"
    resources:
        mem_mb=4000,
    params:
        planned=lambda w: [RUN.planned(name) for name in PLANNED],
        rounds=lambda w: {name: RUN.first_rounds(name) for name in REWRITTEN},
        who=lambda w: {
            "models": settings.planned({name: CONFIG.models[name] for name in RUN.evaluated}),
            "judges": settings.planned(
                CONFIG.judges if any(name in RUN.judged for name in PLANNED) else {}
            ),
            "rewriters": settings.planned(CONFIG.rewriters if REWRITTEN else {}),
        },
        jobs=lambda w: LOADS.planned,
        unplanned=[name for name in CONFIG.benchmarks if name not in PLANNED],
        data_notes=[TASKS[name].data_note for name in RUN.running],
        hardware=CONFIG.hardware.model_dump(),
        limit=CONFIG.limit,
        # A plan is made anew when a journal has grown, and a power analysis takes comparisons that are
        # there.
        journals=lambda w: [file_size(RESULTS / job.journal) for job in RUN.jobs],
        pilot=lambda w: [
            file_size(RESULTS / name / "metrics/comparisons.csv")
            for name in (PLANNED if CONFIG.power_analysis else [])
        ],
        input_digest=lambda w: [
            *(STEPS.evaluated_prompts(*place).input_digest for place in PARTS),
            *(STEPS.data(p).input_digest for n in REWRITTEN for p in RUN.first_rounds(n).values()),
        ],
        code=lambda w: digest(
            "steadfast.plan.make",
            *(
                used
                for name in PLANNED
                for used in (
                    TASKS[name].samples,
                    RUN.judge_prompts(name),
                    *RUN.engines_planned(name),
                )
            ),
        ),
    script:
        "../scripts/steadfast/plan/make.py"
