"""Where FollowBench's groups come from: each source's task, and what scores it."""

from functools import cache
from typing import NamedTuple

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import JUDGE, LANGUAGES


class Source(NamedTuple):
    """What a group's instruction comes from: its task, its rule or ``judge``, and its groups."""

    task: str
    scorer: str
    groups: dict[str, int]


@cache
def sources(category: str) -> dict[str, Source]:
    """The sources of a category's groups, by name (Table 1 and the released fields).

    Some sources of the example category have names that mean a rule elsewhere.
    """
    return {
        name: Source(entry["task"], entry.get("rule", JUDGE), dict(zip(LANGUAGES, n, strict=True)))
        for entry in facts("followbench/sources.yaml")[category]
        for name, n in entry["groups"].items()
    }


def scorer_of(language: str, category: str, source: str, example_id: int) -> str:
    """What scores a group: a rule's name, or ``judge``."""
    rules = facts("followbench/groups.yaml")["rules"][language] if category == "format" else {}
    return str(rules.get(example_id, sources(category)[source].scorer))


def task_of(category: str, source: str, example_id: int) -> str:
    """The task that Table 1 counts a group under."""
    tasks = facts("followbench/groups.yaml")["tasks"] if category == "format" else {}
    return str(tasks.get(example_id, sources(category)[source].task))
