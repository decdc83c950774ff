"""What FollowBench is made of: its languages, categories, levels, sources and their scorers."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

RESOURCES = Path(__file__).parents[3] / "resources/followbench"
LANGUAGES = ("en", "zh")
CATEGORIES = ("content", "situation", "style", "format", "example", "mixed")
"""Constraint categories (section 3.1), in the order of Tables 1 and 7 to 12."""
LEVELS = (1, 2, 3, 4, 5)
"""Scored levels: level n has n constraints. Level 0, without any, is where they start from."""
RULE, JUDGE = "rule", "judge"
"""What scores an item."""
YES, NO = "YES", "NO"
"""A verdict on a constraint, as judges and people write it."""


@dataclass(frozen=True)
class Source:
    """Where a group's instruction comes from: its task, and the rule or judge that scores it."""

    task: str
    scorer: str
    groups: dict[str, int]


@cache
def facts(name: str) -> Any:
    """A facts file of ``resources/followbench``, by its stem."""
    return yaml.safe_load((RESOURCES / f"{name}.yaml").read_text(encoding="utf-8"))


@cache
def sources(category: str) -> dict[str, Source]:
    """The sources of a category's groups, by name (Table 1 and the released fields)."""
    return {
        name: Source(entry["task"], entry.get("rule", JUDGE), dict(zip(LANGUAGES, n, strict=True)))
        for entry in facts("sources")[category]
        for name, n in entry["groups"].items()
    }


@cache
def _rules() -> dict[str, str]:
    """The rule of each source outside the example category, whose names mean something else."""
    return {
        name: source.scorer
        for category in CATEGORIES
        if category != "example"
        for name, source in sources(category).items()
        if source.scorer != JUDGE
    }


def scorer(language: str, category: str, source: str, example_id: int) -> str:
    """What scores a group: a rule's name, or ``judge``.

    The category decides first: some sources of the example category have names that mean a rule
    elsewhere.
    """
    if category == "example":
        return "template"
    if category == "format":
        return facts("groups")["rules"][language].get(example_id, JUDGE)
    return _rules().get(source, JUDGE)


def task(category: str, source: str, example_id: int) -> str:
    """The task that Table 1 counts a group under."""
    if category == "format" and example_id in facts("groups")["tasks"]:
        return facts("groups")["tasks"][example_id]
    return sources(category)[source].task


def impossible(language: str, scorer: str, level: int) -> bool:
    """Whether no answer can pass a level under a rule."""
    return level in facts("impossible")[language].get(scorer, ())
