"""FollowBench's groups as published, at their pinned revision."""

import json
from collections.abc import Mapping
from pathlib import Path

from steadfast.base.files import Record
from steadfast.base.pinned import fetch
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.data import checked_groups
from steadfast.benchmarks.followbench.facts import CATEGORIES, LANGUAGES

ALTERNATIVE = (
    "set followbench.source to local and followbench.directory to a directory with the "
    f"released files in {' and '.join(LANGUAGES)}"
)


def data(inputs: Mapping[str, Path], language: str) -> list[Record]:
    """The groups of a language as published, fetched at the pinned revision."""
    pinned = facts("followbench/released.yaml")
    read = {}
    for category, url in zip(CATEGORIES, addresses(language), strict=True):
        content = fetch({"url": url, **pinned["files"][language][category]}, ALTERNATIVE)
        read[category] = json.loads(content), url
    return checked_groups(read, language)


def addresses(language: str) -> tuple[str, ...]:
    """Where the file of each category is fetched from."""
    pinned = facts("followbench/released.yaml")
    names = {"folder": pinned["folders"][language]}
    return tuple(
        pinned["url"].format(**pinned | names, file=f"{category}_constraints.json")
        for category in CATEGORIES
    )
