"""The settings of a model, by engine; ``model_base`` lists the roles of fields."""

from typing import Annotated, Any, Literal

from pydantic import Field

from steadfast.schema.api_model import AnthropicModel, GeminiModel, OpenaiModel
from steadfast.schema.model_base import (
    MOST_GPUS,
    MOST_TOKENS,
    BaseModelSettings,
    OpenModel,
    ThinkingModel,
)
from steadfast.schema.strict import operation, response


class VllmModel(OpenModel):
    """A model that runs inside the job, offline, on GPUs of the job's machine (or its CPU)."""

    engine: Literal["vllm"]
    model: str = response(
        "Hub id, such as Qwen/Qwen2.5-7B-Instruct, or directory of a checkpoint.", ...
    )
    window: int = response(
        "Context window: maximum tokens of prompt and response together (vLLM's max_model_len).",
        ...,
        ge=256,
        le=MOST_TOKENS,
    )
    tokenizer: str | None = response(  # type: ignore[assignment]  # None: the model's own
        "Hub id or directory of the tokenizer; by default the model's own."
    )
    template_args: dict[str, Any] = response(
        "Additional variables of the chat template, such as enable_thinking.", {}
    )
    hf_overrides: dict[str, Any] = response(
        "Overrides of the model's config.json, such as rope_parameters for YaRN.", {}
    )
    seed: int = response("Seed of the engine; for sampling, plus the number of the repeat.", 0)
    engine_args: dict[str, Any] = response(
        "Additional arguments of vLLM's LLM that may change responses, such as dtype and "
        "quantization.",
        {},
    )
    batch_invariant: bool = response(
        "vLLM's batch-invariant kernels: a response does not depend on the other requests of its "
        "batch.",
        False,
    )
    python: str | None = operation(
        "Python interpreter of the jobs, with vLLM and the base requirements; by default the "
        "current one where it has vLLM, else .venv-vllm, which `make vllm` installs."
    )
    tensor_parallel_size: int = operation(
        "GPUs over which the model is split.", 1, ge=1, le=MOST_GPUS
    )
    data_parallel_size: int = operation(
        "Copies of the model in one job, each with its own GPUs; contexts are divided among them.",
        1,
        ge=1,
        le=MOST_GPUS,
    )
    engine_operation_args: dict[str, Any] = operation(
        "Additional arguments of vLLM's LLM that do not change responses, such as "
        "gpu_memory_utilization and max_num_seqs (concurrent requests).",
        {},
    )


class ReferenceModel(BaseModelSettings):
    """Returns the reference answer, which every scorer must give full marks."""

    engine: Literal["reference"]


class BaselineModel(BaseModelSettings):
    """The no-lookup baseline: well-formed responses that use nothing of the context."""

    engine: Literal["baseline"]


class SimulatedModel(BaseModelSettings):
    """A simulated model (a seeded program) with limited recall, position bias and formatting
    errors."""

    engine: Literal["simulated"]
    span: int = response("Context length in tokens at which recall is halved.", 65536, gt=0)
    position_bias: float = response(
        "Loss of recall in the middle of the context, 0 to 1.", 0.3, ge=0, le=1
    )
    slip: float = response("Share of responses with a formatting error.", 0.1, ge=0, le=1)
    seed: int = response("Seed of the simulated errors.", 1)


class ReplayModel(ThinkingModel):
    """Responses that another program produced, from a file."""

    engine: Literal["replay"]
    file: str = response(
        "JSON lines with sample_id and response. In the path, {benchmark} and {part} stand for the "
        "benchmark and its part (such as a length or a language).",
        ...,
    )
    fields: dict[
        Literal["sample_id", "repeat", "response", "reasoning", "finish_reason", "status"], str
    ] = response("Names of the fields in the file, where they differ.", {})


class ScoredModel(BaseModelSettings):
    """Scores that the benchmark's authors released, for a model that is not evaluated here.

    The model has its name in the released files; label and group are by default the paper's.
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
