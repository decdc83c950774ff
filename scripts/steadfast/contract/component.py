"""A class or function of a benchmark by name, which a rule's params hold and a job loads."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from steadfast.base.files import Settings
from steadfast.base.loading import load

T = TypeVar("T")


@dataclass(frozen=True)
class Component(Generic[T]):
    """A class or function of a benchmark by name, with the plain values that it takes.

    By name, so that the job of a rule loads this one alone, and the rule depends on no other
    (``steadfast.run.digests``).

    Attributes:
        name: ``module:object``.
        settings: keyword arguments, plain values, for the rule's params.
        resources: packaged data files that follow from the settings, for the rule's digest.
        calls: functions that the settings name, for the rule's digest.
    """

    name: str
    settings: Settings = field(default_factory=dict)
    resources: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()

    @property
    def plain(self) -> tuple[str, dict[str, Any]]:
        """Returns name and settings, for a rule's params."""
        return self.name, dict(self.settings)

    def make(self, *arguments: Any) -> T:
        """Returns the object of that class, or what the function gives for further arguments."""
        made: T = load(self.name)(*arguments, **self.settings)
        return made


def component(plain: Sequence[Any]) -> Component[Any]:
    """Returns a component again from what a rule's params hold of it."""
    name, settings = plain
    return Component(name, settings)
