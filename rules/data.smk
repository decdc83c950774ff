"""Data of the judged benchmarks: published instances in one shape, checked.

in   nothing (synthetic), a directory (local), or the published files at their revision (released)
out  results/{benchmark}/data/{language}.jsonl: a record an instance
"""


rule benchmark_data:
    input:
        files=lambda w: benchmark(w.benchmark).data_files(CONFIG, w.language),
        code=lambda w: code("files.py", "pinned.py", *benchmark(w.benchmark).DATA_CODE),
        facts=lambda w: benchmark(w.benchmark).DATA_FACTS,
    output:
        data="results/{benchmark}/data/{language}.jsonl",
    log:
        "results/logs/{benchmark}/data/{language}.log",
    benchmark:
        "results/benchmarks/{benchmark}/data/{language}.tsv"
    wildcard_constraints:
        benchmark="|".join(JUDGED),
        language="[a-z]+",
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        settings=lambda w: benchmark(w.benchmark).data_settings(CONFIG, w.language),
    script:
        "../scripts/benchmark_data.py"
