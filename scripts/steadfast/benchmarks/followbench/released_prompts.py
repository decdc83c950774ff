"""The judge's prompt of FollowBench's released program, as a template; fetched, not kept here."""

from collections.abc import Mapping
from pathlib import Path

from steadfast.base.pinned import download
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.data import programs
from steadfast.benchmarks.followbench.facts import LEVELS
from steadfast.judging.released_prompt import prompt_of

PINNED = facts("followbench/released.yaml")
ALTERNATIVE = "name a file with the prompt under followbench.templates"


def prompt(inputs: Mapping[str, Path], template: str) -> str:
    """Returns the prompt in slots, by template.

    The program is known by the commit in its address alone.
    """
    address = programs()[template]
    source = download({"url": address}, ALTERNATIVE).decode("utf-8")
    sections = []
    for category in PINNED["judge"]["categories"]:
        name = PINNED["judge"]["name"].format(category=category)
        for level in LEVELS:
            shown = ["{{start}}", *(f"{{{{step_{n}}}}}" for n in range(1, level + 1))]
            text = prompt_of(source, name, [shown, "{{answer}}"], address)
            sections.append(f"=== for {category} {level} ===\n{text}\n")
    return "".join(sections)
