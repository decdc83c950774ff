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
        texts = [candidate for candidate in candidates if candidate["direction"] == direction]
        statuses = Counter(text["status"] for text in texts)
        sizes = Counter(member["cluster"] for member in members)
        order = [member["text_id"] for member in members]
        points = np.array([vectors[text_id] for text_id in order])
        picks = []
        for expression in expressions["expressions"]:
            is_nearest = expression["expression_id"] in nearest and "hash" in expression
            if is_nearest and expression["direction"] == direction:
                picks.append(expression)
        places = [order.index(pick["text_id"]) for pick in picks]
        yield {
            "task": task,
            "direction": direction,
            "texts": len(texts),
            "usable": statuses[checks.PASS],
            "mended": sum(text["mended"] for text in texts),
            **{f"fails_{reason}": statuses[reason] for reason in checks.REASONS},
            "sizes": [size for _, size in sorted(sizes.items())],
            "inertia": round(sum(member["distance"] ** 2 for member in members), 6),
            "pick_distances": [pick["distance"] for pick in picks],
            "edited": sum(pick["edited"] for pick in picks) if picks else None,
            "reviewed": expressions["reviewed"],
            **_spread(points, places, f"{seed}/{task}/{direction}"),
        }


def _spread(points: NDArray[np.float64], places: Sequence[int], seed: str) -> Record:
    """Returns how far picks are from each other, beside random sets of as many."""
    if len(places) < 2:
        return {"spread": None, "random_spread": None, "percentile": None}
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    rng = random.Random(seed)
    random_sets = [rng.sample(range(len(points)), len(places)) for _ in range(SETS)]
    spreads = np.array([_mean_distance(distances, random_set) for random_set in random_sets])
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
