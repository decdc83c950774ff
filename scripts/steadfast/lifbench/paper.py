"""The models of the paper, by their names in the released score files."""

from dataclasses import dataclass

import yaml

from steadfast.lifbench.tasks import RESOURCES


@dataclass(frozen=True)
class PaperModel:
    """A model as the paper shows it.

    Attributes:
        label: its name in the tables.
        group: the heading under which Table 3 lists it.
        truncated: names of the lengths at which contexts were cut.
        gold: it is no model, but the reference answers.
    """

    label: str
    group: str
    truncated: tuple[str, ...] = ()
    gold: bool = False


def _read() -> dict[str, PaperModel]:
    groups = yaml.safe_load((RESOURCES / "paper_models.yaml").read_text(encoding="utf-8"))
    return {
        name: PaperModel(group=group, **{key: _fixed(value) for key, value in facts.items()})
        for group, models in groups.items()
        for name, facts in models.items()
    }


def _fixed(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


PAPER_MODELS: dict[str, PaperModel] = _read()
