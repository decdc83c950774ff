"""Seeded instances in the released shape: every category, judge and rule, without network.

The wording stands in ``resources/followbench/synthetic``; facts are invented.
"""

import random
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from steadfast.files import Record
from steadfast.followbench.facts import CATEGORIES, LEVELS, facts
from steadfast.followbench.synthetic import judged, ruled
from steadfast.followbench.synthetic.draw import Draw, Maker


def records(language: str, groups: int, seed: int) -> dict[str, list[Record]]:
    """Records of each category, as the released files hold them.

    Args:
        language: en or zh.
        groups: groups of each category, at least: each scorer occurs, whatever it takes.
        seed: with it, the language and a group's place, the group is fixed.
    """
    blocks = facts(f"synthetic/{language}")
    found = {}
    for category in CATEGORIES:
        once, varied = _makers(category, blocks)
        total = max(groups, len(once) + len(varied))
        makers = [*once.values(), *(varied[n % len(varied)] for n in range(total - len(once)))]
        found[category] = [
            record
            for example_id, maker in zip(_ids(once), makers, strict=False)
            for record in _group(language, category, example_id, maker, blocks, seed)
        ]
    return found


def _ids(once: Mapping[int, Maker]) -> Iterator[int]:
    """The numbers of a category's groups: first those that must have a certain one."""
    yield from once
    yield from (number for number in count(1) if number not in once)


def _group(
    language: str, category: str, example_id: int, maker: Maker, blocks: Any, seed: int
) -> list[Record]:
    rng = random.Random(f"followbench/{seed}/{language}/{category}/{example_id}")
    source, levels = maker(Draw(category, blocks, rng))
    first = LEVELS[-1] + 1 - len(levels)
    return [
        {
            "example_id": example_id,
            "category": kind,
            "source": source,
            "level": level,
            "instruction": instruction,
            "target": target,
        }
        for level, (kind, instruction, target) in enumerate(levels, start=first)
    ]


def _makers(category: str, blocks: Any) -> tuple[dict[int, Maker], list[Maker]]:
    """The groups that a category has once, by number, and those that differ each time."""
    match category:
        case "content":
            events = [ruled.events] if "events" in blocks else []
            lists = [judged.one_by_one("open_question"), judged.listing]
            return {}, [*lists, ruled.restaurants, ruled.places, *events]
        case "situation":
            own = judged.one_by_one(category)
            return {}, [own, ruled.order, ruled.dates, ruled.floors, ruled.wages]
        case "format":
            # The number decides that a rule scores the group.
            numbers = {rule: number for number, rule in facts("groups")["rules"]["en"].items()}
            once = {numbers[rule]: ruled.form(rule) for rule in blocks["formats"]}
            return once, [judged.one_by_one(category)]
        case "example":
            return {}, [ruled.examples]
        case "mixed":
            summaries = enumerate(blocks["summaries"], start=1)
            once = {number: ruled.summary(rule) for number, rule in summaries}
            return once, [judged.mixed, ruled.edits]
    return {}, [judged.one_by_one(category)]
