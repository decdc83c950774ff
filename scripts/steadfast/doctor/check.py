"""The result of one check: whether a requirement of a run is met, and else what to do."""

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from steadfast.base.files import Settings


@dataclass(frozen=True)
class Check:
    """The result of one check, such as of ``disk``; the text of a missing thing is advice."""

    what: str
    status: Literal["ok", "missing", "not needed", "unchecked"]  # unchecked: no server responded
    text: str

    def __str__(self) -> str:
        return f"{self.status:<10}  {self.what}: {self.text}"


def check_of(name: str, is_there: bool, text: str, advice: str) -> Check:
    """Returns the check of a requirement: with the text where it is met, else with the advice."""
    return Check(name, "ok", text) if is_there else Check(name, "missing", advice)


def output_of(*command: str, seconds: float = 20) -> str | None:
    """The output of a command; None where it does not exist, fails or takes too long."""
    try:
        process = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return process.stdout


@dataclass(frozen=True)
class Environment:
    """Whether checks may use the network, and whether models run on a cluster's nodes."""

    online: bool = True
    cluster: bool = False


# The checks of an engine for a model with these settings.
Needed = Callable[[Settings, Environment], Iterator[Check]]
