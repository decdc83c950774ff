"""The judge's prompt of ComplexBench's released program, as a template; fetched, not kept here."""

from collections.abc import Mapping
from pathlib import Path

from steadfast.base.pinned import download
from steadfast.base.resources import facts
from steadfast.judging.released_prompt import prompt_of

PINNED = facts("complexbench/released.yaml")["judge"]
ALTERNATIVE = "name a file with the prompt under complexbench.templates"


def prompt(inputs: Mapping[str, Path], template: str) -> str:
    """Returns the prompt in slots, by template.

    The program is known by the commit in its address alone.
    """
    pinned = PINNED[template]
    source = download({"url": pinned["url"]}, ALTERNATIVE).decode("utf-8")
    slots = {place: f"{{{{{slot}}}}}" for place, slot in pinned["slots"].items()}
    return prompt_of(source, pinned["name"], slots, pinned["url"])
