"""Stages 7 to 9 of RECS: a task's expressions, nearest to the centres or sampled at random.

Statistics of its rewrites, clusters and chosen texts are returned with them.
"""

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_jsonl
from steadfast.benchmarks.lifbench.recs import checks, requests
from steadfast.benchmarks.lifbench.recs import review as reviews
from steadfast.benchmarks.lifbench.recs.review import ACCEPT, EDIT, UNREAD, Decision, Decisions
from steadfast.benchmarks.lifbench.tasks import Task
from steadfast.benchmarks.lifbench.templates import check_expressions

# What is added to the number of a hand-written template, and of a text sampled at random, so that
# no two ids are the same and none depends on another text.
HAND = 200
RANDOM = 1000
RANDOM_SETS = 2000  # with which the spread of the chosen texts is compared
REMEDY = "accept or edit rewrites {place} (docs/lifbench-variants.md), or raise lifbench.recs.count"
COPY = "in a copy of that file, in the folder that lifbench.recs.review names"


def sampled_expressions(
    inputs: Mapping[str, Path], task: Settings, seed: int, **settings: Any
) -> Record:
    """Returns the expressions that RECS samples, and rows about the texts to choose from."""
    content = expressions(inputs, task, seed=seed, **settings)
    return {**content, "statistics": [statistics(inputs, task["id"], content, seed)]}


def expressions(
    inputs: Mapping[str, Path],
    task: Settings,
    review: str | None,
    sampling: Literal["nearest", "random", "both"],
    seed: int,
    samples: int,
) -> Record:
    """Returns the templates of a task that RECS samples, and which sample has which.

    Directions that were not rewritten keep their hand-written templates. A review is a file of
    people's decisions; ``reviewed`` says whether it decides on every sampled text.
    """
    pool = list(read_jsonl(inputs["candidates"]))
    clusters = list(read_jsonl(inputs["clusters"]))
    name = task["id"]
    if review:
        decisions = reviews.read_review(review, name, pool)
    else:
        decisions = reviews.decisions_in(clusters, pool)
    hand = requests.base(inputs, task)
    texts = _texts(pool, clusters, decisions)
    where = f"{review or inputs['review']}: {name}"
    remedy = REMEDY.format(place="there" if review else COPY)
    direction = checks.rewritten_direction(task)
    nearest = _nearest(texts, direction, where, remedy) if sampling != "random" else {}
    numbers = range(samples if sampling != "nearest" else 0)
    random_samples = [
        _random_sample(texts, f"{seed}/{name}/{number}", where, remedy) for number in numbers
    ]
    chosen = dict(nearest)  # texts by the ids of their expressions
    ids = {text["text_id"]: number for number, text in nearest.items()}
    for text in chain.from_iterable(random_samples):
        chosen[ids.setdefault(text["text_id"], RANDOM + text["text_id"])] = text
    random_sets = [[ids[text["text_id"]] for text in sample] for sample in random_samples]
    sampled = [_expression(number, text) for number, text in sorted(chosen.items())]
    shared = []  # ids of the hand-written templates, which all samples have
    for template in hand["expressions"]:
        if template["direction"] != direction:
            shared.append(HAND + template["expression_id"])
            sampled.append({**template, "expression_id": shared[-1]})
    counted = nearest.values() if nearest else chain.from_iterable(random_samples)
    return {
        "task": name,
        "origin": "recs",
        "scenario_prompt": hand["scenario_prompt"],
        "space": hand["space"],
        "expressions": check_expressions(Task(**task), sampled, inputs["candidates"]),
        "reviewed": all(text["decision"] != UNREAD for text in counted),
        "sampling": {
            "nearest": [*nearest, *shared] if nearest else [],
            "random": [[*random_ids, *shared] for random_ids in random_sets],
        },
    }


def _texts(
    pool: Sequence[Record], clusters: Sequence[Record], decisions: Decisions
) -> list[Record]:
    """Returns the texts that were clustered, with cluster, rank, distance and decision."""
    members = {member["text_id"]: member for member in clusters}
    texts = []
    for record in pool:
        if record["text_id"] in members:
            decision = decisions.get(checks.text_hash(record["text"]), Decision(UNREAD))
            passes = decision.kind == UNREAD and record["status"] == checks.PASS
            usable = decision.kind in (ACCEPT, EDIT) or passes
            fields = {"decision": decision.kind, "edit": decision.text, "usable": usable}
            texts.append({**record, **members[record["text_id"]], **fields})
    return texts


