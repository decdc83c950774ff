"""The benchmark's released file of instruction templates and variables."""

from collections.abc import Mapping
from pathlib import Path

from steadfast.base.files import read_text
from steadfast.base.pinned import check, fetch
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.released_files import in_directory

LOCAL = "set lifbench.released.directory in the config to a directory that holds tasks.json"


def tasks_file(inputs: Mapping[str, Path], directory: str | None, pinned: bool = False) -> str:
    """Returns tasks.json, from a directory (``pinned``: only the published one) or fetched."""
    source = facts("lifbench/released.yaml")
    if directory is None:
        return fetch(source, LOCAL).decode("utf-8")
    path = in_directory(directory, "tasks.json")
    text = read_text(path)
    if pinned:
        advice = "fetch the released file again, or choose lifbench.contexts own"
        check(text.encode(), source, str(path), advice)
    return text
