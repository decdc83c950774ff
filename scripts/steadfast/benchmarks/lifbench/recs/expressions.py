"""Stages 7 and 8 of RECS: the expressions of a task, nearest to the centres or drawn at random."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_jsonl
from steadfast.benchmarks.lifbench.recs import checks, released, requests
from steadfast.benchmarks.lifbench.recs import review as reviews
from steadfast.benchmarks.lifbench.recs.review import ACCEPT, EDIT, UNREAD, Decision, Decisions
from steadfast.benchmarks.lifbench.tasks import Task
from steadfast.benchmarks.lifbench.templates import check_expressions

Sampling = Literal["nearest", "random", "both"]
BEFORE = 100
HAND = 200
RANDOM = 1000
"""What is added to the number of a cluster of direction -1, of a hand-written template, and of a
text drawn at random, so that no two ids are the same and none depends on another text."""
RELEASED = "released"  # in place of a review: what the authors made of their rewrites

REMEDY = "accept or edit rewrites {place} (docs/lifbench-variants.md), or raise lifbench.recs.count"
COPY = "in a copy of that file, in the folder that lifbench.recs.review names"


@dataclass(frozen=True)
class PickedText:
    """A text of the pool with its place and what people make of it."""

    record: Record  # the candidate
    place: Record  # its cluster record
    decision: Decision  # on it

    @property
    def usable(self) -> bool:
        """Whether it can become an expression."""
        word = self.decision.word
        return word in (ACCEPT, EDIT) or (word == UNREAD and self.record["status"] == checks.PASS)

    def expression(self, number: int) -> Record:
        """Returns the text as an expression of that id."""
        edited = self.decision.word == EDIT
        return {
            "expression_id": number,
            "template": self.decision.text if edited else self.record["text"],
            "direction": self.record["direction"],
            "origin": self.record["rewriter"],
            "rewriter": self.record["rewriter"],
            "cluster": self.place["cluster"],
            "distance": self.place["distance"],
            "edited": edited,
            "reviewed": self.decision.word != UNREAD,
            "hash": checks.text_hash(self.record["text"]),
            "text_id": self.record["text_id"],
        }


def expressions(
    inputs: Mapping[str, Path],
    task: Settings,
    review: str | None,
    sampling: Sampling,
    seed: int,
    samples: int = 1,
    directory: str | None = None,
) -> Record:
    """Returns the templates of a task that RECS samples, and which sample has which.

    Directions that were not rewritten keep their hand-written templates. A review is a file of
    people's decisions, or ``released``; ``reviewed`` says whether it decides on every sampled text.
    """
    pool = list(read_jsonl(inputs["candidates"]))
    clusters = list(read_jsonl(inputs["clusters"]))
    name = task["id"]
    own_review = None if review == RELEASED else review
    decided = released.clusters(inputs, task, directory) if review == RELEASED else clusters
    if own_review:
        decisions = reviews.read_review(own_review, name, pool)
    else:
        decisions = reviews.decisions_in(decided, pool)
    hand = requests.base(inputs, task)
    texts = _texts(pool, clusters, decisions)
    where = f"{own_review or inputs['review']}: {name}"
    remedy = REMEDY.format(place="there" if own_review else COPY)
    nearest = nearest_texts(texts, where, remedy) if sampling != "random" else {}
    numbers = range(samples if sampling != "nearest" else 0)
    drawn = [_drawn(texts, f"{seed}/{name}/{number}", where, remedy) for number in numbers]
    by_id = {number: text.expression(number) for number, text in nearest.items()}
    # Ids of the expressions, by those of their texts.
    ids = {text.record["text_id"]: number for number, text in nearest.items()}
    random_sets: list[list[int]] = []
    for sample_texts in drawn:
        random_sets.append([])
        for text in sample_texts:
            number = ids.setdefault(text.record["text_id"], RANDOM + text.record["text_id"])
            by_id.setdefault(number, text.expression(number))
            random_sets[-1].append(number)
    sampled = [by_id[number] for number in sorted(by_id)]
    shared = []  # ids of the hand-written templates, which all samples have
    directions = {cluster["direction"] for cluster in clusters}
    for template in hand["expressions"]:
        if template["direction"] not in directions:
            shared.append(HAND + template["expression_id"])
            sampled.append({**template, "expression_id": shared[-1]})
    counted = nearest.values() if nearest else chain.from_iterable(drawn)
    return {
        "task": name,
        "origin": "recs",
        "scenario_prompt": hand["scenario_prompt"],
        "space": hand["space"],
        "expressions": check_expressions(Task.of(task), sampled, inputs["candidates"]),
        "reviewed": all(text.decision.word != UNREAD for text in counted),
        "sampling": {
            "nearest": [*nearest, *shared] if nearest else [],
            "random": [[*random_ids, *shared] for random_ids in random_sets],
        },
    }


def nearest_texts(texts: Iterable[PickedText], where: str, remedy: str) -> dict[int, PickedText]:
    """Returns the usable text of each cluster that is nearest to its centre, by expression id."""
    by_cluster: dict[tuple[int, int], list[PickedText]] = defaultdict(list)
    for text in texts:
        by_cluster[text.place["direction"] or 0, text.place["cluster"]].append(text)
    picked: dict[int, PickedText] = {}
    for (direction, cluster), members in sorted(by_cluster.items()):
        usable = [text for text in members if text.usable]
        if not usable:
            way = f", direction {direction:+d}" if direction else ""
            raise UserError(f"{where}{way}: no rewrite of cluster {cluster} can be used; {remedy}")
        number = cluster + (BEFORE if direction == -1 else 0)
        picked[number] = min(usable, key=lambda text: text.place["rank"])
    return dict(sorted(picked.items()))


def _texts(
    pool: Sequence[Record], clusters: Sequence[Record], decisions: Decisions
) -> list[PickedText]:
    """Returns the texts of a task that were clustered."""
    places = {record["text_id"]: record for record in clusters}
    texts = []
    for record in pool:
        if record["text_id"] in places:
            decision = decisions.get(checks.text_hash(record["text"]), Decision(UNREAD))
            texts.append(PickedText(record, places[record["text_id"]], decision))
    return texts


def _drawn(texts: Sequence[PickedText], seed: str, where: str, remedy: str) -> list[PickedText]:
    """Returns usable texts of each direction in an order that rejecting one does not change."""

    def turn(text: PickedText) -> str:
        return hashlib.sha256(f"{seed}/{text.record['text']}".encode()).hexdigest()

    clusters: dict[int | None, set[int]] = defaultdict(set)
    usable_texts: dict[int | None, list[PickedText]] = defaultdict(list)
    for text in texts:
        direction = text.place["direction"]
        clusters[direction].add(text.place["cluster"])
        if text.usable:
            usable_texts[direction].append(text)
    picked: list[PickedText] = []
    for direction in clusters:
        number = len(clusters[direction])
        usable = sorted(usable_texts[direction], key=turn)
        if len(usable) < number:
            raise UserError(
                f"{where}: {len(usable)} rewrites can be used, {number} are to be sampled; {remedy}"
            )
        picked += usable[:number]
    return picked
