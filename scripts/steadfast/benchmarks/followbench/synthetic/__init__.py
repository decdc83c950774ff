"""Seeded instances in the released shape: every category, judge and rule, without network.

The wording stands in ``resources/followbench/synthetic``; facts are invented.
"""

import random
from collections.abc import Mapping
from itertools import chain, count, cycle, islice
from pathlib import Path

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.data import FIELDS, checked_groups
from steadfast.benchmarks.followbench.facts import CATEGORIES, LEVELS
from steadfast.benchmarks.followbench.synthetic import judged, ruled
from steadfast.benchmarks.followbench.synthetic.draw import Draw, Maker

BLOCKS = {
    "en": facts("followbench/synthetic/en.yaml"),
    "zh": facts("followbench/synthetic/zh.yaml"),
}
VARIED: dict[str, list[Maker]] = {
    "content": [
        judged.one_by_one("open_question"),
        judged.listing,
        ruled.restaurants,
        ruled.places,
        ruled.events,
    ],
    "situation": [
        judged.one_by_one("situation"),
        ruled.order,
        ruled.dates,
        ruled.sums("floors"),
        ruled.sums("wages"),
    ],
    "style": [judged.one_by_one("style")],
    "format": [judged.one_by_one("format")],
    "example": [ruled.examples],
    "mixed": [judged.mixed, ruled.edits],
}
"""What makes the groups that differ each time, in turn."""


def data(inputs: Mapping[str, Path], language: str, groups: int, seed: int) -> list[Record]:
    """Generated groups of a language, so many of each category at least."""
    made = records(language, groups, seed)
    return checked_groups(
        {category: (made[category], "synthetic data") for category in CATEGORIES}, language
    )


def records(language: str, groups: int, seed: int) -> dict[str, list[Record]]:
    """Records of each category, as the released files hold them; seed and place fix each group.

    There are so many groups of each category at least, and each scorer occurs, whatever it takes,
    but for those whose rule no answer can pass at some level.
    """
    blocks = BLOCKS[language]
    found: dict[str, list[Record]] = {category: [] for category in CATEGORIES}
    for category, varied in VARIED.items():
        varied = [maker for maker in varied if maker is not ruled.events or "events" in blocks]
        once = _once(category, blocks)
        makers = [*once.values(), *islice(cycle(varied), max(groups - len(once), len(varied)))]
        numbers = chain(once, (number for number in count(1) if number not in once))
        for example_id, maker in zip(numbers, makers, strict=False):
            rng = random.Random(f"followbench/{seed}/{language}/{category}/{example_id}")
            source, levels = maker(Draw(category, blocks, rng))
            first = LEVELS[-1] + 1 - len(levels)
            for level, (kind, *texts) in enumerate(levels, start=first):
                values = (example_id, kind, source, level, *texts)
                found[category].append(dict(zip(FIELDS, values, strict=True)))
    return found


def _once(category: str, blocks: Settings) -> dict[int, Maker]:
    """The groups that a category has once, by their number, which decides on a format's rule."""
    if category == "format":
        rules = facts("followbench/groups.yaml")["rules"]["en"]
        return {n: ruled.form(rule) for n, rule in rules.items() if rule in blocks["formats"]}
    summaries = enumerate(blocks["summaries"], start=1) if category == "mixed" else ()
    return {number: ruled.summary(rule) for number, rule in summaries}
