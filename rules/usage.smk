"""Usage of inference, per job; the jobs of judges and rewriters are inference too.

in   results/{benchmark}/outputs/{model}/{part}.jsonl, results/{benchmark}/verdicts/…,
     results/{benchmark}/rewrites/…;
     results/journal/…/*.run.json, the run records, which are not Snakemake's
out  results/metrics/inference.csv: tokens, cache hit rate, cost, refused, truncated and empty
     responses, wall time, latency, throughput, retries, failures. It alone differs between equal runs.
"""

from dataclasses import astuple


rule usage:
    input:
        outputs=in_results(job.outputs for job in RUN.jobs),
    output:
        usage=report(
            "<results>/metrics/inference.csv",
            caption="../resources/report/usage.rst",
            category="Usage",
            subcategory=report_items.ALL,
            labels={"usage": "inference"},
        ),
    log:
        "<logs>/usage.log",
    benchmark:
        "<benchmarks>/usage.tsv"
    localrule: True
    conda:
        "../envs/base.yaml"
    resources:
        mem_mb=1000,
    params:
        **provenance(STEPS.usage()),
        jobs=[astuple(job) for job in RUN.jobs],
        prices=settings.prices(CONFIG),
    script:
        "../scripts/steadfast/stages/count_usage.py"
