"""The metrics of a simple benchmark: means of its measures, by fields too, and comparisons.

A sample without a score is in no mean; it lowers the coverage. An answer in which the scorer could
read nothing counts as wrong; the coverage counts them. Intervals resample ``Instance.cluster`` over
all parts. The same id in several parts is one question at several lengths, so that its contexts are
one cluster.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.contract.components import Data, Frames, Labels, Scored
from steadfast.simple.instance import (
    AGREEMENT,
    EFFECTIVE,
    PART,
    SCORE,
    TEMPLATE,
    UNREAD,
    own_result,
)
from steadfast.stats.agreement import answer_agreement
from steadfast.stats.breakdown import breakdown, by_measure
from steadfast.stats.effective_context_length import retention_by_length, with_effective_lengths
from steadfast.stats.intervals import Clusters
from steadfast.stats.pairs import joint_summary, overall_pairs, sampling_units
from steadfast.stats.raters import judge_verdicts
from steadfast.stats.scores import answer_row, coverage
from steadfast.stats.tidy import rows_of


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
    values = by_measure(with_points(frame, measures), {name: name for name in measures})
    _check_measures(frame, values, measures)
    has_reading = any(UNREAD in scored.record for scored in scores)
    counts = coverage(frame, flags=[UNREAD] if has_reading else [])
    means = mean_scores(values, by)
    units = values.assign(total=values["value"], task="", stratum="")
    compared = overall_pairs(units, references)
    records = frame["sample_id"]
    if TEMPLATE in by:  # paraphrases are repeated measures of one record
        records = records.str.rpartition("/")[0]
    clusters = sampling_units(frame, None, []).assign(records=records.nunique())
    alone = (clusters["clusters"] == clusters["records"]).all()
    unit = "records" if alone else "groups of records"
    comparisons = {measure: rows_of(compared, measure=measure) for measure in measures}
    summary = joint_summary(counts, rows_of(means, kind=""), comparisons, clusters, unit)
    frames = {}
    for name, function in (further or {}).items():
        description = "a data frame of the responses, whose columns are"
        frames[name] = own_result(function, description, frame)
    if judges:
        verdicts = judge_verdicts(scores, judges, _total)
        frames[AGREEMENT] = answer_agreement(verdicts, {}, scores)
    if lengths:
        retention = effective(frame, lengths)
        frames[EFFECTIVE] = retention
        contenders = retention[~retention["model"].isin(references)]
        summary = with_effective_lengths(summary, contenders, measures[0])
    return frames | {
        "scores": means,
        "coverage": counts,
        "comparisons": compared,
        "sampling_units": clusters,
        "summary": summary,
    }


def units(scores: Iterable[Scored]) -> pd.DataFrame:
    """Returns ``score_frame``, all in one stratum."""
    return score_frame(scores).assign(stratum="")


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


def with_points(frame: pd.DataFrame, measures: Sequence[str]) -> pd.DataFrame:
    """Returns the answers with a column for each measure: the scorer's points, or the total."""
    columns = {}
    for name in measures:
        points = [response_points.get(name) for response_points in frame["points"]]
        columns[name] = frame["total"] if name == SCORE else pd.Series(points, frame.index, float)
    return frame.assign(**columns)


def _check_measures(frame: pd.DataFrame, values: pd.DataFrame, measures: Sequence[str]) -> None:
    """Raises UserError where responses have a score and none has a value of a measure."""
    lacking = [name for name in measures if name not in set(values["measure"])]
    if lacking and frame["total"].notna().any():
        names = sorted(set(chain.from_iterable(frame["points"])))
        raise UserError(
            f"measures: no response has the measure {lacking[0]!r}; the scorer gives "
            f"{', '.join(names)}: correct the name, in measures or in the scorer"
        )


def joined_clusters(clusters: pd.Series, sample_ids: pd.Series) -> pd.Series:
    """Returns the clusters, with those of one id in several parts as one.

    >>> clusters = pd.Series(["short a", "long a", "long b"])
    >>> joined_clusters(clusters, pd.Series(["4k/1", "8k/1", "8k/2"])).tolist()
    ['short a', 'short a', 'long b']
    """
    codes, names = pd.factorize(clusters)
    ids, id_names = pd.factorize(sample_ids.str.split("/", n=1).str[-1])
    # A graph of clusters and ids, with an edge where a cluster has an instance of an id.
    edges = (np.ones(len(codes)), (codes, len(names) + ids))
    size = len(names) + len(id_names)
    _, components = connected_components(coo_array(edges, shape=(size, size)), directed=False)
    first: dict[int, str] = {}
    for name, component in zip(names, components, strict=False):
        first.setdefault(component, name)
    return pd.Series([first[components[code]] for code in codes], clusters.index)


def mean_scores(values: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Returns each model's means of the measures, over all and by category of each field (kind).

    >>> values = pd.DataFrame({"model": "m", "cluster": ["a", "b"], "value": [1.0, 0.5]})
    >>> values = values.assign(measure="Score", by=[{"topic": "sea"}, {"topic": "train"}])
    >>> mean_scores(values, ["topic"])[["kind", "category", "value"]].values.tolist()
    [['', '', 0.75], ['topic', 'sea', 1.0], ['topic', 'train', 0.5]]
    """
    divisions = {"": pd.Series("", values.index)}
    for field in by:
        categories = [fields[field] for fields in values["by"]]
        divisions[field] = pd.Series(categories, values.index, dtype=object)
    occurring = pd.concat(divisions.values())
    order = {
        "category": list(dict.fromkeys(occurring)),
        "measure": list(dict.fromkeys(values["measure"])),
    }
    return breakdown(values, divisions, order, strata=[])


def effective(frame: pd.DataFrame, lengths: Sequence[str]) -> pd.DataFrame:
    """Returns the share of the score at the first length that each model keeps at each."""
    rows = frame.assign(length=[values[PART] for values in frame["by"]])
    # Clusters that each have one length are compared as independent samples; others in pairs.
    alone = (rows.groupby("cluster")["length"].nunique() == 1).all()
    units = Clusters(rows, ["length"] if alone else [])
    return retention_by_length(units.means(rows, ["model", "length"]), lengths)


def _total(rated: Record) -> dict[int, float]:
    return {} if rated["total"] is None else {0: rated["total"]}
