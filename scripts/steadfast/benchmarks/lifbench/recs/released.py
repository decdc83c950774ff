"""The released rewrites and clusters in place of fresh ones, through the same stages."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from rapidfuzz.distance import Indel
from scipy.optimize import linear_sum_assignment

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_jsonl
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.recs.candidates import Rewrite, checked
from steadfast.benchmarks.lifbench.recs.checks import Original
from steadfast.benchmarks.lifbench.recs.originals import rewritten
from steadfast.benchmarks.lifbench.recs.released_files import Clustered, clustered, rewrites
from steadfast.benchmarks.lifbench.recs.vectors import DIGITS


def candidates(
    inputs: Mapping[str, Path], task: Settings, directory: str | None
) -> Iterator[Record]:
    """Returns the released rewrites of a task's template, direction 1, as ``checked`` gives."""
    released, (direction,) = rewrites(task["id"], directory), rewritten(task, [1])
    texts = [
        Rewrite(rewriter, direction, text)
        for rewriter, texts in released.texts.items()
        for text in texts
    ]
    return checked([Original(task["id"], direction, released.original)], texts)


def clusters(inputs: Mapping[str, Path], task: Settings, directory: str | None) -> Iterator[Record]:
    """Yields the released clusters of the released rewrites, and what people made of each text."""
    return places(task, directory, list(read_jsonl(inputs["candidates"])))


def places(task: Settings, directory: str | None, pool: Sequence[Record]) -> Iterator[Record]:
    """Yields where each released rewrite was clustered, and what people made of it.

    To the fields of ``clusters.clusters`` come decision, one of ``released_files.DECISIONS``; edit,
    the new text where people edited it, corrected where it could not be filled, else null; and
    released_text, as it stands in the file.
    """
    name = task["id"]
    released, entries = rewrites(name, directory), clustered(name, directory)
    texts = [released.original, *chain.from_iterable(released.texts.values())]
    (direction,) = rewritten(task, [1])
    original = Original(name, direction, released.original)
    if [one["text"] for one in pool] != [original.check(text).text for text in texts]:
        raise UserError(
            f"lifbench.recs: {name}: the released clusters and flags go with the released rewrites "
            "alone; take these, or a review of your own"
        )
    corrections = facts("lifbench/recs/released.yaml")["corrections"].get(name, {})
    for record, entry in zip(pool, _matched(texts, entries), strict=True):
        edit = None
        if entry.decision == "edit":
            edit = original.check(entry.text).text
            for wrong, right in corrections.items():
                edit = edit.replace(wrong, right)
        yield {
            "text_id": record["text_id"],
            "direction": direction,
            "cluster": entry.cluster,
            "distance": round(entry.distance, DIGITS),
            "rank": entry.rank,
            "decision": entry.decision,
            "edit": edit,
            "released_text": entry.text,
        }


def _matched(texts: Sequence[str], entries: Sequence[Clustered]) -> list[Clustered]:
    """Returns the entry of each text: the same text, or of those edited the most similar."""
    left = dict(enumerate(entries))
    found: dict[int, Clustered] = {}
    for number, text in enumerate(texts):
        place = next((p for p, entry in left.items() if entry.text == text), None)
        if place is not None:
            found[number] = left.pop(place)
    rest = [number for number in range(len(texts)) if number not in found]
    places = list(left)
    similar = np.array(
        [
            [Indel.normalized_similarity(texts[number], left[place].text) for place in places]
            for number in rest
        ]
    ).reshape(len(rest), len(places))
    rows, columns = linear_sum_assignment(similar, maximize=True)
    found |= {rest[r]: left[places[c]] for r, c in zip(rows, columns, strict=True)}
    return [found[number] for number in range(len(texts))]
