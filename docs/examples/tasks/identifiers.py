"""Counts the identifiers in a stretch of a list."""

import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

IDENTIFIER = re.compile("[0-9a-f]{32}")
Record = Mapping[str, Any]


def stretches(context: Record, space: Record, rng: Random) -> Iterator[tuple[Record, Record]]:
    """Settings of the variables: what a template may show, and what only the scorer may know."""
    elements = context["elements"]
    for size in space["sizes"]:
        start = rng.randrange(len(elements) - size + 1)
        number = sum(map(bool, map(IDENTIFIER.fullmatch, elements[start : start + size])))
        yield {"first": start + 1, "last": start + size}, {"number": number}


def score(response: str, prompt: Record, context: Record) -> dict[str, float]:
    """The share of each score point that an answer earns."""
    numbers = re.findall("[0-9]+", response)
    right = numbers == [str(prompt["gold"]["number"])]
    return {"format": float(numbers == [response]), "correct": float(right)}


def half(prompt: Record, context: Record) -> str:
    """The floor's answer: half of the stretch, since nothing is looked up."""
    variables = prompt["variables"]
    return str((variables["last"] - variables["first"] + 1) // 2)
