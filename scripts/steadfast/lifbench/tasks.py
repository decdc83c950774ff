"""The facts of LIFBench's tasks and scenarios."""

from collections.abc import Collection
from dataclasses import dataclass

from steadfast.resources import facts

SCENARIOS = ("list", "multidoc", "onedoc")


@dataclass(frozen=True)
class Task:
    """One of the eleven tasks (paper, Table 2 and appendix E).

    Attributes:
        id: the paper's short name, such as ``LSI``.
        name: the paper's name, such as ``Single-ID``.
        released_name: the key in the benchmark's released files.
        scenario: one of ``SCENARIOS``.
        variables: settings of the instruction's variables per context.
        max_tokens: output limit in tokens.
        directions: whether each expression asks for what follows or what precedes.
    """

    id: str
    name: str
    released_name: str
    scenario: str
    variables: int
    max_tokens: int
    directions: bool = False

    @property
    def scores_file(self) -> str:
        """The name of the file that holds the task's released scores."""
        return f"{self.scenario}-{self.released_name}.csv"


TASKS: dict[str, Task] = {
    id: Task(id=id, **values) for id, values in facts("lifbench/tasks.yaml").items()
}


def scenarios_of(tasks: Collection[str]) -> list[str]:
    """The scenarios that some tasks need.

    >>> scenarios_of(["OQ", "LSI"])
    ['list', 'onedoc']
    """
    needed = {TASKS[task].scenario for task in tasks}
    return [scenario for scenario in SCENARIOS if scenario in needed]
