"""The settings of a model, by engine (roles of fields: ``model_base``)."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from steadfast.schema.model_base import BaseModelSettings, ThinkingModel
from steadfast.schema.openai_model import OpenaiModel
from steadfast.schema.strict import role
from steadfast.schema.vllm_model import VllmModel


class ReferenceModel(BaseModelSettings):
    """Gives the expected (gold) answer, for which every scorer gives full marks."""

    engine: Literal["reference"]


class FloorModel(BaseModelSettings):
    """Answers in the right form and looks nothing up; scores are read beside its own."""

    engine: Literal["floor"]


class SimulatedModel(BaseModelSettings):
    """A seeded reader with a limited span, position bias and formatting slips; no real model."""

    engine: Literal["simulated"]
    span: int = role(
        "answer", 65536, "Context length in tokens at which recall has fallen to half.", gt=0
    )
    position_bias: float = role(
        "answer", 0.3, "How much worse the middle is read than the ends, 0 to 1.", ge=0, le=1
    )
    slip: float = role("answer", 0.1, "Share of answers with a formatting slip.", ge=0, le=1)
    seed: int = role("answer", 1, "Seed of the reader's slips.")


class ReplayModel(ThinkingModel):
    """Responses from a file that someone else produced."""

    engine: Literal["replay"]
    file: str = Field(
        description="JSON lines with sample_id and text; {benchmark} and {part} in the path stand "
        "for the benchmark and its part, such as a length or a language.",
        json_schema_extra={"role": "answer"},
    )
    fields: dict[
        Literal["sample_id", "draw", "text", "thought", "finish_reason", "status"], str
    ] = role("answer", {}, "Which field of a record is what, where the names differ.")


class ScoredModel(BaseModelSettings):
    """Scores that the benchmark's authors released: nothing is asked, and nothing is scored.

    Label and group are by default the paper's.
    """

    engine: Literal["scored"]
    released_name: str | None = Field(
        default=None,
        description="The model's name in the released files; by default the config's.",
        json_schema_extra={"role": "answer"},
    )


ModelSettings = Annotated[
    ReferenceModel
    | FloorModel
    | SimulatedModel
    | ReplayModel
    | OpenaiModel
    | VllmModel
    | ScoredModel,
    Field(discriminator="engine"),
]


def engines() -> dict[str, type[BaseModelSettings]]:
    """The settings' type of each engine."""
    members = get_args(get_args(ModelSettings)[0])
    return {get_args(member.model_fields["engine"].annotation)[0]: member for member in members}
