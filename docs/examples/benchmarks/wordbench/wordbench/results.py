"""Metrics: the share of requests that are met."""

from collections.abc import Iterable, Mapping

import pandas as pd

from steadfast.contract.components import Data, Frames, Labels, Scored
from steadfast.stats.intervals import Clusters
from steadfast.stats.tidy import SUMMARY


def metrics(scores: Iterable[Scored], data: Mapping[str, Data], labels: Labels | None) -> Frames:
    """The share by what scores the response, and overall. The sampling unit is the topic."""
    rows = [
        (model, record["task"], record["context_id"], record["total"])
        for model, _, record in scores
    ]
    frame = pd.DataFrame(rows, columns=["model", "kind", "cluster", "total"])
    frame = frame.astype({"total": float})
    units = Clusters(frame[["cluster", "kind"]].drop_duplicates(), ["kind"])
    totals = frame.groupby("model")["total"]
    coverage = totals.agg(scored="count", expected="size").reset_index()
    overall = units.means(frame, ["model"]).rows().assign(measure="Kept")
    summary = coverage[["model", "expected"]].merge(overall, on="model", how="left")
    return {
        "words": units.means(frame, ["model", "kind"]).rows(),
        "coverage": coverage,
        "summary": summary[list(SUMMARY)],
    }
