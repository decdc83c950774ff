"""Export: a benchmark as built, as a data set of its own that others load (docs/share.md).

in   results/{benchmark}/prompts/{part}.jsonl and the data files that its prompts refer to
out  results/export/{benchmark}/: Parquet of each table and split, README.md (the card, with licences)
"""

EXPORTED = [name for name in TASKS if TASKS[name].exports]


rule export:
    input:
        [f"<results>/export/{name}" for name in EXPORTED if name in RUN.running],
    localrule: True


rule export_benchmark:
    input:
        prompts=lambda w: expand(
            "<results>/{benchmark}/prompts/{part}.jsonl",
            benchmark=w.benchmark,
            part=TASKS[w.benchmark].parts,
        ),
        sources=lambda w: RUN.all_sources(w.benchmark),
    output:
        directory("<results>/export/{benchmark}"),
    log:
        "<logs>/export/{benchmark}.log",
    benchmark:
        "<benchmarks>/export/{benchmark}.tsv"
    wildcard_constraints:
        benchmark=one_of(EXPORTED),
    localrule: True
    conda:
        "../envs/base.yaml"
    resources:
        mem_mb=4000,
    params:
        **provenance(lambda w: STEPS.export(w.benchmark)),
        exports=lambda w: plain(TASKS[w.benchmark].exports),
        simulator=lambda w: TASKS[w.benchmark].simulator.plain,
        samples=lambda w: TASKS[w.benchmark].samples.plain,
        sources=lambda w: RUN.all_source_keys(w.benchmark),
    script:
        "../scripts/steadfast/share/export.py"
