"""Data of the benchmarks: raw text and published instances in one shape, checked; long contexts.

in   nothing (synthetic), the user's directories (local), or published files at pinned revisions;
     other data files, such as the corpora that long contexts are built from; rewriters' replies
out  results/{benchmark}/…, results/corpora/…: the files that each benchmark's task names; the
     target data makes them all
"""

DATA = RUN.data  # each data file by its path, with the component that makes it and its inputs


rule data:
    input:
        in_results(RUN.running_data),
    localrule: True


# A rule for each kind of data, such as corpora or contexts.
for step in dict.fromkeys(file.step for file in DATA.values()):

    rule:
        name:
            step
        input:
            inputs=lambda w: in_results(DATA[w.file].inputs.values()),
            files=lambda w: DATA[w.file].files,
        output:
            "<results>/{file}",
        log:
            "<logs>/{file}.log",
        benchmark:
            "<benchmarks>/{file}.tsv"
        wildcard_constraints:
            file=one_of(path for path in DATA if DATA[path].step == step),
        localrule: True
        conda:
            "../envs/base.yaml"
        resources:
            mem_mb=4000,
        params:
            **provenance(lambda w: STEPS.data(w.file)),
            content=lambda w: DATA[w.file].content.plain,
            inputs=lambda w: list(DATA[w.file].inputs),
        script:
            "../scripts/steadfast/stages/make_data.py"
