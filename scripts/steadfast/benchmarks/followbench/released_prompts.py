"""The judge's prompt of FollowBench's released program, as a template; fetched, not kept here."""

from collections.abc import Mapping
from pathlib import Path

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import LEVELS
from steadfast.judging.released_prompt import program, prompt_of

PINNED = facts("followbench/released.yaml")["judge"]


def prompt(inputs: Mapping[str, Path], benchmark: str, url: str) -> str:
    """Returns the prompts of a language's program as a template with a section for each."""
    source, sections = program(url, benchmark), []
    for category in PINNED["categories"]:
        name = PINNED["name"].format(category=category)
        for level in LEVELS:
            shown = ["{{start}}", *(f"{{{{step_{n}}}}}" for n in range(1, level + 1))]
            text = prompt_of(source, name, [shown, "{{answer}}"], url)
            sections.append(f"=== for {category} {level} ===\n{text}\n")
    return "".join(sections)
