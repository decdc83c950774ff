"""The metrics of a simple benchmark: means of its measures, by fields too, and comparisons.

A sample without a score is in no mean; it lowers the coverage. An answer out of which the scorer
could read nothing counts as wrong; the coverage says how many there are. Intervals resample what
instances belong to (``Instance.cluster``), over all parts together. The same id in several parts is
one thing at several lengths, so its contexts are one cluster.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from steadfast.base.files import Record
from steadfast.base.loading import load
from steadfast.contract.components import Data, Frames, Labels, Scored
from steadfast.simple.instance import AGREEMENT, EFFECTIVE, PART, SCORE, UNREAD
from steadfast.stats.agreement import answer_agreement
from steadfast.stats.effective_context_length import kept_shares, with_reaches
from steadfast.stats.intervals import Clusters
from steadfast.stats.pairs import joint_summary, overall_pairs, sampling_units
from steadfast.stats.raters import judge_verdicts
from steadfast.stats.scores import answer_row, coverage
from steadfast.stats.tidy import in_order, rows_of


def metrics(
    scores: Iterable[Scored],
    data: Mapping[str, Data],
    labels: Labels | None,
    by: Sequence[str] = (),
    references: Collection[str] = (),
    judges: Sequence[str] = (),
    lengths: Sequence[str] = (),
    measures: Sequence[str] = (SCORE,),
    further: Mapping[str, str] | None = None,
) -> Frames:
    """Returns the metrics by name: ``METRICS``, ``AGREEMENT`` of judges and ``EFFECTIVE`` lengths.

    Of data and labels nothing is needed.

    Args:
        by: fields of the instances by which means are shown, or ``PART``.
        references: models that are compared with none.
        judges: whose agreement in their scores is wanted, if any.
        lengths: the parts, where they are lengths whose effective one is wanted.
        measures: names of numbers that the scorer gives, the main one first; ``SCORE``: the score.
        further: metrics of the benchmark's own by name, functions of ``score_frame``'s rows.
    """
    scores = list(scores)
    frame = score_frame(scores)
    values = by_measure(frame, measures)
    has_reading = any(UNREAD in scored.record for scored in scores)
    counts = coverage(frame, flags=[UNREAD] if has_reading else [])
    means = mean_scores(values, by)
    compared = overall_pairs(values.assign(task="", stratum=""), references)
    clusters = sampling_units(frame, None, []).assign(records=frame["sample_id"].nunique())
    alone = (clusters["clusters"] == clusters["records"]).all()
    unit = "records" if alone else "groups of records"
    comparisons = {measure: rows_of(compared, measure=measure) for measure in measures}
    summary = joint_summary(counts, rows_of(means, kind=""), comparisons, clusters, unit)
    frames = {name: load(function)(frame) for name, function in (further or {}).items()}
    if judges:
        of_judges = judge_verdicts(scores, judges, _total)
        frames[AGREEMENT] = answer_agreement(of_judges, {}, scores)
    if lengths:
        retention = effective(frame, lengths)
        frames[EFFECTIVE] = retention
        reached = retention[~retention["model"].isin(references)]
        summary = with_reaches(summary, reached, measures[0])
    return frames | {
        "scores": means,
        "coverage": counts,
        "comparisons": compared,
        "sampling_units": clusters,
        "summary": summary,
    }


def score_frame(scores: Iterable[Scored]) -> pd.DataFrame:
    """Returns a row an answer, scored or not, by ``scores.answer_row``; ``by`` has its fields,
    ``points`` what the scorer gave it, ``extracted`` what it read."""
    rows = []
    for scored in scores:
        record: Record = {**scored.record}
        further = {
            "by": {PART: scored.part, **record["by"]},
            "points": record["points"] or {},
            "extracted": record.get("extracted"),
            UNREAD: bool(record.get(UNREAD)),
        }
        rows.append(answer_row(scored) | further)
    frame = pd.DataFrame(rows).astype({"total": float})
    return frame.assign(cluster=joined_clusters(frame["cluster"], frame["sample_id"]))


def by_measure(frame: pd.DataFrame, measures: Sequence[str]) -> pd.DataFrame:
    """Returns the answers' rows once for each measure, with its value as ``total``."""
    if tuple(measures) == (SCORE,):
        return frame.assign(measure=SCORE)
    parts = []
    for measure in measures:
        # A scorer may give a number to some responses alone.
        values = [points.get(measure) for points in frame["points"]]
        parts.append(frame.assign(measure=measure, total=pd.Series(values, frame.index, float)))
    return pd.concat(parts, ignore_index=True)


def joined_clusters(clusters: pd.Series, sample_ids: pd.Series) -> pd.Series:
    """Returns the clusters, with those of one id in several parts as one.

    >>> clusters = pd.Series(["short a", "long a", "long b"])
    >>> joined_clusters(clusters, pd.Series(["4k/1", "8k/1", "8k/2"])).tolist()
    ['short a', 'short a', 'long b']
    """
    codes, names = pd.factorize(clusters)
    ids, _ = pd.factorize(sample_ids.str.split("/", n=1).str[-1])
    # A graph of clusters and ids, with an edge where a cluster has an instance of an id.
    edges = (np.ones(len(codes)), (codes, len(names) + ids))
    size = len(names) + ids.max(initial=-1) + 1
    _, components = connected_components(coo_array(edges, shape=(size, size)), directed=False)
    first: dict[int, str] = {}
    for name, component in zip(names, components, strict=False):
        first.setdefault(component, name)
    return pd.Series([first[components[code]] for code in codes], clusters.index)


def mean_scores(rows: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Returns each model's means of the measures: of all, and of each value (category) of each
    field (kind), in the order in which these occur.

    >>> rows = pd.DataFrame({"model": "m", "cluster": ["a", "b"], "total": [1.0, 0.5]})
    >>> rows = rows.assign(measure="Score", by=[{"topic": "sea"}, {"topic": "train"}])
    >>> mean_scores(rows, ["topic"])[["kind", "category", "value"]].values.tolist()
    [['', '', 0.75], ['topic', 'sea', 1.0], ['topic', 'train', 0.5]]
    """
    parts = [rows.assign(kind="", category="")]
    for field in by:
        categories = [values[field] for values in rows["by"]]
        parts.append(rows.assign(kind=field, category=categories))
    cells = pd.concat(parts, ignore_index=True)
    keys = ["model", "kind", "category", "measure"]
    means = Clusters(rows, []).means(cells, keys).rows()
    order = {"kind": list(by), "category": list(dict.fromkeys(cells["category"]))}
    order["measure"] = list(dict.fromkeys(rows["measure"]))
    return in_order(means, {"model": sorted(set(rows["model"])), **order})


def effective(frame: pd.DataFrame, lengths: Sequence[str]) -> pd.DataFrame:
    """Returns the share of the score at the first length that each model keeps at each.

    What was drawn for one length alone is compared as two samples; what all have, in pairs.
    """
    rows = frame.assign(length=[values[PART] for values in frame["by"]])
    alone = (rows.groupby("cluster")["length"].nunique() == 1).all()
    units = Clusters(rows, ["length"] if alone else [])
    return kept_shares(units.means(rows, ["model", "length"]), lengths)


def _total(rated: Record) -> dict[int, float]:
    return {} if rated["total"] is None else {0: rated["total"]}
