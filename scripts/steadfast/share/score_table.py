"""All scores of a finished run as one tidy table, for evalstats, R and other programs."""

from itertools import product

import pandas as pd

from steadfast.jobs.finished import FinishedRun
from steadfast.stats.scores import read_scores

COLUMNS = ("benchmark", "model", "sample", "sampling_unit", "stratum", "repeat", "score")
NAMES = {"cluster": "sampling_unit", "total": "score"}


def score_table(run: FinishedRun) -> pd.DataFrame:
    """Returns a row for each response, with ``COLUMNS``; score is empty where there is none."""
    tables = []
    for benchmark in run.benchmarks:
        files = {}
        for part, model in product(run.parts(benchmark).values(), run.models(benchmark)):
            if part.scores(model):  # which checks the file
                files[model, part.name] = part.scores_path(model)
        scores = list(read_scores(files))
        frame = run.evaluation.tasks[benchmark].units.make(scores).rename(columns=NAMES)
        names = []  # each begins with its part, so that no two samples of a benchmark share one
        for _, part_name, record in scores:
            sample_id = record["sample_id"].removeprefix(f"{part_name}/")
            names.append(f"{part_name}/{sample_id}")
        tables.append(frame.assign(benchmark=benchmark, sample=names)[list(COLUMNS)])
    return pd.concat(tables, ignore_index=True).astype({"repeat": int})
