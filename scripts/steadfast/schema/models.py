"""The settings of a model, by engine (roles of fields: ``model_base``)."""

from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from steadfast.schema.api_model import AnthropicModel, GeminiModel, OpenaiModel
from steadfast.schema.model_base import (
    MOST_GPUS,
    MOST_TOKENS,
    BaseModelSettings,
    OpenModel,
    ThinkingModel,
)
from steadfast.schema.strict import answer, operation


class VllmModel(OpenModel):
    """A model that runs in the job itself, offline, on this machine's GPUs (or CPU)."""

    engine: Literal["vllm"]
    model: str = answer("Hub id, such as Qwen/Qwen2.5-7B-Instruct, or a directory.", ...)
    window: int = answer(
        "Tokens of prompt and answer together that the model takes; the engine's max_model_len.",
        ...,
        ge=256,
        le=MOST_TOKENS,
    )
    tokenizer: str | None = answer(  # type: ignore[assignment]  # None: the model's own
        "Hub id or directory of the tokenizer, where it is not the model's own."
    )
    template_args: dict[str, Any] = answer(
        "Further variables of the chat template, such as enable_thinking.", {}
    )
    hf_overrides: dict[str, Any] = answer(
        "Changes to the model's own config, such as rope_parameters for YaRN.", {}
    )
    seed: int = answer(
        "Seed of the engine, and of sampling, where it is one more for each repeat.", 0
    )
    engine_args: dict[str, Any] = answer(
        "Further arguments of vLLM's LLM that may change answers, such as dtype and quantization.",
        {},
    )
    batch_invariant: bool = answer(
        "vLLM's batch-invariant kernels: an answer does not depend on what is asked beside it.",
        False,
    )
    python: str | None = operation(
        "Interpreter of the jobs, with vLLM and the base requirements; by default the one they are "
        "in where it has vLLM, else that of `make vllm`, .venv-vllm."
    )
    tensor_parallel_size: int = operation("GPUs that share the model.", 1, ge=1, le=MOST_GPUS)
    data_parallel_size: int = operation(
        "Copies of the model in one job, which share out the contexts; each has GPUs of its own.",
        1,
        ge=1,
        le=MOST_GPUS,
    )
    engine_operation_args: dict[str, Any] = operation(
        "Further arguments of vLLM's LLM that change no answer, such as gpu_memory_utilization and "
        "max_num_seqs, the requests under way at once.",
        {},
    )


class ReferenceModel(BaseModelSettings):
    """Gives the reference answer, for which every scorer gives full marks."""

    engine: Literal["reference"]


class BaselineModel(BaseModelSettings):
    """Answers in the right form and looks nothing up; scores are read beside its own."""

    engine: Literal["baseline"]


class SimulatedModel(BaseModelSettings):
    """A seeded simulated model with a limited span, position bias and formatting slips; no real model."""

    engine: Literal["simulated"]
    span: int = answer("Context length in tokens at which recall has fallen to half.", 65536, gt=0)
    position_bias: float = answer(
        "How much worse the middle is read than the ends, 0 to 1.", 0.3, ge=0, le=1
    )
    slip: float = answer("Share of answers with a formatting slip.", 0.1, ge=0, le=1)
    seed: int = answer("Seed of the simulated model's slips.", 1)


class ReplayModel(ThinkingModel):
    """Responses from a file that someone else produced."""

    engine: Literal["replay"]
    file: str = answer(
        "JSON lines with sample_id and response; {benchmark} and {part} in the path stand "
        "for the benchmark and its part, such as a length or a language.",
        ...,
    )
    fields: dict[
        Literal["sample_id", "repeat", "response", "reasoning", "finish_reason", "status"], str
    ] = answer("Which field of a record is what, where the names differ.", {})


class ScoredModel(BaseModelSettings):
    """Scores that the benchmark's authors released: nothing is asked, and nothing is scored.

    Its name is that of the released files; label and group are by default the paper's.
    """

    engine: Literal["scored"]


ModelSettings = Annotated[
    ReferenceModel
    | BaselineModel
    | SimulatedModel
    | ReplayModel
    | OpenaiModel
    | AnthropicModel
    | GeminiModel
    | VllmModel
    | ScoredModel,
    Field(discriminator="engine"),
]


def engines() -> dict[str, type[BaseModelSettings]]:
    """The settings' type of each engine."""
    members = get_args(get_args(ModelSettings)[0])
    return {get_args(member.model_fields["engine"].annotation)[0]: member for member in members}
