"""One thing that a run may need: whether it is there, and what to do."""

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from steadfast.base.files import Settings


@dataclass(frozen=True)
class Check:
    """What was found of one thing, such as ``disk``; of what is missing, what to do."""

    what: str
    status: Literal["ok", "missing", "not needed", "unchecked"]  # unchecked: nobody could be asked
    text: str

    def __str__(self) -> str:
        return f"{self.status:<10}  {self.what}: {self.text}"


def checked(what: str, there: bool, text: str, advice: str) -> Check:
    """A check of something that is needed: the text where it is there, else the advice."""
    return Check(what, "ok" if there else "missing", text if there else advice)


def unneeded(what: str, why: str) -> Check:
    """Something that this config does without."""
    return Check(what, "not needed", why)


def output_of(*command: str, seconds: float = 20) -> str | None:
    """What a command prints; None where there is none, it fails or does not end."""
    try:
        process = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return process.stdout


@dataclass(frozen=True)
class Surroundings:
    """Whether the network may be asked, and whether models run on a cluster's nodes."""

    online: bool = True
    cluster: bool = False


Needed = Callable[[Settings, Surroundings], Iterator[Check]]
"""What an engine's module says that a model of those settings needs."""
