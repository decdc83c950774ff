"""LIFBench's tasks as prompts need them; ``scored_tasks`` has what scores need."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from steadfast.base.files import Settings

NAME = "lifbench"
JUDGE_TEMPLATE = "grade"
SCENARIOS = ("list", "multidoc", "onedoc")
# In the order of Table 3's columns.
PAPER_TASKS = ("OR", "OQ", "OE", "LSI", "LMI", "LOI", "LOE", "LBI", "LBE", "MB", "MF")


@dataclass(frozen=True)
class Task:
    """The prompts of a task: one of the paper's eleven (Table 2, section 3.3, appendices C and E).

    Each stage takes only the fields that it needs, so that a change of a task's file re-runs only
    the stages that depend on the changed fields.

    Attributes:
        id: the paper's short name, such as LSI.
        scenario: one of ``SCENARIOS``.
        max_tokens: output limit in tokens.
        directions: whether each expression requests what follows (1) or what precedes (-1).
        sampling: how the variables get their values (``variables.sample_settings``).
        shown: what a template must show, and may show nothing else; ``a|b`` stands for either.
        space: of the variables' values; setting k is ``variable_id`` k at every length.
        neighbours: whether the reference answer has the entries before and after a position, too.
    """

    id: str
    scenario: str
    max_tokens: int = 0
    directions: bool = False
    sampling: str = ""
    shown: Sequence[str] = ()
    space: Settings = field(default_factory=dict)
    neighbours: bool = False

    @property
    def prompt_settings(self) -> Settings:
        """What prompts take beside expressions."""
        return self._part("max_tokens", "sampling", "shown", "neighbours")

    @property
    def expression_settings(self) -> Settings:
        """What expressions take."""
        return self._part("shown", "space")

    def _part(self, *names: str) -> Settings:
        return {name: getattr(self, name) for name in ("id", "scenario", "directions", *names)}


def in_order(scenarios: Iterable[str]) -> list[str]:
    """Scenarios in their order, each once.

    >>> in_order(["onedoc", "list", "onedoc"])
    ['list', 'onedoc']
    """
    needed = set(scenarios)
    return [scenario for scenario in SCENARIOS if scenario in needed]