def _nearest(
    texts: Sequence[Record], direction: checks.Direction, where: str, remedy: str
) -> dict[int, Record]:
    """Returns the usable text of each cluster that is nearest to its centre."""
    by_cluster: dict[int, list[Record]] = defaultdict(list)
    for text in texts:
        by_cluster[text["cluster"]].append(text)
    nearest = {}
    for cluster, members in sorted(by_cluster.items()):
        usable = [text for text in members if text["usable"]]
        if not usable:
            named = f", direction {direction:+d}" if direction else ""
            raise UserError(
                f"{where}{named}: no rewrite of cluster {cluster} can be used; {remedy}"
            )
        nearest[cluster] = min(usable, key=lambda text: text["rank"])
    return nearest


def _random_sample(texts: Sequence[Record], seed: str, where: str, remedy: str) -> list[Record]:
    """Returns a usable text for each cluster, in an order that rejecting one does not change."""

    def random_key(text: Record) -> str:
        return hashlib.sha256(f"{seed}/{text['text']}".encode()).hexdigest()

    # As many as clusters have a text each, so that both kinds of samples are as large.
    number = len({text["cluster"] for text in texts})
    usable = [text for text in texts if text["usable"]]
    if len(usable) < number:
        raise UserError(
            f"{where}: {len(usable)} rewrites can be used, {number} are to be sampled; {remedy}"
        )
    return sorted(usable, key=random_key)[:number]


def _expression(number: int, text: Record) -> Record:
    """Returns a text as an expression of that id."""
    edited = text["decision"] == EDIT
    return {
        "expression_id": number,
        "template": text["edit"] if edited else text["text"],
        "direction": text["direction"],
        "origin": text["rewriter"],
        "rewriter": text["rewriter"],
        "cluster": text["cluster"],
        "distance": text["distance"],
        "edited": edited,
        "reviewed": text["decision"] != UNREAD,
        "hash": checks.text_hash(text["text"]),
        "text_id": text["text_id"],
    }


def statistics(inputs: Mapping[str, Path], task: str, expressions: Record, seed: int) -> Record:
    """Returns statistics of a task's rewrites, clusters and chosen texts.

    Returns:
        task; direction; texts; usable, those that pass all checks; mended, those whose braces were
        doubled; ``fails_{check}``, those that fail it; sizes of the clusters; inertia, the sum of
        the squared distances to the centres. Of the texts nearest to the centres: pick_distances
        to their centres; spread, their mean distance from each other; random_spread, that of 2,000
        random sets of equal size; percentile, the share of these with a smaller one (ties count
        half); edited, how many people changed (null without nearest texts). reviewed: whether
        people decided on all.
    """
    texts = list(read_jsonl(inputs["candidates"]))
    members = list(read_jsonl(inputs["clusters"]))
    vectors = {row["text_id"]: row["vector"] for row in read_jsonl(inputs["vectors"])}
    direction = texts[0]["direction"]
    statuses = Counter(text["status"] for text in texts)
    sizes = Counter(member["cluster"] for member in members)
    order = [member["text_id"] for member in members]
    points = np.array([vectors[text_id] for text_id in order])
    nearest = set(expressions["sampling"]["nearest"])
    picks = []
    for expression in expressions["expressions"]:
        # A hand-written template has no hash.
        if expression["expression_id"] in nearest and "hash" in expression:
            picks.append(expression)
    picked_points = [order.index(pick["text_id"]) for pick in picks]
    return {
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
        **_spread(points, picked_points, f"{seed}/{task}/{direction}"),
    }


def _spread(points: NDArray[np.float64], picks: Sequence[int], seed: str) -> Record:
    """Returns the mean distance between picks, compared with random sets of equal size."""
    if len(picks) < 2:
        return {"spread": None, "random_spread": None, "percentile": None}
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    rng = random.Random(seed)
    random_sets = [rng.sample(range(len(points)), len(picks)) for _ in range(RANDOM_SETS)]
    spreads = np.array([_mean_distance(distances, random_set) for random_set in random_sets])
    spread = _mean_distance(distances, picks)
    # Sums in another order differ in the last digits: these are ties.
    smaller = spreads < spread - 1e-9
    tied = np.abs(spreads - spread) <= 1e-9
    return {
        "spread": round(spread, 6),
        "random_spread": round(float(spreads.mean()), 6),
        "percentile": float(smaller.sum() + tied.sum() / 2) / RANDOM_SETS,
    }


def _mean_distance(distances: NDArray[np.float64], points: Sequence[int]) -> float:
    """Returns the mean distance over all pairs of points."""
    pairs = len(points) * (len(points) - 1)
    return float(distances[np.ix_(points, points)].sum() / pairs)
