"""Which models a table shows, under which headings, and which of them compete."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

APART = ("simulated", "reference")
KINDS = ("model", *APART)
JUDGE = "Judge: {judge}."
STAND_IN_JUDGE = (
    "Judge: {judge}, which stands in for one and is no real model: of real models' answers it "
    "knows nothing."
)


@dataclass(frozen=True)
class Group:
    """Models of one kind (model, simulated or reference) under one heading."""

    heading: str
    models: tuple[str, ...]
    kind: str

    @property
    def apart(self) -> bool:
        """Whether they are no real models."""
        return self.kind in APART


class Roster:
    """The models of a table and how they are shown.

    Args:
        models: names of the models that have results.
        display: labels and groups by model, group_order, digits; engines by model where known
            (otherwise a simulated reader is known by its name, which starts with ``sim-``); label
            and engine by judge, the one that counts first.
    """

    def __init__(self, models: Iterable[str], display: Mapping[str, Any]):
        self.models = sorted(models)
        self._display = display

    def label(self, model: str) -> str:
        """The model's name in tables."""
        return self._display.get("labels", {}).get(model, model)

    def kind(self, model: str) -> str:
        """model, simulated or reference."""
        default = "simulated" if model.startswith("sim-") else model
        engine = self._display.get("engines", {}).get(model, default)
        return engine if engine in APART else "model"

    @property
    def judge_note(self) -> str | None:
        """Whose verdicts count, and whether that is a real model; None where nobody judges."""
        for label, engine in self._display.get("judges", {}).values():
            return (STAND_IN_JUDGE if engine in APART else JUDGE).format(judge=label)
        return None

    @property
    def contenders(self) -> list[str]:
        """Models that are ranked: the real ones; without any, the simulated readers."""
        for kind in ("model", "simulated"):
            found = [model for model in self.models if self.kind(model) == kind]
            if found:
                return found
        return []

    def groups(self, value: Mapping[str, float]) -> list[Group]:
        """The groups in the display's order, models by falling value; no real models last.

        Args:
            value: what to order by, such as the overall score; models without one come last.
        """
        order = {name: i for i, name in enumerate(self._display.get("group_order", []))}
        members: dict[tuple, list[str]] = {}
        for model in self.models:
            heading = self._display.get("groups", {}).get(model, "")
            key = (KINDS.index(self.kind(model)), order.get(heading, len(order)), heading)
            members.setdefault(key, []).append(model)
        return [
            Group(
                heading,
                tuple(sorted(found, key=lambda m: (m not in value, -value.get(m, 0), m))),
                KINDS[kind],
            )
            for (kind, _, heading), found in sorted(members.items())
        ]
