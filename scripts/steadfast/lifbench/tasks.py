"""The facts of LIFBench's tasks and scenarios."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from steadfast.files import Record, Settings
from steadfast.resources import facts

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
    """A task: one of the paper's eleven (Table 2 and appendix E), or one of the user's own.

    Of the user's own a stage knows what it needs (``own_tasks``); the rest is empty.

    Attributes:
        id: the paper's short name, such as ``LSI``.
        scenario: one of ``SCENARIOS``.
        name: the paper's name, such as ``Single-ID``.
        max_tokens: output limit in tokens.
        variables: of its instructions.
        points: its score points, see ``weights.score_points``.
        directions: whether each expression asks for what follows (1) or what precedes (-1).
        released_name: the key in the benchmark's released files; none of the user's own.
        counts: whether it counts in the overall values.
    """

    id: str
    scenario: str
    name: str = ""
    max_tokens: int = 0
    variables: Variables = field(default_factory=Variables)
    points: Mapping[str, Record] = field(default_factory=dict)
    directions: bool = False
    released_name: str = ""
    counts: bool = True

    @classmethod
    def of(cls, id: str, facts: Settings) -> "Task":
        """A task from the content of its file, or a part of it."""
        return cls(id=id, **{**facts, "variables": Variables(**facts.get("variables", {}))})

    @property
    def scores_file(self) -> str:
        """The name of the file that holds the task's released scores."""
        return f"{self.scenario}-{self.released_name}.csv"


Tasks = Mapping[str, Task]
"""Tasks by id, in the order to show."""
TASKS: Tasks = {id: Task.of(id, facts("lifbench/tasks")[id]) for id in PAPER_TASKS}
"""The paper's."""


def with_own(own: Mapping[str, Settings] | None) -> Tasks:
    """The paper's tasks and, after them, the user's own, of which some facts are given."""
    return {**TASKS, **{id: Task.of(id, facts) for id, facts in (own or {}).items()}}


def scenarios_of(names: Collection[str], tasks: Tasks = TASKS) -> list[str]:
    """The scenarios that some tasks need.

    >>> scenarios_of(["OQ", "LSI"])
    ['list', 'onedoc']
    """
    needed = {tasks[name].scenario for name in names}
    return [scenario for scenario in SCENARIOS if scenario in needed]
