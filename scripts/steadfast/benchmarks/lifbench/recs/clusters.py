"""Stage 5 of RECS: the texts of a task in as many clusters as are to be picked."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_jsonl
from steadfast.benchmarks.lifbench.recs.checks import clustered
from steadfast.benchmarks.lifbench.recs.vectors import DIGITS


def clusters(inputs: Mapping[str, Path], k: int, seed: int, starts: int) -> Iterator[Record]:
    """Yields k-means clusters of a task's texts (section 3.3, clustering).

    As the authors did it, texts that fail a check take part too: people may still accept or edit
    them. Those that cannot be filled, and duplicates, do not: they would make clusters of faults.
    Of so many starts the one with the smallest inertia counts. Clusters are numbered from 0 by
    their lowest text numbers; the distance is Euclidean, to the centre; rank 1 is the nearest.
    """
    vectors = {row["text_id"]: row["vector"] for row in read_jsonl(inputs["vectors"])}
    texts = clustered(read_jsonl(inputs["candidates"]))
    numbers = [text["text_id"] for text in texts]
    points = np.array([vectors[number] for number in numbers])
    distinct = len(np.unique(points, axis=0))
    if distinct < k:
        raise UserError(
            f"{inputs['vectors']}: {distinct} different vectors are too few for {k} clusters; "
            "raise lifbench.recs.count, or lower lifbench.recs.clusters"
        )
    labels, distances = _means(points, k, seed, starts)
    ranks = {}
    sizes: Counter[int] = Counter()
    for _, number, label in sorted(zip(distances, numbers, labels, strict=True)):
        sizes[label] += 1
        ranks[number] = sizes[label]
    for text, label, distance in zip(texts, labels, distances, strict=True):
        membership = {"cluster": label, "distance": distance, "rank": ranks[text["text_id"]]}
        yield {"text_id": text["text_id"], "direction": text["direction"], **membership}


def _means(
    points: NDArray[np.float64], k: int, seed: int, starts: int
) -> tuple[Sequence[int], Sequence[float]]:
    """Returns each point's cluster and its distance to the centre."""
    from sklearn.cluster import KMeans

    with threadpool_limits(limits=1):
        means = KMeans(n_clusters=k, n_init=starts, random_state=seed % 2**32).fit(points)
    distances = np.linalg.norm(points - means.cluster_centers_[means.labels_], axis=1)
    # k-means numbers clusters at random; here the cluster of the first text is 0.
    order: dict[int, int] = {}
    labels = [order.setdefault(label, len(order)) for label in means.labels_.tolist()]
    return labels, [round(distance, DIGITS) for distance in distances.tolist()]
