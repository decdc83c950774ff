"""Noise: a sample of the requests asked again and again, cold and warm; scored and compared.

in   results/{benchmark}/prompts/{part}.jsonl and the files that its prompts refer to
out  results/noise/{benchmark}/{model}/{part}.{csv,md}: identical answers, spread of ARS, IFS
     between repeats
also results/journal/{benchmark}/{model}/{part}.noise.jsonl: the answers as they come. It is not
     Snakemake's, so a killed job continues from it.
"""


localrules:
    noise,


rule noise:
    input:
        [
            f"results/noise/{name}/{model}/{part}.md"
            for name in CONFIG.benchmarks
            if name not in JUDGED  # their scores would need a judge for every repeat
            for model in ASKED
            if CONFIG.models[model].engine not in FREE
            for part in benchmark(name).parts(CONFIG)
        ],


rule noise_part:
    input:
        prompts="results/{benchmark}/prompts/{part}.jsonl",
        sources=lambda w: paths(benchmark(w.benchmark).sources(CONFIG, w.part)),
        code=lambda w: code(
            "engines",
            "metrics/noise.py",
            "noise.py",
            "asked.py",
            *benchmark(w.benchmark).SCORING_CODE,
        ),
        facts=lambda w: benchmark(w.benchmark).SCORING_FACTS,
    output:
        csv="results/noise/{benchmark}/{model}/{part}.csv",
        md="results/noise/{benchmark}/{model}/{part}.md",
    log:
        "results/logs/{benchmark}/noise/{model}/{part}.log",
    benchmark:
        "results/benchmarks/{benchmark}/noise/{model}/{part}.tsv"
    conda:
        "../envs/base.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=240,
    params:
        answers=lambda w: settings.answer_settings(settings.model_settings(CONFIG, w.model)),
        noise=CONFIG.noise.model_dump(),
        seed=CONFIG.seed,
        scoring=lambda w: benchmark(w.benchmark).scoring_settings(CONFIG),
        sources=lambda w: benchmark(w.benchmark).sources(CONFIG, w.part),
    script:
        "../scripts/noise.py"
