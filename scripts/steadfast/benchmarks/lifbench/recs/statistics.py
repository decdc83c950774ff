"""Stage 9 of RECS: what a task's rewrites, clusters and picks are like, beside its expressions."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadfast.base.files import Record, Settings, read_jsonl
from steadfast.benchmarks.lifbench.recs.checks import PASS, REASONS
from steadfast.benchmarks.lifbench.recs.clusters import by_direction
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
    encoded = {record["text_id"]: record["vector"] for record in read_jsonl(inputs["vectors"])}
    nearest = set(expressions["sampling"]["nearest"])
    picked = [
        expression
        for expression in expressions["expressions"]
        if expression["expression_id"] in nearest and "hash" in expression
    ]
    for direction, members in by_direction(read_jsonl(inputs["clusters"])):
        numbers = [record["text_id"] for record in members]
        pool = [candidate for candidate in candidates if candidate["direction"] == direction]
        statuses = Counter(candidate["status"] for candidate in pool)
        sizes = Counter(record["cluster"] for record in members)
        picks = [expression for expression in picked if expression["direction"] == direction]
        points = np.array([encoded[number] for number in numbers])
        places = [numbers.index(expression["text_id"]) for expression in picks]
        yield {
            "task": task,
            "direction": direction,
            "texts": len(pool),
            "usable": statuses[PASS],
            "mended": sum(candidate["mended"] for candidate in pool),
            **{f"fails_{reason}": statuses[reason] for reason in REASONS},
            "sizes": [sizes[cluster] for cluster in sorted(sizes)],
            "inertia": round(sum(record["distance"] ** 2 for record in members), 6),
            "pick_distances": [expression["distance"] for expression in picks],
            "edited": sum(expression["edited"] for expression in picks) if picks else None,
            "reviewed": expressions["reviewed"],
            **_spread(points, places, f"{seed}/{task}/{direction}"),
        }


def _spread(points: NDArray[np.float64], places: Sequence[int], seed: str) -> Record:
    """Returns how far picks are from each other, beside random sets of as many."""
    if len(places) < 2:
        return {"spread": None, "random_spread": None, "percentile": None}
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    rng = random.Random(seed)
    numbers = range(len(points))
    sets = [rng.sample(numbers, len(places)) for _ in range(SETS)]
    drawn = np.array([_mean_distance(apart, chosen) for chosen in sets])
    own_distance = _mean_distance(apart, places)
    # Sums in another order differ in the last digits: these are ties.
    smaller = drawn < own_distance - 1e-9
    tied = np.abs(drawn - own_distance) <= 1e-9
    return {
        "spread": round(own_distance, 6),
        "random_spread": round(float(drawn.mean()), 6),
        "percentile": round(float(smaller.mean() + tied.mean() / 2), 6),
    }


def _mean_distance(apart: NDArray[np.float64], places: Sequence[int]) -> float:
    """Returns the mean over all pairs."""
    pairs = len(places) * (len(places) - 1)
    return float(apart[np.ix_(places, places)].sum() / pairs)


def sampled_expressions(
    inputs: Mapping[str, Path], task: Settings, seed: int, **settings: Any
) -> Record:
    """Returns the expressions that RECS samples, with rows of what they are chosen from."""
    content = expressions(inputs, task, seed=seed, **settings)
    return {**content, "statistics": list(statistics(inputs, task["id"], content, seed))}
