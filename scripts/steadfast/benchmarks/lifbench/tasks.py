"""What a LIFBench task is to those who ask it; ``scored_tasks`` has what it is to scores."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from steadfast.base.files import Settings

SCENARIOS = ("list", "multidoc", "onedoc")
PAPER_TASKS = ("OR", "OQ", "OE", "LSI", "LMI", "LOI", "LOE", "LBI", "LBE", "MB", "MF")
"""In the order of Table 3's columns."""


@dataclass(frozen=True)
class Variables:
    """How the variables of an instruction get their values (section 3.3, appendix C).

    Attributes:
        draw: a key of ``variables.DRAWS``, or a function of one's own as ``module:function``.
        shown: what a template must show, and may; ``a|b`` stands for either of the two.
        space: where the values come from; the setting at place k is ``variable_id`` k at every
            length.
        number: settings per context (Table 2, #Var.).
        neighbours: of positions, whether the scorer knows the entries before and after, too.
    """

    draw: str = ""
    shown: Sequence[str] = ()
    space: Settings = field(default_factory=dict)
    number: int | None = None
    neighbours: bool = False


@dataclass(frozen=True)
class Task:
    """How a task is asked: one of the paper's eleven (Table 2, appendix E), or one of the user's.

    A stage takes a part of it, plain values for its component's settings, and knows the rest by
    its default: a change of a task's file re-runs what takes the changed part.

    Attributes:
        id: the paper's short name, such as ``LSI``.
        scenario: one of ``SCENARIOS``.
        max_tokens: output limit in tokens.
        variables: of its instructions.
        directions: whether each expression asks for what follows (1) or what precedes (-1).
    """

    id: str
    scenario: str
    max_tokens: int = 0
    variables: Variables = field(default_factory=Variables)
    directions: bool = False

    @classmethod
    def of(cls, plain: Settings) -> "Task":
        """A task from plain values, all or a part of them."""
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
