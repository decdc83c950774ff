"""Data of the benchmarks: raw text and published instances in one shape, checked; long contexts.

in   nothing (synthetic), the user's directories (local), or published files at pinned revisions;
     other data files, such as the corpora that long contexts are built from; rewriters' replies
out  results/{benchmark}/…, results/corpora/…: the files that each benchmark's task names; the
     target data makes them all
"""

import re

DATA = RUN.data


rule data:
    input:
        in_results(RUN.running_data),
    localrule: True


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
            file="|".join(re.escape(path) for path, file in DATA.items() if file.step == step),
        localrule: True
        conda:
            "../envs/base.yaml"
        resources:
            mem_mb=4000,
        params:
            **provenance(lambda w: STEPS.data(w.file)),
            content=lambda w: DATA[w.file].content.plain,
            inputs=lambda w: list(DATA[w.file].inputs),
            made_from=lambda w: {
                name: STEPS.data(path).input_digest
                for name, path in DATA[w.file].inputs.items()
                if path in RUN.rewrites
            },
        script:
            "../scripts/steadfast/stages/make_data.py"
