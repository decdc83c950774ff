"""Stage 9 of RECS: what a task's rewrites, clusters and picks are like, beside its expressions."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadfast.base.files import Record, Settings, read_jsonl
from steadfast.benchmarks.lifbench.recs import checks, clusters
from steadfast.benchmarks.lifbench.recs.expressions import expressions

SETS = 2000  # of random texts, beside which the picks stand


def statistics(
    inputs: Mapping[str, Path], task: str, expressions: Record, seed: int
) -> Iterator[Record]:
    """Yields a row for each direction of a task that was rewritten.

    Returns:
        task; direction; texts; usable, those that pass all checks; mended, those whose braces were
        doubled; a column ``fails_`` for each check; sizes of the clusters, which
        hold all texts that can be filled but duplicates; inertia, the sum of the
        squared distances to the centres; of the texts nearest to the centres: pick_distances, to
        their centres, spread, their mean distance from each other, random_spread, that of 2,000
        random sets as large, and percentile, the share of these whose is smaller (ties half);
        edited, how many of them people changed (null where no nearest texts are sampled);
        reviewed, whether people decided on all.
    """
    candidates = list(read_jsonl(inputs["candidates"]))
    vectors = {row["text_id"]: row["vector"] for row in read_jsonl(inputs["vectors"])}
    nearest = set(expressions["sampling"]["nearest"])
    for direction, members in clusters.by_direction(read_jsonl(inputs["clusters"])):
        statuses: Counter[str] = Counter()
        mended = 0
        for candidate in candidates:
            if candidate["direction"] == direction:
                statuses[candidate["status"]] += 1
                mended += candidate["mended"]
        sizes: Counter[int] = Counter()
        points = {}
        inertia = 0.0
        for record in members:
            sizes[record["cluster"]] += 1
            points[record["text_id"]] = vectors[record["text_id"]]
            inertia += record["distance"] ** 2
        picked = []
        distances = []
        edited = 0
        for expression in expressions["expressions"]:
            is_nearest = expression["expression_id"] in nearest and "hash" in expression
            if is_nearest and expression["direction"] == direction:
                picked.append(expression["text_id"])
                distances.append(expression["distance"])
                edited += expression["edited"]
        order = list(points)
        places = [order.index(text_id) for text_id in picked]
        yield {
            "task": task,
            "direction": direction,
            "texts": statuses.total(),
            "usable": statuses[checks.PASS],
            "mended": mended,
            **{f"fails_{reason}": statuses[reason] for reason in checks.REASONS},
            "sizes": [size for _, size in sorted(sizes.items())],
            "inertia": round(inertia, 6),
            "pick_distances": distances,
            "edited": edited if picked else None,
            "reviewed": expressions["reviewed"],
            **_spread(np.array(list(points.values())), places, f"{seed}/{task}/{direction}"),
        }


def _spread(points: NDArray[np.float64], places: Sequence[int], seed: str) -> Record:
    """Returns how far picks are from each other, beside random sets of as many."""
    if len(places) < 2:
        return {"spread": None, "random_spread": None, "percentile": None}
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    rng = random.Random(seed)
    spreads = np.empty(SETS)
    for number in range(SETS):
        random_places = rng.sample(range(len(points)), len(places))
        spreads[number] = _mean_distance(distances, random_places)
    spread = _mean_distance(distances, places)
    # Sums in another order differ in the last digits: these are ties.
    smaller = spreads < spread - 1e-9
    tied = np.abs(spreads - spread) <= 1e-9
    return {
        "spread": round(spread, 6),
        "random_spread": round(float(spreads.mean()), 6),
        "percentile": round(float(smaller.mean() + tied.mean() / 2), 6),
    }


def _mean_distance(distances: NDArray[np.float64], places: Sequence[int]) -> float:
    """Returns the mean over all pairs."""
    pairs = len(places) * (len(places) - 1)
    return float(distances[np.ix_(places, places)].sum() / pairs)


def sampled_expressions(
    inputs: Mapping[str, Path], task: Settings, seed: int, **settings: Any
) -> Record:
    """Returns the expressions that RECS samples, with rows of what they are chosen from."""
    content = expressions(inputs, task, seed=seed, **settings)
    return {**content, "statistics": list(statistics(inputs, task["id"], content, seed))}
