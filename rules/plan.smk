"""Plan: the requests, tokens, hours and cost of a run, before anything is loaded, sent or spent.

in   results/{benchmark}/prompts/{part}.jsonl and what they refer to; the journals and, for a
     power_analysis, the comparisons of models, as they are
out  results/plan/plan.{md,csv}: these of each model, judge and rewriter; prompts that are made from
     rewriters' replies are planned once these exist
     results/plan/options.csv: what each pricing option of a model behind an API would cost
     results/plan/misfits.csv: the prompts that are truncated or do not fit
     results/plan/power_analysis.csv, where the config has power_analysis: the sampling units that
     detect the configured differences
One job makes all of them, since jobs of several benchmarks share a load.
"""

from steadfast.plan.inputs import PlanInputs

PLAN = PlanInputs(RUN, STEPS, RESULTS)


rule plan:
    input:
        prompts=PLAN.prompts,
        sources=PLAN.sources,
        templates=PLAN.templates,
        requests=PLAN.rewriter_requests,
    output:
        page="<results>/plan/plan.md",
        rows="<results>/plan/plan.csv",
        options="<results>/plan/options.csv",
        misfits="<results>/plan/misfits.csv",
        power_analysis=(
            ["<results>/plan/power_analysis.csv"]
            if CONFIG.power_analysis and PLAN.benchmarks
            else []
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
        planned=lambda w: [RUN.planned(name) for name in PLAN.benchmarks],
        rounds=lambda w: PLAN.first_rounds,
        who=lambda w: PLAN.models,
        jobs=lambda w: SETUP.loads.planned,
        unplanned=PLAN.unplanned,
        data_notes=[TASKS[name].data_note for name in RUN.running],
        hardware=CONFIG.hardware.model_dump(),
        limit=CONFIG.limit,
        journals=lambda w: PLAN.journal_sizes,
        pilot=lambda w: PLAN.pilot_sizes,
        input_digest=lambda w: PLAN.input_digests,
        code=lambda w: PLAN.code,
    script:
        "../scripts/steadfast/plan/make.py"
