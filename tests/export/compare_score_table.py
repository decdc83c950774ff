"""Run by the interpreter that has evalstats: its means, intervals and tests of a scores.csv."""

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
    compared = evalstats.compare(data, factors="model", correction="none").to_frame()
    results[name] = {
        "means": {row["entity"]: row for row in compared["entities"].to_dict("records")},
        "pair": compared["pairwise"].to_dict("records")[0],
    }
print(json.dumps(results, default=float))
