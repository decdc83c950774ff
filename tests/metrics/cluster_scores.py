"""Scores of samples in clusters, as intervals and the bootstrap read them."""

import pandas as pd
from hypothesis import strategies as st

scores = st.lists(st.floats(0, 1), min_size=1, max_size=4)
populations = st.dictionaries(st.sampled_from("abcdef"), scores, min_size=2, max_size=6)


def cluster_scores(clusters: dict[str, list[float]], **columns) -> pd.DataFrame:
    """A row for each score, of one stratum and task unless ``columns`` name others."""
    totals = pd.Series(clusters).explode().rename_axis("cluster").reset_index(name="total")
    return totals.astype({"total": float}).assign(**{"stratum": "s", "task": "T"} | columns)
