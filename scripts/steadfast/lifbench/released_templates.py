"""The benchmark's released file of instruction templates and variables."""

from collections.abc import Mapping
from pathlib import Path

from steadfast.files import read_text
from steadfast.pinned import fetch
from steadfast.resources import facts

LOCAL = "set lifbench.released.directory in the config to a directory that holds tasks.json"


def tasks_file(inputs: Mapping[str, Path], directory: str | None) -> str:
    """The text of tasks.json, from a directory or fetched at its pinned revision and checked.

    Args:
        inputs: none.
        directory: holds tasks.json; None fetches it.

    Raises:
        UserError: the file is missing, the network failed, or what came is not the pinned file.
    """
    if directory is not None:
        return read_text(Path(directory) / "tasks.json")
    return fetch(facts("lifbench/released.yaml"), LOCAL).decode("utf-8")
