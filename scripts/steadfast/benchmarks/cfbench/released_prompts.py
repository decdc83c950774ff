"""The judge's prompt of CFBench's released program, as a template; fetched, not kept here."""

from collections.abc import Mapping
from pathlib import Path

from steadfast.base.pinned import download
from steadfast.base.resources import facts
from steadfast.judging.released_prompt import prompt_of

PINNED = facts("cfbench/released.yaml")["judge"]
ALTERNATIVE = "name a file with the prompt under cfbench.templates"


def prompt(inputs: Mapping[str, Path], template: str) -> str:
    """Returns the prompt in slots, by template.

    The program is known by the commit in its address alone.
    """
    address = PINNED["url"]
    source = download({"url": address}, ALTERNATIVE).decode("utf-8")
    slots = [f"{{{{{slot}}}}}" for slot in PINNED["slots"]]
    return prompt_of(source, PINNED["name"], slots, address)
