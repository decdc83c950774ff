"""Corpora: raw text in one shape.

in   nothing (synthetic), a directory (local), or the hub at pinned revisions (hub)
out  results/corpora/{corpus}.jsonl: id, title, date, text
"""


wildcard_constraints:
    corpus="[a-z_]+",


rule corpus:
    input:
        files=lambda w: settings.corpus_files(CONFIG, w.corpus),
        code=code("corpora", "files.py"),
    output:
        corpus="results/corpora/{corpus}.jsonl",
    log:
        "results/logs/corpus/{corpus}.log",
    benchmark:
        "results/benchmarks/corpus/{corpus}.tsv"
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        source=lambda w: settings.corpus_source(CONFIG, w.corpus),
        seed=CONFIG.seed,
    script:
        "../scripts/corpus.py"
