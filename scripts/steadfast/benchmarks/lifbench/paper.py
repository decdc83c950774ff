"""The models of the paper, by their names in the released score files."""

from dataclasses import dataclass

from steadfast.base.resources import facts


@dataclass(frozen=True)
class PaperModel:
    """A model as the paper shows it."""

    label: str  # its name in the tables
    group: str  # the heading under which Table 3 lists it
    truncated: tuple[str, ...] = ()  # names of the lengths at which contexts were cut
    gold: bool = False  # it is no model, but the reference answers


PAPER_MODELS: dict[str, PaperModel] = {
    name: PaperModel(
        values["label"], group, tuple(values.get("truncated", ())), values.get("gold", False)
    )
    for group, models in facts("lifbench/paper_models.yaml").items()
    for name, values in models.items()
}
