"""What a LIFBench task is to those who ask it; ``scored_tasks`` has what it is to scores."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from steadfast.base.files import Settings

NAME = "lifbench"
SCENARIOS = ("list", "multidoc", "onedoc")
# In the order of Table 3's columns.
PAPER_TASKS = ("OR", "OQ", "OE", "LSI", "LMI", "LOI", "LOE", "LBI", "LBE", "MB", "MF")


@dataclass(frozen=True)
class Variables:
    """How the variables of an instruction get their values (section 3.3, appendix C).

    A template must show what is ``shown``, and may show nothing else; ``a|b`` stands for either.
    The setting at place k of the space is ``variable_id`` k at every length. With ``neighbours``
    the scorer knows the entries before and after a position, too.
    """

    draw: str = ""  # a key of variables.DRAWS
    shown: Sequence[str] = ()
    space: Settings = field(default_factory=dict)
    number: int | None = None  # settings per context (Table 2, #Var.)
    neighbours: bool = False


@dataclass(frozen=True)
class Task:
    """How a task is asked: one of the paper's eleven (Table 2, appendix E).

    A stage takes a part of it, plain values for its component's settings, and knows the rest by
    its default: a change of a task's file re-runs what takes the changed part. With directions each
    expression asks for what follows (1) or what precedes (-1).
    """

    id: str  # the paper's short name, such as LSI
    scenario: str  # one of SCENARIOS
    max_tokens: int = 0  # output limit in tokens
    variables: Variables = field(default_factory=Variables)  # of its instructions
    directions: bool = False

    @classmethod
    def of(cls, plain: Settings) -> "Task":
        """Returns a task from plain values, all or a part of them."""
        return cls(**{**plain, "variables": Variables(**plain["variables"])})

    @property
    def asked(self) -> Settings:
        """What prompts take beside expressions."""
        return self._part("max_tokens", variables=("draw", "shown", "neighbours"))

    @property
    def worded(self) -> Settings:
        """What expressions take."""
        return self._part(variables=("shown", "space"))

    def _part(self, *names: str, variables: Sequence[str]) -> Settings:
        of_variables: dict[str, Any] = {name: getattr(self.variables, name) for name in variables}
        names = ("id", "scenario", "directions", *names)
        return {name: getattr(self, name) for name in names} | {"variables": of_variables}


def in_order(scenarios: Iterable[str]) -> list[str]:
    """Scenarios in their order, each once.

    >>> in_order(["onedoc", "list", "onedoc"])
    ['list', 'onedoc']
    """
    needed = set(scenarios)
    return [scenario for scenario in SCENARIOS if scenario in needed]
