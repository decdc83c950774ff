"""Prints means and samples that inspect_ai reads in a folder of logs; run by a Python with it."""

import json
import sys

from inspect_ai.analysis import samples_df
from inspect_ai.log import list_eval_logs, read_eval_log

folder = sys.argv[1]
means = {}
for info in list_eval_logs(folder):
    log = read_eval_log(info)
    (score,) = log.results.scores
    means[f"{log.eval.task}/{log.eval.model}"] = score.metrics["mean"].value
frame = samples_df(folder)
print(
    json.dumps({"means": means, "samples": len(frame), "total": float(frame["score_total"].sum())})
)
