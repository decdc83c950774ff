"""Scores the entries on both sides of a position."""

from collections.abc import Mapping
from typing import Any


def score(response: str, prompt: Mapping[str, Any], context: Mapping[str, Any]) -> dict[str, float]:
    """The share of each score point that an answer earns."""
    lines = [line.strip() for line in response.splitlines() if line.strip()]
    after, before = prompt["gold"]["post_element"], prompt["gold"]["pre_element"]
    found = [entry for entry in (after, before) if entry in lines]
    return {
        "format": float(len(lines) == 2),
        "correct": len(found) / max(2, len(lines)),
        "order": float(len(found) == 2 and lines.index(after) < lines.index(before)),
    }
