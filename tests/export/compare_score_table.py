"""Prints evalstats' means, intervals and tests of a scores.csv; run by a Python with it."""

import json
import sys
import warnings

import evalstats
import pandas as pd

warnings.simplefilter("ignore")
table = pd.read_csv(sys.argv[1])
results = {}
for name, rows in table.groupby("benchmark", sort=False):
    data = evalstats.load_from(rows, col_map={"sample": "item"})
    frames = evalstats.compare(data, factors="model", correction="none").to_frame()
    results[name] = {
        "means": {row["entity"]: row for row in frames["entities"].to_dict("records")},
        "pair": frames["pairwise"].to_dict("records")[0],
    }
print(json.dumps(results, default=float))
