"""The released rewrites and clusters, fetched or of a directory, in origin of fresh ones."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz.distance import Indel
from scipy.optimize import linear_sum_assignment

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_jsonl
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.recs import checks, vectors
from steadfast.benchmarks.lifbench.released_files import released_name, released_text

FLAG = "check_flag(1 checked, 2canbeused)"
# People's decision on a text, by its number in the released files.
DECISIONS = ("unread", "reject", "accept", "edit")


def rewrites(task: str, directory: str | None) -> tuple[str, dict[str, list[str]]]:
    """Returns the template that was rewritten, and each rewriter's texts in the pool's order."""
    origin, record = _read("rewrites", task, directory)
    try:
        texts = {}
        for name in facts("lifbench/recs/released.yaml")["rewriters"]:
            texts[name] = list(map(_text, record[name]["parse_result"]))
        return _text(record["ori"]), texts
    except (KeyError, TypeError):
        raise _misshapen(origin) from None


def cluster_entries(task: str, directory: str | None) -> list[Record]:
    """Returns the released entry of each clustered text, from each cluster's centre outwards.

    Texts are those after people's edits; distances to the centre are from before.
    """
    origin, record = _read("clusters", task, directory)
    entries = []
    try:
        for number in sorted(set(record) - {"ori_prompt"}):
            for rank, entry in enumerate(record[number], start=1):
                fields = {
                    "cluster": int(number),
                    "distance": round(float(entry["distance"]), vectors.DIGITS),
                    "rank": rank,
                    "decision": DECISIONS[entry[FLAG]],
                    "edit": None,
                    "released_text": _text(entry["text"]),
                }
                entries.append(fields)
        return entries
    except (KeyError, TypeError, ValueError, IndexError):
        raise _misshapen(origin) from None


def _read(kind: str, task: str, directory: str | None) -> tuple[str, Any]:
    name = f"{kind}/{released_name(task)}_{kind.removesuffix('s')}.json"
    released = facts("lifbench/recs/released.yaml")
    blob = released[kind][task]
    source = {
        "url": released["repository"] + blob,
        "git_blob": blob,
        "headers": {"Accept": "application/vnd.github.raw+json"},
    }
    origin, text = released_text(name, directory, source)
    try:
        return origin, json.loads(text)
    except (ValueError, RecursionError):
        raise _misshapen(origin) from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _misshapen(origin: str) -> UserError:
    return UserError(
        f"{origin}: not a file of LIFBench's released rewrites or clusters; fetch the release again"
    )


def candidates(
    inputs: Mapping[str, Path], task: Settings, directory: str | None
) -> Iterator[Record]:
    """Returns the released rewrites of a task's template, direction 1, as ``checked`` gives."""
    template, texts = rewrites(task["id"], directory)
    return checks.checked(
        checks.Original(task["id"], checks.rewritten_direction(task), template), texts
    )


def clusters(inputs: Mapping[str, Path], task: Settings, directory: str | None) -> Iterator[Record]:
    """Yields where each released rewrite was clustered, its decision and people's edit."""
    name = task["id"]
    pool = list(read_jsonl(inputs["candidates"]))
    template, texts_by_rewriter = rewrites(name, directory)
    entries = cluster_entries(name, directory)
    texts = [template, *chain.from_iterable(texts_by_rewriter.values())]
    original = checks.Original(name, checks.rewritten_direction(task), template)
    if [candidate["text"] for candidate in pool] != list(map(original.mended, texts)):
        raise UserError(
            f"lifbench.recs: {name}: the released clusters and flags go with the released rewrites "
            "alone; take these, or a review of your own"
        )
    corrections = facts("lifbench/recs/released.yaml")["corrections"].get(name, {})
    for record, entry in zip(pool, _matched(texts, entries), strict=True):
        if entry["decision"] == "edit":
            entry["edit"] = original.mended(entry["released_text"])
            for wrong, right in corrections.items():
                entry["edit"] = entry["edit"].replace(wrong, right)
        yield {"text_id": record["text_id"], "direction": original.direction, **entry}


def _matched(texts: Sequence[str], entries: Sequence[Record]) -> list[Record]:
    """Returns the entry of each text: the same text, or of those edited the most similar."""
    remaining = list(entries)
    matched: dict[int, Record] = {}
    edited: list[int] = []
    for number, text in enumerate(texts):
        released_texts = [entry["released_text"] for entry in remaining]
        if text in released_texts:
            matched[number] = remaining.pop(released_texts.index(text))
        else:
            edited.append(number)
    similar = np.empty((len(edited), len(remaining)))
    for row, number in enumerate(edited):
        for column, entry in enumerate(remaining):
            similarity = Indel.normalized_similarity(texts[number], entry["released_text"])
            similar[row, column] = similarity
    for row, column in zip(*linear_sum_assignment(similar, maximize=True), strict=True):
        matched[edited[row]] = remaining[column]
    return [matched[number] for number in range(len(texts))]
